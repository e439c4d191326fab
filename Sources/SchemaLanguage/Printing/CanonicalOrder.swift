extension Schema {
  /// The same declarations in canonical order, with one grant for each role: two schemas mean the same when
  /// their normalized forms are equal.
  public var normalized: Schema {
    Schema(
      roles: roles.sorted { byteOrder($0.name, $1.name) },
      recordTypes: recordTypes.sorted { byteOrder($0.name, $1.name) }.map(\.normalized))
  }
}

extension RecordType {
  /// Fields by name, grants by role.
  var normalized: RecordType {
    RecordType(name, fields: fields.sorted { byteOrder($0.name, $1.name) }, grants: normalizedGrants)
  }

  /// One grant for each role that has any privilege, by the role's name.
  var normalizedGrants: [Grant] {
    var merged: [String: EnumSet<Privilege>] = [:]
    for grant in grants { merged[grant.role, default: []].formUnion(grant.privileges) }
    return merged.filter { !$0.value.isEmpty }.map { Grant($0.value, to: $0.key) }.sorted {
      byteOrder($0.role, $1.role)
    }
  }
}

/// Names are ordered by their bytes: upper case, then `_`, then lower case. Names are ASCII, and for ASCII that is
/// Swift's own order of strings.
func byteOrder(_ a: String, _ b: String) -> Bool { a < b }

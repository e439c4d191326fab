extension SchemaChange {
  /// The change in one line, without its record type.
  public var summary: String {
    switch kind {
    case .addRecordType: "new record type"
    case .removeRecordType: "record type removed"
    case .addField: "\(field ?? "") \(to ?? "")"
    case .removeField: "\(field ?? "") \(from ?? "")"
    case .changeFieldType: "\(field ?? "") \(from ?? "") -> \(to ?? "")"
    case .addIndex: "\(field ?? "") gains \(to ?? "")"
    case .removeIndex: "\(field ?? "") loses \(from ?? "")"
    case .addGrant: "GRANT \(to ?? "") TO \(role ?? "")"
    case .removeGrant: "\(from ?? "") revoked from \(role ?? "")"
    case .addRole: "CREATE ROLE \(role ?? "")"
    case .removeRole: "role \(role ?? "") removed"
    }
  }

  /// `+` for what appears, `-` for what goes, `~` for what changes.
  public var sign: String {
    if kind.isRemoval { return "-" }
    return kind == .changeFieldType ? "~" : "+"
  }

  /// What stands out: a risk, a refusal, an answer nobody knows. Empty for a plain addition.
  public var caution: String {
    var words: [String] = risk == .none ? [] : [risk.rawValue]
    if development != .allowed { words.append("development: \(development.rawValue)") }
    if production != .allowed { words.append("production: \(production.rawValue)") }
    return words.joined(separator: ", ")
  }

  /// What the change belongs under in a listing.
  public var heading: String { recordType.map { "record type \($0)" } ?? "roles" }
}

extension Array where Element == SchemaChange {
  /// The changes under their headings, neighbours of the same heading together.
  public func grouped() -> [(heading: String, changes: ArraySlice<SchemaChange>)] {
    var groups: [(heading: String, changes: ArraySlice<SchemaChange>)] = []
    var start = startIndex
    while start < endIndex {
      let end = self[start...].firstIndex { $0.recordType != self[start].recordType } ?? endIndex
      groups.append((self[start].heading, self[start..<end]))
      start = end
    }
    return groups
  }

  public var refusedInProduction: Int { reduce(0) { $0 + ($1.production == .refused ? 1 : 0) } }
}

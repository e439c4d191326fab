extension Schema {
  /// This schema plus what `delta` adds or changes. Nothing is removed: a field of both takes the delta's
  /// type and options, a role of both takes the delta's privileges on that type, everything else stays.
  public func merging(_ delta: Schema) -> Schema {
    var merged = self
    let known = Set(roles.map(\.name))
    merged.roles += delta.roles.filter { !known.contains($0.name) }
    var places = Dictionary(recordTypes.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { $1 })
    for type in delta.recordTypes {
      if let place = places[type.name] {
        merged.recordTypes[place] = merged.recordTypes[place].merging(type)
      } else {
        places[type.name] = merged.recordTypes.count
        merged.recordTypes.append(type)
      }
    }
    return merged
  }

  /// What to import in place of `current`: this schema plus the record types CloudKit manages (`Users`,
  /// `cloudkit.share`) when it leaves them out. An import replaces everything, and the service refuses to
  /// delete those (Documentation/reference/schema-language.md#allowed-changes).
  public func completedForImport(replacing current: Schema) -> (schema: Schema, kept: [String]) {
    let declared = Set(recordTypes.map(\.name))
    let kept = current.recordTypes.filter { SystemNames.isManaged($0.name) && !declared.contains($0.name) }
    return (Schema(roles: roles, recordTypes: recordTypes + kept), kept.map(\.name))
  }
}

extension RecordType {
  fileprivate func merging(_ delta: RecordType) -> RecordType {
    var merged = self
    var places = Dictionary(fields.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { $1 })
    for field in delta.fields {
      if let place = places[field.name] {
        merged.fields[place] = field
      } else {
        places[field.name] = merged.fields.count
        merged.fields.append(field)
      }
    }
    let granted = Set(delta.grants.map(\.role))
    merged.grants = grants.filter { !granted.contains($0.role) } + delta.grants
    return merged
  }
}

package import Diagnostics

/// Merges two schemas with their comments.
///
/// Without an ancestor, the second one is what to add or change: what it leaves out stays. A field of both schemas gets the
/// second one's type and the options of both that this type allows; a role of both gets the second one's privileges on the
/// type.
///
/// With an ancestor, what one side left as it was takes the other side's state. Options, privileges and comments are merged
/// one by one: what either side removed is removed.
package struct MergedSchema: Sendable {
  package let text: String
  package let schema: Schema
  /// The changes of the first schema that are not additions, such as a field's new type, or a role that loses a privilege.
  package let changes: [SchemaChange]
  /// What the two sides changed differently since the ancestor, each in a sentence. With any, the result is incomplete.
  package let conflicts: [String]
  private let delta: ParsedSchema

  package init(_ base: ParsedSchema, _ delta: ParsedSchema, ancestor: ParsedSchema? = nil) {
    self.delta = delta
    var merger = SchemaMerger(names: (base.source.name, delta.source.name), ancestor: ancestor?.schema)
    schema = merger.merge(base.schema, delta.schema)
    conflicts = merger.conflicts
    text = CanonicalSchemaPrinter.text(
      schema, commentedIn: [base, delta], ancestor: ancestor, for: base.source)
    changes = SchemaDiff.changes(from: base.schema, to: schema).filter {
      $0.kind == .changeFieldType || $0.additiveRefusal != nil
    }
  }

  /// Findings about ``changes`` in the second file. Errors if `policy` forbids them.
  package func diagnostics(_ policy: SchemaPolicy) -> [Diagnostic] {
    SchemaDiffDiagnostics.diagnostics(for: changes, in: delta, policy: policy)
  }

  package var report: PlainReport {
    PlainReport(json: text.json, notes: diagnostics(.none)) { ReportBody.document(text) }
  }
}

extension Schema {
  /// The schema to import instead of `current`: this schema, plus the types that CloudKit manages (`Users`,
  /// `cloudkit.share`) if it leaves them out. An import replaces everything, and the service refuses to delete those
  /// types.
  package func completedForImport(replacing current: Schema) -> (schema: Schema, kept: [String]) {
    let declared = Set(recordTypes.map(\.name))
    let kept = current.recordTypes.filter { SystemNames.isManaged($0.name) && !declared.contains($0.name) }
    return (Schema(roles: roles, recordTypes: recordTypes + kept), kept.map(\.name))
  }
}

/// What the two sides and the ancestor have of a declaration.
private struct Versions<Element> {
  let ours: Element?
  let theirs: Element?
  let former: Element?

  /// Our declaration; theirs if we have none.
  var left: Element? { ours ?? theirs }

  /// The declarations of either side, by name.
  static func all(
    _ ours: [Element], _ theirs: [Element], _ former: [Element], by name: (Element) -> String
  ) -> [Versions] {
    let own = Set(ours.map(name))
    let (others, before) = (theirs.keyed { name($0) }, former.keyed { name($0) })
    return (ours + theirs.filter { !own.contains(name($0)) }).map { one in
      let key = name(one)
      return Versions(ours: own.contains(key) ? one : nil, theirs: others[key], former: before[key])
    }
  }
}

/// Merges declarations by name. Without an ancestor nothing counts as removed, and where the sides differ, the second one
/// decides.
private struct SchemaMerger {
  let names: (ours: String, theirs: String)
  let ancestor: Schema?
  var conflicts: [String] = []

  mutating func merge(_ ours: Schema, _ theirs: Schema) -> Schema {
    let former = ancestor ?? Schema()
    let declared = (ours.roles + theirs.roles).unique
    // A role is a name, so the sides differ only in whether they have it.
    let roles = declared.filter { role in
      !former.roles.contains(role) || ours.roles.contains(role) && theirs.roles.contains(role)
    }
    let types = Versions.all(ours.recordTypes, theirs.recordTypes, former.recordTypes, by: \.name)
      .compactMap { merge($0) }
    for role in declared where !roles.contains(role) {
      let granting = types.filter { !$0.privileges(of: role.name).isEmpty }.map(\.name)
      guard !granting.isEmpty else { continue }
      let grants = "grants it privileges on \(granting.joined(separator: ", "))"
      let isOurs = ours.roles.contains(role)
      conflict("role '\(role.name)'", isOurs ? grants : "removes it", isOurs ? "removes it" : grants)
    }
    return Schema(roles: roles, recordTypes: types)
  }

  private mutating func merge(_ type: Versions<RecordType>) -> RecordType? {
    guard let ours = type.ours, let theirs = type.theirs else {
      guard let left = type.left, let former = type.former else { return type.left }
      let changes = SchemaDiff.changes(
        from: Schema(recordTypes: [former]), to: Schema(recordTypes: [left]))
      if changes.isEmpty { return nil }
      // A file that leaves out a type that CloudKit manages does not remove it.
      if SystemNames.isManaged(left.name) { return left }
      let change = "changes it (\(changes.map { "\($0.sign) \($0.summary)" }.joined(separator: ", ")))"
      conflict(
        "record type '\(left.name)'", type.ours == nil ? "removes it" : change,
        type.theirs == nil ? "removes it" : change)
      return nil
    }
    let isUsers = ancestor != nil && ours.name == SystemNames.users
    let former = type.former ?? (isUsers ? RecordType.users : RecordType(ours.name))
    let fields = Versions.all(ours.fields, theirs.fields, former.fields, by: \.name).compactMap {
      merge($0, of: ours.name)
    }
    let grants = (ours.grants + theirs.grants).map(\.role).unique.map { role in
      Grant(privileges(of: role, ours, theirs, former), to: role)
    }
    return RecordType(ours.name, fields: fields, grants: grants.filter { !$0.privileges.isEmpty })
  }

  private mutating func merge(_ field: Versions<Field>, of type: String) -> Field? {
    let former = field.former
    guard let ours = field.ours, let theirs = field.theirs else {
      guard let left = field.left, let former else { return field.left }
      if left.isSystem {
        // Without a line, a system field has no options.
        let options = merge(left.indexes, [], former.indexes)
        return options.isEmpty ? nil : Field(left.name, left.type, options)
      }
      if left != former { conflict(field, of: type) }
      return nil
    }
    let merged = theirs.type == former?.type ? ours.type : theirs.type
    let options = merge(ours.indexes, theirs.indexes, former?.indexes ?? [])
    let possible = options.intersection(merged.possibleIndexes)
    let isOverruled = ours.type != merged && ours.type != former?.type
    if isOverruled || possible != options { conflict(field, of: type) }
    return Field(ours.name, merged, possible)
  }

  private mutating func privileges(
    of role: String, _ ours: RecordType, _ theirs: RecordType, _ former: RecordType
  ) -> EnumSet<Privilege> {
    let (own, others) = (ours.privileges(of: role), theirs.privileges(of: role))
    let before = former.privileges(of: role)
    guard ancestor != nil else { return others.isEmpty ? own : others }
    let merged = merge(own, others, before)
    if !before.isEmpty, !merged.isEmpty, own.isEmpty || others.isEmpty {
      conflict(
        "grant of '\(ours.name)' to '\(role)'", words(own.isEmpty ? nil : own.list),
        words(others.isEmpty ? nil : others.list))
      // The role, if the same side removed it, is not a second conflict.
      return []
    }
    return merged
  }

  /// Either side's elements without those that the other side removed.
  private func merge<Element>(
    _ ours: EnumSet<Element>, _ theirs: EnumSet<Element>, _ former: EnumSet<Element>
  ) -> EnumSet<Element> {
    ours.intersection(theirs).union(ours.union(theirs).subtracting(former))
  }

  private mutating func conflict(_ field: Versions<Field>, of type: String) {
    let isNew = field.former == nil
    conflict(
      "field '\(type).\(field.left?.name ?? "")'", words(field.ours?.declaration, isNew: isNew),
      words(field.theirs?.declaration, isNew: isNew))
  }

  private mutating func conflict(_ what: String, _ ours: String, _ theirs: String) {
    guard ancestor != nil else { return }
    conflicts.append("\(what): \(names.ours) \(ours); \(names.theirs) \(theirs)")
  }

  private func words(_ declaration: String?, isNew: Bool = false) -> String {
    declaration.map { "\(isNew ? "adds it as" : "makes it") \($0)" } ?? "removes it"
  }
}

import Diagnostics

/// Compares two schemas by meaning. Order, layout, comments and repeated roles are ignored.
package enum SchemaDiff {
  /// The changes from `old` to `new`: roles first, then by record type in byte order.
  ///
  /// - Parameter production: Production's schema, if known. What it lacks may change in both environments; what it has,
  ///   Development refuses to remove, which is unknown without it.
  /// - Parameter isImport: Whether a type that CloudKit manages stays when the new schema leaves it out
  ///   (Documentation/reference/schema-language.md#allowed-changes). A reset and an edit of a file remove it.
  package static func changes(
    from old: Schema, to new: Schema, production: Schema? = nil, isImport: Bool = true
  ) -> [SchemaChange] {
    var differ = SchemaComparer(production)
    differ.compareRoles(old, new)
    for pair in pairs(old.recordTypes, new.recordTypes, by: \.name) {
      switch pair {
      case (let old?, let new?): if old != new { differ.compare(old, new) }
      // `Users` is in each container.
      case (let old?, nil):
        if isImport ? !SystemNames.isManaged(old.name) : old.name != SystemNames.users { differ.remove(old) }
      case (nil, let new?):
        if new.name == SystemNames.users { differ.compare(.users, new) } else { differ.add(new) }
      case (nil, nil): break
      }
    }
    return differ.changes
  }
}

private struct SchemaComparer {
  /// Production's record types and roles; `nil` if unknown.
  private let deployed: (types: [String: RecordType], roles: [Role])?
  private(set) var changes: [SchemaChange] = []

  init(_ production: Schema?) {
    deployed = production.map { (($0.recordTypes + [.users]).keyed(by: \.name), $0.roles) }
  }

  mutating func compareRoles(_ old: Schema, _ new: Schema) {
    let before = Set(old.roles.map(\.name))
    let after = Set(new.roles.map(\.name))
    for role in after.subtracting(before).sorted() { append(.addRole, .addition, role: role) }
    for role in before.subtracting(after).sorted() {
      append(
        .removeRole, .init(risk: .permissionNarrowing, production: .unknown), role: role,
        hint: "users with the role lose what it granted")
    }
  }

  // MARK: Record types

  mutating func add(_ type: RecordType) {
    var verdicts = type.fields.map { addition(of: $0, to: type.name) }
    if let left = deployed?.types[type.name]?.fields.first(where: {
      !$0.isSystem && type[field: $0.name] == nil
    }) {
      let hint = "Production has the field \(left.name), which cannot be left out"
      verdicts.append((verdict: .removal.known(isDeployed: true), hint: hint))
    }
    var worst =
      verdicts.first { $0.verdict.production == .refused }
      ?? verdicts.first { $0.verdict.production == .unknown } ?? (verdict: .addition, hint: nil)
    worst.verdict.risk = type.isWritableByStrangers ? .permissionWidening : .none
    append(.addRecordType, worst.verdict, type.name, hint: worst.hint, whole: type)
  }

  mutating func remove(_ type: RecordType) {
    append(
      .removeRecordType, .removal, type.name, hint: "this deletes all records of the type",
      inProduction: "Production never deletes a type", whole: type)
  }

  mutating func compare(_ old: RecordType, _ new: RecordType) {
    for (before, after) in pairs(old.fields, new.fields, by: \.name) where before != after {
      compare(before, after, in: old.name)
    }
    if old.grants != new.grants { compareGrants(old, new) }
  }

  // MARK: Fields

  private mutating func compare(_ old: Field?, _ new: Field?, in type: String) {
    guard let either = old ?? new else { return }
    let name = either.name
    if either.isSystem {
      return compareIndexes(old?.indexes ?? [], new?.indexes ?? [], of: name, in: type)
    }
    guard let old else {
      let (verdict, hint) = addition(of: either, to: type)
      return append(.addField, verdict, type, name, to: either.declaration, hint: hint)
    }
    guard let new else {
      return append(.removeField, .removal, type, name, from: old.declaration) { $0[field: name] != nil }
    }
    compareTypes(old, new, in: type)
    compareIndexes(old.indexes, new.indexes, of: name, in: type)
  }

  private mutating func compareTypes(_ old: Field, _ new: Field, in type: String) {
    guard old.type != new.type else { return }
    let present = present(new, in: type)
    var verdict = SchemaChangeVerdict.typeChange(from: old.type, to: new.type)
      .known(isDeployed: deployed.map { _ in false })
    if let present { verdict = verdict.joined(with: .typeChange(from: present, to: new.type)) }
    let hint = Self.typeHint(present ?? old.type, new.type)
    append(
      .changeFieldType, verdict, type, old.name, from: old.type.description, to: new.type.description,
      hint: hint,
      inProduction: hint == nil ? "Production never changes the type of a field: add a new field" : nil)
  }

  /// The type that Production has for a field, if it is another.
  private func present(_ field: Field, in type: String) -> DataType? {
    (deployed?.types[type]?[field: field.name]?.type).flatMap { $0 == field.type ? nil : $0 }
  }

  /// The verdict on a new field, which Production may have with another type, and why.
  private func addition(of field: Field, to type: String) -> (verdict: SchemaChangeVerdict, hint: String?) {
    guard let present = present(field, in: type) else { return (.addition, nil) }
    let verdict = SchemaChangeVerdict.addition.joined(with: .typeChange(from: present, to: field.type))
    return (verdict, verdict.production == .refused ? Self.otherType : Self.typeHint(present, field.type))
  }

  private static let otherType =
    "Production has a field of this name with another type: use that type, or another name"

  private static func typeHint(_ old: DataType, _ new: DataType) -> String? {
    if old.isEncrypted != new.isEncrypted {
      return "the encryption of a field cannot be changed: add a new field"
    }
    if case .scalar(.number) = old, case .scalar(.number) = new {
      return "a preference, once chosen, cannot be changed"
    }
    return nil
  }

  private mutating func compareIndexes(
    _ old: EnumSet<Index>, _ new: EnumSet<Index>, of field: String, in type: String
  ) {
    for index in new.subtracting(old) { append(.addIndex, .addition, type, field, to: index.rawValue) }
    for index in old.subtracting(new) {
      append(
        .removeIndex, .init(risk: .indexLoss, production: .unknown), type, field, from: index.rawValue,
        hint: "Development then refuses queries that need it",
        inProduction: "a deployment adds indexes, and Apple does not say whether it drops one in Production: "
          + "release an app without these queries first"
      ) { $0[field: field]?.indexes.contains(index) ?? false }
    }
  }

  // MARK: Grants

  private mutating func compareGrants(_ old: RecordType, _ new: RecordType) {
    let roles = Set(old.grants.map(\.role)).union(new.grants.map(\.role))
    let mayOpen = new.grants.isEmpty && !old.hasDefaultPrivileges
    let mayClose = old.grants.isEmpty && !new.hasDefaultPrivileges
    let isOpenInProduction = deployed.map { $0.types[old.name]?.grants.isEmpty ?? false } ?? true
    for role in roles.sorted() {
      let before = old.privileges(of: role)
      let after = new.privileges(of: role)
      let added = after.subtracting(before)
      let removed = before.subtracting(after)
      if !added.isEmpty {
        let gained = Grant(added, to: role).effective
        let wider = gained.subtracting(old.effectivePrivileges(of: role))
        let isImplied = wider.isEmpty
        let staysImplied = added.isSubset(of: new.inheritedPrivileges(of: role))
        append(
          .addGrant, .init(risk: isImplied ? .none : .permissionWidening), old.name, role: role,
          to: added.list,
          hint: mayClose
            ? "the type had no grant, and whether it then loses the default grants is not known"
            : !isImplied
              ? nil
              : gained.isEmpty
                ? Grant.creatorCreates
                : staysImplied ? "a wider grant allows this already" : "a wider grant allowed this before",
          grantRefusal: !wider.isDisjoint(with: [.create, .write])
            ? "more people may create or change records"
            : !isImplied && [Role.world, Role.icloud].contains(role)
              ? "strangers may read records that they could not read before"
              : mayClose && isOpenInProduction
                ? "released apps may lose what the default grants allow" : nil)
      }
      if !removed.isEmpty {
        let lost = Grant(removed, to: role).effective
        let isImplied = lost.isSubset(of: new.effectivePrivileges(of: role))
        // Without its last grants a type may have the default ones.
        let risk: SchemaChange.Risk =
          mayOpen ? .permissionWidening : isImplied ? .none : .permissionNarrowing
        append(
          .removeGrant, .init(risk: risk, production: .unknown), old.name, role: role, from: removed.list,
          hint: mayOpen
            ? "the type is left without any grant, and whether it then has the default grants is not known"
            : !isImplied ? nil : lost.isEmpty ? Grant.creatorCreates : "a wider grant still allows this",
          grantRefusal: lost.isEmpty && !mayOpen
            ? nil
            : isImplied
              ? "a grant is removed, and production may refuse that"
              : "a privilege is revoked, and released apps may need it"
        ) { !$0.privileges(of: role).isDisjoint(with: removed) }
      }
    }
  }

  /// - Parameters:
  ///   - verdict: the verdict if it is unknown whether Production has what changes.
  ///   - inProduction: a hint that holds only if Production may not take the change.
  ///   - has: whether a record type of Production has what the change removes or replaces.
  private mutating func append(
    _ kind: SchemaChange.Kind, _ verdict: SchemaChangeVerdict, _ recordType: String? = nil,
    _ field: String? = nil, role: String? = nil, from: String? = nil, to: String? = nil, hint: String? = nil,
    inProduction: String? = nil, whole: RecordType? = nil, grantRefusal: String? = nil,
    ifDeployed has: (RecordType) -> Bool = { _ in true }
  ) {
    let isDeployed = deployed.map { production in
      recordType.map { production.types[$0].map(has) ?? false }
        ?? production.roles.contains { $0.name == role }
    }
    let verdict = verdict.known(isDeployed: isDeployed)
    let hints = [hint, verdict.production == .allowed ? nil : inProduction].compactMap(\.self)
    changes.append(
      SchemaChange(
        kind: kind, recordType: recordType, field: field, role: role, from: from, to: to, risk: verdict.risk,
        development: verdict.development, production: verdict.production,
        hint: hints.isEmpty ? nil : hints.joined(separator: "; "), whole: whole?.normalized,
        grantRefusal: grantRefusal))
  }
}

extension RecordType {
  fileprivate var hasDefaultPrivileges: Bool {
    Self.defaultGrants.allSatisfy { $0.privileges.isSubset(of: effectivePrivileges(of: $0.role)) }
  }
}

extension Field {
  /// `LIST<STRING> QUERYABLE`
  package var declaration: String {
    ([type.description] + indexes.map(\.rawValue)).joined(separator: " ")
  }
}

/// Every name of both lists in byte order, with its declaration in each list. If a name is declared twice, the last
/// declaration is used. Sorted lists, such as exports, are not sorted again.
private func pairs<Element>(
  _ old: [Element], _ new: [Element], by name: (Element) -> String
) -> [(old: Element?, new: Element?)] {
  let (old, new) = (inOrder(old, by: name), inOrder(new, by: name))
  var pairs: [(old: Element?, new: Element?)] = []
  var (left, right) = (old.startIndex, new.startIndex)
  while left < old.endIndex || right < new.endIndex {
    let takesLeft = right == new.endIndex || left < old.endIndex && name(new[right]) >= name(old[left])
    let takesRight = left == old.endIndex || right < new.endIndex && name(old[left]) >= name(new[right])
    pairs.append((takesLeft ? old[left] : nil, takesRight ? new[right] : nil))
    if takesLeft { left += 1 }
    if takesRight { right += 1 }
  }
  return pairs
}

private func inOrder<Element>(_ elements: [Element], by name: (Element) -> String) -> [Element] {
  let isOrdered = zip(elements, elements.dropFirst()).allSatisfy { name($0) < name($1) }
  guard !isOrdered else { return elements }
  return Dictionary(elements.map { (name($0), $0) }) { _, last in last }.values.sorted { name($0) < name($1) }
}

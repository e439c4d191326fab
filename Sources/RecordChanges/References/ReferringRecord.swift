package import CloudKitModel
internal import Diagnostics
package import SchemaLanguage

struct ReferringRecord {
  var record: Record
  var field: ReferenceField
  var target: String

  /// The container keeps the target while the record has the field.
  var keepsTarget: Bool { record[field.field]?.validatedTargets.contains(target) ?? false }
}

extension Container {
  /// The links of a field to records. Empty when the container has no such type.
  ///
  /// Throws the container's errors, such as ACCESS_DENIED for a type that the key may not read.
  private func links(of field: ReferenceField, to targets: Set<String>) async throws -> [ReferringRecord] {
    let records: [Record]
    do { records = try await self.records(of: field, to: targets.sorted()) } catch let refusal as ServerError
      where refusal.code == .notFound
    {
      return []
    }
    return records.flatMap { record in
      Set(record[field.field]?.referredNames ?? []).intersection(targets).sorted()
        .map { ReferringRecord(record: record, field: field, target: $0) }
    }
  }

  /// Calls a closure for each link of the fields to records that changes delete.
  ///
  /// - Parameter unreadable: called for a field of a type that the key may not read, with what it may refer to.
  func forEachLink(
    of fields: [ReferenceField], to deletions: [RecordChange],
    unreadable: (ReferenceField, Set<String>) -> Void = { _, _ in }, _ body: (ReferringRecord) -> Void
  ) async throws {
    for field in fields {
      let targets = Set(deletions.filter { field.mayName($0.recordType) }.map(\.recordName))
      guard !targets.isEmpty else { continue }
      do {
        for link in try await links(of: field, to: targets) { body(link) }
      } catch let refusal as ServerError where refusal.code == .accessDenied {
        unreadable(field, targets)
      }
    }
  }

  private func records(of field: ReferenceField, to names: [String]) async throws -> [Record] {
    let everything = Query(field.recordType)
    let desiredKeys = [field.field] + Record.knownNameFields
    do {
      var found: [Record] = []
      for some in names.chunks(of: ContainerLimits.namesPerQuery) {
        guard let value = field.values(Array(some)) else { break }
        var query = everything
        query.filters = [Filter(.init(field.field), .in, value)]
        found += try await allRecords(query, desiredKeys: desiredKeys)
      }
      if field.kind != .list { return found }
    } catch let refusal as ServerError where refusal.code == .badRequest {
      // The field has no index: every record is read.
    }
    return try await allRecords(everything, desiredKeys: desiredKeys)
  }
}

extension ReferenceField {
  /// What a filter compares the field with; `nil` for a list, which is read whole.
  fileprivate func values(_ names: [String]) -> FieldValue? {
    switch kind {
    case .name: .strings(names)
    case .reference: .references(names)
    case .list: nil
    }
  }
}

/// The records that changes refer to and that do not exist, or would not exist after the changes; for a saved plan also
/// those that were retired since.
struct MissingTargets {
  /// What is wrong with each, as a clause.
  private let missing: [String: String]
  private let references: ReferenceFields

  /// Throws the container's errors.
  ///
  /// - Parameter retirement: the field that marks a record as retired; `nil` if retired records may be referred to.
  init(
    of changes: [RecordChange], _ references: ReferenceFields, in container: any Container,
    retirement: String? = nil
  ) async throws {
    self.references = references
    let made = Set(changes.filter { $0.action == .create }.map(\.recordName))
    let deleted = Set(changes.filter { $0.action == .delete }.map(\.recordName))
    let named = Set(changes.flatMap { Self.targets(of: $0, references).map(\.name) })
    let unknown = named.subtracting(made).subtracting(deleted)
    let found = try await container.existingRecords(unknown, desiredKeys: retirement.map { [$0] } ?? [])
    let written = Set(changes.map(\.recordName))
    var missing = Dictionary(
      uniqueKeysWithValues: named.intersection(deleted).map { ($0, "which does not exist") })
    for name in unknown {
      guard let target = found[name] else {
        missing[name] = "which does not exist"
        continue
      }
      if let retirement, !written.contains(name), target[retirement] == .flag(true) {
        missing[name] = "which was retired"
      }
    }
    self.missing = missing
  }

  /// Why a change cannot be made, as words that follow the record's name; `nil` if all it refers to exists.
  ///
  /// - Parameter isAccepted: whether a reference may name a record that is missing.
  func reason(
    against change: RecordChange,
    unless isAccepted: (_ field: String, _ target: String) -> Bool = { _, _ in false }
  ) -> String? {
    for target in Self.targets(of: change, references) where !isAccepted(target.field, target.name) {
      if let reason = missing[target.name] { return "its \(target.field) names '\(target.name)', \(reason)" }
    }
    return nil
  }

  private static func targets(
    of change: RecordChange, _ references: ReferenceFields
  ) -> [(field: String, name: String)] {
    references.of(change.recordType).flatMap { reference in
      let field = change.fields[reference.field]
      let named = Set(field?.from?.referredNames ?? [])
      // System names, such as those of users, begin with an underscore.
      return (field?.to?.referredNames ?? [])
        .filter { !$0.isEmpty && !$0.hasPrefix("_") && !named.contains($0) }.map { (reference.field, $0) }
    }
  }
}

extension [RecordChange] {
  /// The changes, with the deletions that the container would make by itself: of records that refer to a deleted one
  /// with the action DELETE_SELF, and of those that refer to these
  /// (Documentation/reference/web-services.md#references). As changes of their own they are shown, counted and kept in
  /// the history, and undo restores them. Each comes before the record it refers to, as does one that refers to it with the
  /// action VALIDATE.
  ///
  /// A record stays when the changes write another value to the field. Records of types that the key may not read are left
  /// to the container. Throws the container's other errors.
  ///
  /// - Parameter noteReference: called for each record that refers to a deleted one, and does not go with it.
  package func withCascades(
    _ references: ReferenceFields, in container: any Container,
    noteReference: (_ record: Record, _ target: String) -> Void = { _, _ in }
  ) async throws -> [RecordChange] {
    var deleted = Set(filter { $0.action == .delete }.map(\.recordName))
    var cascades: [String: [RecordChange]] = [:]
    var validating: [ReferringRecord] = []
    let written = Dictionary(
      filter { $0.action == .update }.map { ($0.recordName, $0.fields) }, uniquingKeysWith: { $1 })
    var next = filter { $0.action == .delete }
    while !next.isEmpty {
      var found: [RecordChange] = []
      try await container.forEachLink(of: references.all.filter { $0.kind != .name }, to: next) { link in
        let value =
          written[link.record.recordName]?[link.field.field].map(\.to) ?? link.record[link.field.field]
        guard value?.cascadeTargets.contains(link.target) ?? false else {
          if link.keepsTarget { validating.append(link) }
          if value?.referredNames.contains(link.target) ?? false { noteReference(link.record, link.target) }
          return
        }
        guard deleted.insert(link.record.recordName).inserted else { return }
        let deletion = RecordChange(deleting: link.record)
        cascades[link.target, default: []].append(deletion)
        found.append(deletion)
      }
      next = found
    }
    guard !(cascades.isEmpty && validating.isEmpty) else { return self }
    let all = flatMap { change in change.action == .delete ? Self.ordered(change, cascades) : [change] }
    return all.orderedDeletions(validating)
  }

  /// The deletions in an order that the container accepts: a record that refers to another with the action VALIDATE goes
  /// before it. In a circle, the references to records that go earlier are cleared before the first deletion.
  func orderedDeletions(_ links: [ReferringRecord]) -> [RecordChange] {
    let places = indices.filter { self[$0].action == .delete }.keyed { self[$0].recordName }
    let links = Dictionary(grouping: links.filter(\.keepsTarget), by: \.target)
    func referring(to place: Int) -> [(place: Int, link: ReferringRecord)] {
      guard self[place].action == .delete else { return [] }
      return (links[self[place].recordName] ?? []).compactMap { link in
        places[link.record.recordName].map { ($0, link) }
      }
    }
    let order = WritingOrder(count: count) { referring(to: $0).map(\.place).sorted() }
    var changes = self
    for (target, later) in order.later {
      for (place, link) in referring(to: target) where later.contains(place) {
        changes[place].fields[link.field.field] = FieldChange(from: link.record[link.field.field], to: nil)
      }
    }
    return order.indices.map { changes[$0] }
  }

  /// A deletion behind those of the records that go with it.
  private static func ordered(
    _ deletion: RecordChange, _ cascades: [String: [RecordChange]]
  ) -> [RecordChange] {
    var stack = [deletion]
    var reversed: [RecordChange] = []
    while let change = stack.popLast() {
      reversed.append(change)
      stack += cascades[change.recordName] ?? []
    }
    return reversed.reversed()
  }
}

extension Sequence<RecordChange> {
  /// The names of the records that the values of the changes refer to.
  package var referenceTargets: Set<String> {
    Set(flatMap(\.fields.values).flatMap { [$0.from, $0.to] }.flatMap { $0?.references ?? [] })
  }
}

extension RecordChange {
  /// A new record as it is given, with its empty lists.
  package init(creating record: Record, label: String?) {
    self.init(
      .create, recordType: record.recordType, recordName: record.recordName, label: label,
      fields: record.fields.mapValues { FieldChange(to: $0) })
  }

  /// The update or deletion of a record as it was read.
  package init(_ action: Action, of record: Record, label: String?, fields: [String: FieldChange] = [:]) {
    self.init(
      action, recordType: record.recordType, recordName: record.recordName, label: label,
      changeTag: record.changeTag, fields: fields)
  }

  package init(deleting record: Record) { self.init(.delete, of: record, label: nil) }
}

/// A field that holds the names of other records.
package struct ReferenceField: Sendable, Hashable {
  package enum Kind: Sendable, Hashable { case name, reference, list }

  package var recordType: String
  package var field: String
  package var kind: Kind
  /// The types of the records it names; empty for any type.
  package var targets: Set<String>
  /// True if the record is of no use without its target and is deleted with it, instead of keeping it.
  package var isDependent: Bool

  package init(
    _ recordType: String, _ field: String, _ kind: Kind, to targets: Set<String>, isDependent: Bool = false
  ) {
    self.recordType = recordType
    self.field = field
    self.kind = kind
    self.targets = targets
    self.isDependent = isDependent
  }

  func mayName(_ recordType: String) -> Bool { targets.isEmpty || targets.contains(recordType) }
}

/// The fields of a container that name other records: those that are declared with their targets, and every other
/// REFERENCE field of the schema, which may name any record.
///
/// The schema language has no place for a reference's target
/// (Documentation/reference/schema-language.md#types-and-indexes).
package struct ReferenceFields: Sendable {
  package let all: [ReferenceField]

  /// - Parameter declared: fields with known targets. With a schema, those are left out that it does not have, or with
  ///   another type than STRING and REFERENCE.
  package init(_ declared: [ReferenceField], in schema: Schema?) {
    guard let schema else {
      all = declared
      return
    }
    let known = declared.filter { field in
      let type = schema[recordType: field.recordType]?[field: field.field]?.type.primitive
      return type == .reference || type == .plain(.string)
    }
    let names = Set(known.map { [$0.recordType, $0.field] })
    all =
      known
      + schema.recordTypes.flatMap { type in
        type.fields.filter {
          $0.type.primitive == .reference && !$0.isSystem && !names.contains([type.name, $0.name])
        }.map {
          ReferenceField(type.name, $0.name, $0.type == .scalar(.reference) ? .reference : .list, to: [])
        }
      }
  }

  func of(_ recordType: String) -> [ReferenceField] { all.filter { $0.recordType == recordType } }
}

extension FieldValue {
  /// The record names in a REFERENCE field, or a list of them.
  package var references: [String] { leaves.compactMap { $0.reference?.recordName } }

  /// The record names in a STRING or REFERENCE field, or a list of them.
  package var referredNames: [String] { leaves.compactMap(\.referredName) }

  var cascadeTargets: [String] {
    leaves.compactMap(\.reference).filter { $0.action == .deleteSelf }.map(\.recordName)
  }

  private var leaves: [FieldValue] { elements ?? [self] }
}

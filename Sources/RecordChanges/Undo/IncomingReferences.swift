package import CloudKitModel

/// The references to the records that changes would delete. A record that something refers to is kept.
struct IncomingReferences {
  /// A record that refers to another, which therefore cannot be deleted.
  struct Link {
    var recordName: String
    var field: String
    var reason: String
  }

  private var links: [String: [Link]] = [:]
  private var dependent: [String: [RecordChange]] = [:]
  /// The references with the action VALIDATE, also of records that go together.
  private(set) var validating: [ReferringRecord] = []

  /// Throws the container's errors. A type that cannot be read counts as referring to every record.
  ///
  /// - Parameter created: when the records were created, by name, as the container says it. A record that was last changed
  ///   before does not keep one: it referred to nothing until then, because an undo restored what it refers to.
  init(
    _ references: ReferenceFields, in container: any Container, to deletions: [RecordChange],
    created: [String: Timestamp] = [:]
  ) async throws {
    try await container.forEachLink(of: references.all, to: deletions) {
      field, targets in
      let link = Link(
        recordName: "", field: field.field,
        reason: "\(field.recordType) records may refer to it, and cannot be read")
      for target in targets { links[target, default: []].append(link) }
    } _: { link in
      if link.keepsTarget { validating.append(link) }
      let isOlder = created[link.target].flatMap { time in
        link.record.modified.map { $0.timestamp < time }
      }
      if link.field.isDependent || isOlder != true { add(link) }
    }
  }

  /// The references of records that were read already.
  fileprivate init(
    _ references: ReferenceFields, among records: some Sequence<Record>, to deletions: [RecordChange]
  ) {
    let targets = Dictionary(grouping: deletions, by: \.recordName)
    for record in records {
      for field in references.of(record.recordType) {
        for name in Set(record[field.field]?.referredNames ?? []) {
          guard targets[name]?.contains(where: { field.mayName($0.recordType) }) == true else { continue }
          add(ReferringRecord(record: record, field: field, target: name))
        }
      }
    }
  }

  private mutating func add(_ link: ReferringRecord) {
    if link.field.isDependent {
      dependent[link.target, default: []].append(RecordChange(deleting: link.record))
    } else {
      links[link.target, default: []].append(
        Link(
          recordName: link.record.recordName, field: link.field.field,
          reason: link.record.knownName.map { "the \(link.field.recordType) '\($0)' refers to it" }
            ?? "a \(link.field.recordType) record refers to it"))
    }
  }

  func keeping(_ recordName: String) -> [Link] { links[recordName] ?? [] }
  func dependents(_ recordName: String) -> [RecordChange] { dependent[recordName] ?? [] }
}

extension [RecordChange] {
  /// The deletions whose record another one refers to that stays as it is, each with a reference that keeps it.
  ///
  /// Records that go together do not keep each other. A record that is kept keeps what it refers to.
  func keptDeletions(by references: IncomingReferences) -> [String: IncomingReferences.Link] {
    var going = Set(filter { $0.action == .delete }.map(\.recordName))
    let written = Dictionary(
      filter { $0.action != .delete }.map { ($0.recordName, $0) }, uniquingKeysWith: { $1 })
    var kept: [String: IncomingReferences.Link] = [:]
    var isSettled = false
    while !isSettled {
      isSettled = true
      for name in going.sorted() {
        let keeping = references.keeping(name).first { link in
          !going.contains(link.recordName) && written[link.recordName]?.removes(link, name) != true
        }
        guard let keeping else { continue }
        going.remove(name)
        kept[name] = keeping
        isSettled = false
      }
    }
    return kept
  }

  /// The same among records that were read already: the name of a record that keeps it, for each record that is kept.
  package func keptDeletions(
    _ references: ReferenceFields, among records: some Sequence<Record>
  ) -> [String: String] {
    let deletions = filter { $0.action == .delete }
    return keptDeletions(by: IncomingReferences(references, among: records, to: deletions))
      .mapValues(\.recordName)
  }
}

extension RecordChange {
  func removes(_ link: IncomingReferences.Link, _ target: String) -> Bool {
    guard let field = fields[link.field] else { return false }
    return !(field.to.map { $0.referredNames.contains(target) } ?? false)
  }
}

internal import CloudKitModel

/// The references to the records that an undo would delete. A record that something refers to is kept.
struct IncomingReferences {
  /// A record that refers to another, which therefore cannot be deleted.
  struct Link {
    var recordName: String
    var field: String
    /// Why the target is kept.
    var reason: String
  }

  private var links: [String: [Link]] = [:]
  private var dependent: [String: [RecordChange]] = [:]

  /// Throws the container's errors. A type that cannot be read counts as referring to every record.
  init(_ references: ReferenceFields, in container: any Container, to deletions: [RecordChange]) async throws
  {
    let reader = ReferringRecords(in: container)
    for field in references.all {
      let targets = Set(deletions.filter { field.mayName($0.recordType) }.map(\.recordName))
      guard !targets.isEmpty else { continue }
      do {
        for link in try await reader.links(of: field, to: targets) { add(link) }
      } catch let refusal as ServerError where refusal.code == .accessDenied {
        let link = Link(
          recordName: "", field: field.field,
          reason: "\(field.recordType) records may refer to it, and cannot be read")
        for target in targets { links[target, default: []].append(link) }
      }
    }
  }

  private mutating func add(_ link: ReferringRecords.Link) {
    if link.field.isDependent {
      dependent[link.target, default: []].append(RecordChange(deleting: link.record))
    } else {
      links[link.target, default: []].append(
        Link(
          recordName: link.record.recordName, field: link.field.field,
          reason: "a \(link.field.recordType) record refers to it"))
    }
  }

  func keeping(_ recordName: String) -> [Link] { links[recordName] ?? [] }
  func dependents(_ recordName: String) -> [RecordChange] { dependent[recordName] ?? [] }
}

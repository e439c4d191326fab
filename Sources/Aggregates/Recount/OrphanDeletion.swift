internal import CloudKitModel
package import RecordChanges

/// The deletion of sources whose target does not exist.
package struct OrphanDeletion: Sendable {
  /// The deletions. Outputs show only their number, because the record name of a subscription identifies a user.
  package var changes: [RecordChange]
  /// The result of the deletions; `nil` in a dry run.
  package var report: ChangeReport?
}

extension RecountTargets {
  /// Deletions of at most `limit` sources whose target does not exist, including sources with an empty group field. A
  /// source is kept when any record has the name: a query may miss a new target that a lookup finds
  /// (Documentation/reference/web-services.md#index-delay).
  func orphanDeletions(
    of source: AggregateDeclaration.Source, in container: any Container, limit: Int
  ) async throws -> [RecordChange] {
    var found: [(group: String, record: Record)] = []
    try await container.forEachPage(
      of: Query(source.recordType, filters: source.filters), desiredKeys: [source.groupField]
    ) { page in
      for record in page.records where found.count < limit {
        let group = record[source.groupField]?.groupName ?? ""
        let exists = index(of: group).map { self.exists[$0] } ?? false
        if !exists, source.recordNames?.accepts(record.recordName) ?? true { found.append((group, record)) }
      }
    }
    let names = Set(found.map(\.group)).subtracting([""]).sorted()
    let outcomes = try await container.lookupAll(names, desiredKeys: [])
    let taken = Set(zip(names, outcomes).filter { $1.error?.code != .notFound }.map(\.0))
    return found.filter { !taken.contains($0.group) }.map { orphan in
      RecordChange(
        .delete, recordType: orphan.record.recordType, recordName: orphan.record.recordName,
        changeTag: orphan.record.changeTag)
    }
  }
}

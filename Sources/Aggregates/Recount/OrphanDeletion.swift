internal import CloudKitModel
public import RecordChanges

/// The deletion of sources whose target does not exist.
public struct OrphanDeletion: Sendable {
  /// The deletions. Outputs show only their number, because the record name of a subscription identifies a user.
  public var changes: [RecordChange]
  /// The result of the deletions; `nil` in a dry run.
  public var report: ChangeReport?
}

/// Finds sources whose target does not exist, and looks the targets up to be certain.
struct OrphanFinder {
  let declaration: AggregateDeclaration
  let table: RecountTargets
  let container: any Container

  /// Deletions of at most `limit` orphans, including sources with an empty group field. A source is kept when any
  /// record has the name: a query may miss a new target that a lookup finds
  /// (Documentation/reference/web-services.md#index-delay).
  func changes(limit: Int) async throws -> [RecordChange] {
    var found: [(group: String, record: Record)] = []
    let source = declaration.source
    try await container.forEachPage(
      of: Query(source.recordType, filters: source.filters), desiredKeys: [source.groupField]
    ) { page in
      for record in page.records where found.count < limit {
        let group = record[source.groupField]?.groupName ?? ""
        let exists = table.index(of: group).map { table.exists[$0] } ?? false
        if !exists, source.recordNames?.accepts(record.recordName) ?? true { found.append((group, record)) }
      }
    }
    let taken = try await takenNames(Set(found.map(\.group)).subtracting([""]))
    return found.filter { !taken.contains($0.group) }.map { orphan in
      RecordChange(
        .delete, recordType: orphan.record.recordType, recordName: orphan.record.recordName,
        changeTag: orphan.record.changeTag)
    }
  }

  private func takenNames(_ names: Set<String>) async throws -> Set<String> {
    let names = names.sorted()
    var taken: Set<String> = []
    for (name, outcome) in zip(names, try await container.lookupAll(names, desiredKeys: [])) {
      if outcome.error?.code != .notFound { taken.insert(name) }
    }
    return taken
  }
}

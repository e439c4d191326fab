internal import CloudKitModel

/// What a container's own grouping found. Needs no targets, so it can be asked while those are being read.
struct SourceGroups: Sendable {
  private(set) var counts: [(group: String, sources: Int64)] = []
  /// Sources left out for their name.
  private(set) var invalidNames: Int64 = 0

  /// All or nothing: it throws, or every source of the shard was counted.
  static func count(
    _ source: AggregateDeclaration.Source, shard: Shard, with grouping: any GroupCounting
  ) async throws -> SourceGroups {
    var groups = SourceGroups()
    let request = GroupCountRequest(
      recordType: source.recordType, groupField: source.groupField, filters: source.filters,
      recordNames: source.recordNames)
    let leftOut = try await grouping.countGroups(request) { group, count in
      if shard.contains(group) { groups.counts.append((group, count)) }
    }
    // Records left out have no group here: the first part reports them, so that all parts add up.
    groups.invalidNames = shard.index == 1 ? leftOut : 0
    return groups
  }
}

extension SourceCounter {
  func tally(_ groups: SourceGroups) -> Tally {
    var tally = Tally()
    for (group, sources) in groups.counts {
      add(.integer(sources), sources: sources, group: group, into: &tally)
    }
    tally.invalidNames = groups.invalidNames
    return tally
  }
}

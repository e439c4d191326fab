internal import CloudKitModel

extension SourceCounter {
  /// Counts with the container's own grouping. All or nothing: it throws, or every source was counted.
  func count(with grouping: any GroupCounting) async throws -> Tally {
    var tally = Tally()
    let source = declaration.source
    let request = GroupCountRequest(
      recordType: source.recordType, groupField: source.groupField, filters: source.filters,
      recordNames: source.recordNames)
    let leftOut = try await grouping.countGroups(request) { group, count in
      guard shard.contains(group) else { return }
      add(.integer(count), sources: count, group: group, into: &tally)
    }
    // Records left out have no group here: the first part reports them, so that all parts add up.
    tally.invalidNames = shard.index == 1 ? leftOut : 0
    return tally
  }
}

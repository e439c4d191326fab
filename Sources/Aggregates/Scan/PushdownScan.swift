internal import CloudKitModel

/// Counts by the container's own grouping. That needs no targets: it runs while those are being read, and what it
/// found first is tallied while it goes on.
struct PushdownScan: Sendable {
  private typealias Batch = [(group: String, sources: Int64)]

  private let source: AggregateDeclaration.Source
  private let shard: Shard
  private let grouping: any GroupCounting
  private let batches: AsyncStream<Batch>
  private let output: AsyncStream<Batch>.Continuation

  init(_ source: AggregateDeclaration.Source, shard: Shard, with grouping: any GroupCounting) {
    self.source = source
    self.shard = shard
    self.grouping = grouping
    (batches, output) = AsyncStream.makeStream()
  }

  /// All or nothing: throws, or every source of the shard was handed to ``tally(by:)``.
  ///
  /// - Returns: how many sources were left out for their name.
  func count() async throws -> Int64 {
    defer { output.finish() }
    let request = GroupCountRequest(
      recordType: source.recordType, groupField: source.groupField, filters: source.filters,
      recordNames: source.recordNames)
    var batch: Batch = []
    let leftOut = try await grouping.countGroups(request) { group, count in
      guard shard.contains(group) else { return }
      batch.append((group, count))
      if batch.count == 1000 {
        output.yield(batch)
        batch.removeAll()
      }
    }
    output.yield(batch)
    // Records left out have no group here: the first part reports them, so that all parts add up.
    return shard.index == 1 ? leftOut : 0
  }

  /// Ends with the counting, and holds what that handed over: only when it did not throw, all there is.
  func tally(by counter: SourceCounter) async throws -> Tally {
    var tally = Tally()
    for await batch in batches {
      for (group, sources) in batch {
        counter.add(.integer(sources), sources: sources, group: group, into: &tally)
      }
    }
    // A cancelled stream ends like a finished one.
    try Task.checkCancellation()
    return tally
  }
}

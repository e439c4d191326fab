internal import CloudKitModel

/// Lets the container count groups. Counting needs no targets, so it runs while they are read, and its first results
/// are tallied while it continues.
struct PushdownScan: Sendable {
  private let source: AggregateDeclaration.Source
  private let shard: RecountShard
  private let grouping: any GroupCountingContainer
  private let batches: AsyncStream<[GroupCount]>
  private let output: AsyncStream<[GroupCount]>.Continuation

  init(_ source: AggregateDeclaration.Source, shard: RecountShard, with grouping: any GroupCountingContainer)
  {
    self.source = source
    self.shard = shard
    self.grouping = grouping
    (batches, output) = AsyncStream.makeStream()
  }

  /// Counts all sources of the shard and passes them to ``tally(by:)``. Throws the container's error, and then the
  /// tally must not be used.
  ///
  /// - Returns: how many sources were not counted because of their record name.
  func count() async throws -> Int64 {
    defer { output.finish() }
    let request = GroupCountRequest(
      recordType: source.recordType, groupField: source.groupField, filters: source.filters,
      recordNames: source.recordNames)
    let skipped = try await grouping.countGroups(request) { [output, shard] counts in
      output.yield(counts.filter { shard.contains($0.group) })
    }
    // Skipped sources have no group here. The first shard reports them, so that the sum over all shards is right.
    return shard.index == 1 ? skipped : 0
  }

  /// The tally of all groups. It ends when ``count()`` does, and is complete only if that did not throw.
  func tally(by counter: SourceCounter) async throws -> GroupTally {
    var tally = GroupTally()
    for await counts in batches {
      for count in counts {
        counter.add(.integer(count.records), sources: count.records, group: count.group, into: &tally)
      }
    }
    // A cancelled stream ends like a finished one.
    try Task.checkCancellation()
    return tally
  }
}

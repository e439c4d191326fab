internal import CloudKitModel
internal import RecordChanges

/// Reads the sources: the units of a plan in parallel, each page by page.
struct SourceScan: Sendable {
  let container: any Container
  let counter: SourceCounter
  let isReference: Bool
  let concurrency: Int
  let progress: ScanProgress

  /// Reads the units that are left. Does not throw: returns what ended the scan early, and the progress keeps what was
  /// read before.
  func runRemaining() async -> (any Error)? {
    let checkpoint = await progress.checkpoint
    let failure = await run(checkpoint.units, checkpoint.remaining)
    return (failure as? RepeatedPagesError)?.failure(of: counter.declaration.source.recordType) ?? failure
  }

  private func run(_ units: [ScanQuery], _ remaining: [Int]) async -> (any Error)? {
    await withTaskGroup(of: (any Error)?.self) { group in
      var waiting = remaining.makeIterator()
      func startNext() {
        guard let unit = waiting.next() else { return }
        group.addTask { await read(units[unit], number: unit) }
      }
      for _ in 0..<max(1, concurrency) { startNext() }
      var failure: (any Error)?
      var failures = 0
      while let result = await group.next() {
        if let result {
          failure = failure ?? result
          failures += 1
        }
        // A single query may fail for its own reason. When three fail, the others would fail, too.
        if let failure, failures >= 3 || failure.endsScan {
          group.cancelAll()
        } else {
          startNext()
        }
      }
      return failure
    }
  }

  /// Reads the unit. If the markers repeat, reads it again from its start.
  private func read(_ unit: ScanQuery, number: Int) async -> (any Error)? {
    var partial = await progress.partial(number)
    var attempt = 1
    while true {
      let isResumed = partial.marker != nil && attempt == 1
      do {
        try await readPages(of: unit, number: number, &partial)
        return nil
      } catch let error
        where (error is RepeatedPagesError || isResumed && error.isUnknownMarker)
        && RetryPolicy.pages.permits(attemptAfter: attempt)
      {
        partial = ScanCheckpoint.Partial()
        attempt += 1
      } catch {
        if !(error is RepeatedPagesError) { await progress.keep(partial, of: number) }
        return error
      }
    }
  }

  private func readPages(
    of unit: ScanQuery, number: Int, _ partial: inout ScanCheckpoint.Partial
  ) async throws {
    let source = counter.declaration.source
    let query = unit.query(of: source, groups: counter.table.groups, isReference: isReference)
    let request = QueryRequest(
      query, desiredKeys: counter.desiredKeys, resultsLimit: ContainerLimits.recordsPerRequest,
      continuationMarker: partial.marker)
    try await container.followMarkers(of: request) { page in
      counter.count(page.records, among: unit.covered, into: &partial.tally)
      guard let marker = page.continuationMarker else { return true }
      partial.marker = marker
      if try await progress.pageRead() { await progress.keep(partial, of: number) }
      return true
    }
    try await progress.finish(number, partial.tally)
  }
}

extension Error {
  /// The container no longer knows the marker of an earlier run.
  fileprivate var isUnknownMarker: Bool { (self as? ServerError)?.code == .badRequest }

  /// Other queries would fail in the same way, or must not be tried.
  fileprivate var endsScan: Bool {
    switch self {
    case is CancellationError, is LeaseError, is ScanCheckpointFile.Unusable: true
    case let failure as ContainerFailure: !failure.leavesWriteOpen
    case let refusal as ServerError:
      refusal.isTransient || refusal.code == .accessDenied || refusal.code == .authenticationFailed
    default: false
    }
  }
}

/// Collects the results of the queries of a scan, and saves them to the checkpoint file while the scan runs.
actor ScanProgress {
  private(set) var checkpoint: ScanCheckpoint
  private let operation: AggregateDeclaration.Operation
  private let file: ScanCheckpointFile?
  /// Called after each page with the number of pages read. Throws when the run must end.
  private let onPage: @Sendable (_ pages: Int) async throws -> Void
  private var pages = 0
  /// The first save is early, for a run that is killed soon.
  private var nextSave = ContinuousClock.now
  /// Pages until the save that is due: so that each query that is in flight has kept its state.
  private var pagesToSave: Int
  private let pagesInFlight: Int

  init(
    _ checkpoint: ScanCheckpoint, _ operation: AggregateDeclaration.Operation, file: ScanCheckpointFile?,
    onPage: @escaping @Sendable (_ pages: Int) async throws -> Void
  ) {
    self.checkpoint = checkpoint
    self.operation = operation
    self.file = file
    self.onPage = onPage
    pagesInFlight = min(16, checkpoint.remaining.count + 1)
    pagesToSave = pagesInFlight
  }

  func partial(_ unit: Int) -> ScanCheckpoint.Partial {
    checkpoint.partials[unit] ?? ScanCheckpoint.Partial()
  }

  func keep(_ partial: ScanCheckpoint.Partial, of unit: Int) {
    if partial.marker != nil, !checkpoint.done.contains(unit) { checkpoint.partials[unit] = partial }
  }

  /// Returns true when the caller should pass its state to `keep`, because the next save is near.
  func pageRead() async throws -> Bool {
    pages += 1
    try await onPage(pages)
    guard file != nil, ContinuousClock.now >= nextSave else { return false }
    pagesToSave -= 1
    if pagesToSave == 0 {
      let start = ContinuousClock.now
      try save()
      // Saving takes time in proportion to the groups, and should stay a small part of the run.
      nextSave = start + max(.seconds(2), (ContinuousClock.now - start) * 30)
      pagesToSave = pagesInFlight
    }
    return true
  }

  func finish(_ unit: Int, _ tally: GroupTally) async throws {
    checkpoint.finish(unit, tally, operation)
    _ = try await pageRead()
  }

  func save() throws { try file?.save(checkpoint) }
}

/// Lets the container count groups. Counting needs no targets, so it runs while they are read, and its first results
/// are tallied while it continues.
struct PushdownScan: Sendable {
  let source: AggregateDeclaration.Source
  let shard: RecountShard
  let grouping: any GroupCountingContainer
  /// Checks each name against its creator; `nil` does not, which is faster.
  let names: CreatorNames?
  let batches = AsyncStream<[GroupCount]>.makeStream()

  /// Counts all sources of the shard and passes them to ``tally(by:)``. Throws the container's error, and then the
  /// tally must not be used.
  ///
  /// - Returns: how many sources were not counted because of their record name.
  func count() async throws -> Int64 {
    defer { batches.continuation.finish() }
    let request = GroupCountRequest(
      recordType: source.recordType, groupField: source.groupField, filters: source.filters,
      recordNames: source.recordNames, creatorNames: names)
    let skipped = try await grouping.countGroups(request) { [output = batches.continuation, shard] counts in
      output.yield(counts.filter { shard.contains($0.group) })
    }
    // Skipped sources have no group here. The first shard reports them, so that the sum over all shards is right.
    return shard.index == 1 ? skipped : 0
  }

  /// The tally of all groups. It ends when ``count()`` does, and is complete only if that did not throw.
  func tally(by counter: SourceCounter) async throws -> GroupTally {
    var tally = GroupTally()
    for await counts in batches.stream {
      for count in counts { counter.add(count, into: &tally) }
    }
    // A cancelled stream ends like a finished one.
    try Task.checkCancellation()
    return tally
  }
}

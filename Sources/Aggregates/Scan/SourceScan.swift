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
    var markers = PageLoopDetector()
    while true {
      try Task.checkCancellation()
      let page = try await container.query(
        QueryRequest(
          query, desiredKeys: counter.desiredKeys, resultsLimit: ContainerLimits.recordsPerRequest,
          continuationMarker: partial.marker))
      for record in page.records { counter.count(record, into: &partial.tally) }
      guard let marker = page.continuationMarker else { break }
      try markers.pass(marker)
      partial.marker = marker
      if try await progress.pageRead() { await progress.keep(partial, of: number) }
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

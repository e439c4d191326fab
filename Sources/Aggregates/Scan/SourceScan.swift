internal import CloudKitModel
internal import RecordChanges
internal import SchemaLanguage

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
    let first: (any Error)? = await withTaskGroup(of: (any Error)?.self) { group in
      var waiting = checkpoint.remaining.makeIterator()
      func startNext() {
        guard let unit = waiting.next() else { return }
        group.addTask { await read(checkpoint.units[unit], number: unit) }
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
    return (first as? RepeatedPagesError)?.failure(of: counter.declaration.source.recordType) ?? first
  }

  /// Reads the unit. If the markers repeat, reads it again from its start.
  private func read(_ unit: ScanQuery, number: Int) async -> (any Error)? {
    let source = counter.declaration.source
    var query = Query(source.recordType, filters: source.filters)
    if let members = unit.groups?.map({ counter.table.groups[$0] }) {
      let list: FieldValue = isReference ? .references(members) : .strings(members)
      query.filters.append(Filter(.init(source.groupField), .in, list))
    }
    var marker = await progress.checkpoint.partials[number]?.marker
    var attempt = 1
    while true {
      let request = QueryRequest(
        query, desiredKeys: counter.desiredKeys, resultsLimit: ContainerLimits.recordsPerRequest,
        continuationMarker: marker)
      do {
        try await container.followMarkers(of: request) { page in
          try await progress.add(page, of: number, counter)
          return true
        }
        return nil
      } catch {
        let repeats = error is RepeatedPagesError
        guard repeats || marker != nil && error.isUnknownMarker else { return error }
        await progress.forget(number)
        guard RetryPolicy.pages.permits(attemptAfter: attempt) else { return error }
        marker = nil
        attempt += 1
      }
    }
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

  init(
    _ checkpoint: ScanCheckpoint, _ operation: AggregateDeclaration.Operation, file: ScanCheckpointFile?,
    onPage: @escaping @Sendable (_ pages: Int) async throws -> Void
  ) {
    self.checkpoint = checkpoint
    self.operation = operation
    self.file = file
    self.onPage = onPage
  }

  func add(_ page: QueryPage, of unit: Int, _ counter: SourceCounter) async throws {
    // Taken out, so that it is not copied.
    var partial = checkpoint.partials.removeValue(forKey: unit) ?? ScanCheckpoint.Partial()
    counter.count(page.records, among: checkpoint.units[unit].covered, into: &partial.tally)
    partial.marker = page.continuationMarker
    if partial.marker == nil {
      checkpoint.finish(unit, partial.tally, operation)
    } else {
      checkpoint.partials[unit] = partial
    }
    pages += 1
    try await onPage(pages)
    guard file != nil, ContinuousClock.now >= nextSave else { return }
    let start = ContinuousClock.now
    try save()
    // Saving takes time in proportion to the groups, and should stay a small part of the run.
    nextSave = start + max(.seconds(2), (ContinuousClock.now - start) * 30)
  }

  /// Leaves out what was read of a query, which is read again from its start.
  func forget(_ unit: Int) { checkpoint.partials[unit] = nil }

  func save() throws { try file?.save(checkpoint) }
}

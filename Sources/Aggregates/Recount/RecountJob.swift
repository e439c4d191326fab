internal import CloudKitModel
internal import RecordChanges
internal import SchemaLanguage

/// The work that all recounts share: counts requests, holds the lease, writes the changes and measures the time.
struct RecountJob: Sendable {
  /// Counts requests. Refuses writes in a dry run.
  let container: RequestCounter
  /// `nil` when the schema has no AdminLease type.
  let lease: Lease?
  private let options: RecountOptions
  private let environment: RecountEnvironment

  init(
    _ name: String, schema: Schema, container: any Container, options: RecountOptions,
    environment: RecountEnvironment
  ) {
    self.options = options
    self.environment = environment
    let counter = RequestCounter(options.dryRun ? ReadOnlyContainer(container) : container)
    self.container = counter
    lease = schema[recordType: Lease.recordType].map { _ in
      Lease(
        job: name, shard: options.shard, holder: environment.runID, container: counter, now: environment.now)
    }
  }

  /// - Parameters:
  ///   - earlier: the claim of the run that this one continues.
  ///   - body: counts. `isCurrent` is false when another run has written since that claim, so that earlier counts
  ///     must not be used.
  func run(
    continuing earlier: Lease.Claim? = nil, _ body: (_ isCurrent: Bool) async throws -> RecountOutcome
  ) async throws -> RecountOutcome {
    let start = environment.uptime()
    let isCurrent = try await lease?.observe(continuing: earlier) ?? true
    do {
      var outcome = try await body(isCurrent)
      if let failure = await lease?.release() { outcome.notes.append(Lease.unreleased(failure)) }
      outcome.result.requests = container.counts
      outcome.result.elapsedSeconds = (environment.uptime() - start) / .seconds(1)
      if lease == nil { outcome.notes.append(Lease.missing) }
      return outcome
    } catch {
      await lease?.release()
      throw error
    }
  }

  /// Writes the changes, unless it is a dry run, and records the result in the outcome.
  func write(_ changes: some Sequence<RecordChange>, _ outcome: inout RecountOutcome) async throws {
    let changed = outcome.result.changed
    if options.dryRun {
      outcome.preview = Array(changes.prefix(RecountOutcome.maxPreviewed))
      outcome.status = changed == 0 ? .done : .planned
      outcome.result.complete = true
      return
    }
    if changed > 0 {
      let publisher = ChangePublisher(container: container, lease: lease, wait: environment.wait)
      let report = try await publisher.publish(Array(changes))
      outcome.report = report
      outcome.failure = outcome.failure ?? report.interruption
      outcome.result.written = Int64(report.applied)
      outcome.result.conflicts = Int64(report.conflicts)
    }
    let isWritten = outcome.report?.isComplete ?? true
    outcome.status = isWritten ? .done : .unwritten
    outcome.result.complete = isWritten
  }
}

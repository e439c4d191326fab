public import CloudKitModel
internal import Diagnostics
internal import RecordChanges
public import SchemaLanguage

/// Makes one declared aggregate true: reads the targets, counts the sources, and writes what differs.
///
/// A target is written only when every source that counts towards it was read in this run, continued runs
/// included. Sources that come and go meanwhile may or may not be counted: each value is the truth at some moment
/// of the run. Counts are a lower bound of real subscribers: users who are not signed in leave no record
/// (needs.md statement 14).
public struct Recount: Sendable {
  private let declaration: AggregateDeclaration
  private let schema: Schema
  private let requests: RequestCounter
  private let grouping: (any GroupCounting)?
  private let options: RecountOptions
  private let environment: RecountEnvironment
  private let lease: Lease?

  /// - Parameters:
  ///   - schema: the container's schema; the declaration must fit it.
  ///   - container: read through, and written through unless it is a dry run.
  ///   - grouping: the container's own way to count groups, when it has one. Named apart because a container
  ///     wrapped for reading only, or for counting requests, does not show it.
  public init(
    _ declaration: AggregateDeclaration, schema: Schema, container: any Container,
    grouping: (any GroupCounting)?, options: RecountOptions = RecountOptions(),
    environment: RecountEnvironment
  ) {
    self.declaration = declaration
    self.schema = schema
    self.grouping = grouping
    self.options = options
    self.environment = environment
    requests = RequestCounter(options.dryRun ? ReadOnlyContainer(container) : container)
    lease = Lease.forJob("recount \(declaration.name)", schema, requests, options, environment)
  }

  /// Counts and, unless it is a dry run, writes. Throws ``RecountError`` and what the container throws while
  /// nothing is counted yet; later failures are in the outcome, beside what was proven before them.
  public func run() async throws -> RecountOutcome {
    let start = environment.uptime()
    let findings = declaration.check(against: schema)
    if findings.hasErrors { throw RecountError.invalidDeclaration(findings) }
    try await lease?.observe()
    do {
      var outcome = try await count()
      await lease?.release()
      outcome.result.requests = requests.counts
      outcome.result.elapsedSeconds = (environment.uptime() - start) / .seconds(1)
      return outcome
    } catch {
      await lease?.release()
      throw error
    }
  }

  /// Reads the targets and says how the sources would be read.
  public func plan() async throws -> ScanPlan {
    let table = try await TargetTable.load(declaration.targets, shard: options.shard, from: requests)
    return try planner(table).plan(options.strategy, needsOrphans: false)
  }

  private func count() async throws -> RecountOutcome {
    let earlier = try earlierScan()
    let table = try await TargetTable.load(
      declaration.targets, shard: options.shard, groups: earlier?.groups ?? [], from: requests)
    let (plan, checkpoint) = try begin(earlier, table)
    if !options.dryRun, plan.expectedSeconds > options.leaseThreshold { try await lease?.acquire() }
    let (scan, failure) = try await read(plan, checkpoint, table)
    return try await settle(scan, failure, table, plan)
  }

  // MARK: Beginning

  private func earlierScan() throws -> Checkpoint? {
    guard let checkpoint = try options.checkpoint?.load() else { return nil }
    guard checkpoint.fingerprint == fingerprint else {
      throw RecountError.checkpointMismatch(
        "the checkpoint belongs to another aggregate, container or shard")
    }
    let age = (environment.now().milliseconds - checkpoint.startedAt) / 1000
    guard age <= options.checkpointLifetime else {
      throw RecountError.checkpointMismatch("the checkpoint was begun \(age / 3600) hours ago")
    }
    return checkpoint
  }

  private func begin(_ earlier: Checkpoint?, _ table: TargetTable) throws -> (ScanPlan, Checkpoint) {
    var plan = try planner(table).plan(earlier?.strategy ?? options.strategy, needsOrphans: false)
    if let earlier {
      plan.units = earlier.units
      return (plan, earlier)
    }
    let checkpoint = Checkpoint(
      fingerprint: fingerprint, startedAt: environment.now().milliseconds, strategy: plan.strategy,
      groups: table.groups, units: plan.units)
    return (plan, checkpoint)
  }

  private var fingerprint: String {
    let container = "\(requests.identity.name) \(requests.identity.environment.rawValue)"
    return Checkpoint.fingerprint(declaration, container: container, shard: options.shard)
  }

  private func planner(_ table: TargetTable) throws -> ScanPlanner {
    if options.strategy == .bucketed, declaration.source.bucketField == nil {
      throw RecountError.strategyUnavailable(
        "\(declaration.source.recordType) has no bucket field to divide the sources by")
    }
    if options.strategy == .pushdown, grouping == nil || declaration.operation != .count {
      throw RecountError.strategyUnavailable(
        "this container does not group '\(declaration.name)' on the spot")
    }
    return ScanPlanner(
      declaration: declaration, table: table, shard: options.shard, assumptions: options.assumptions,
      canPushDown: grouping != nil)
  }

  // MARK: Reading

  private func read(
    _ plan: ScanPlan, _ checkpoint: Checkpoint, _ table: TargetTable
  ) async throws -> (Checkpoint, (any Error)?) {
    let counter = SourceCounter(declaration: declaration, table: table, shard: options.shard)
    if plan.strategy == .pushdown, let grouping {
      var checkpoint = checkpoint
      checkpoint.tally = try await counter.count(with: grouping)
      return (checkpoint, nil)
    }
    let lease = lease
    let progress = ScanProgress(checkpoint, declaration.operation, file: options.checkpoint) {
      try await lease?.renewIfDue()
    }
    let type = schema[recordType: declaration.source.recordType]?[field: declaration.source.groupField]?.type
    let scan = SourceScan(
      container: requests, counter: counter, isReference: type == .reference,
      concurrency: options.assumptions.concurrency, progress: progress)
    let failure = await scan.run(checkpoint.units, checkpoint.remaining)
    try await progress.save()
    return (await progress.checkpoint, failure)
  }

  // MARK: Settling

  private func settle(
    _ scan: Checkpoint, _ failure: (any Error)?, _ table: TargetTable, _ plan: ScanPlan
  ) async throws -> RecountOutcome {
    let values = TargetValues(
      declaration: declaration, schema: schema, table: table, scan: scan,
      minimumPublished: options.minimumPublished)
    let unproven = values.unprovenGroups
    var outcome = RecountOutcome(
      status: .unread(groups: unproven), result: figures(scan, table), plan: plan, changes: values.changes,
      failure: failure, notes: lease == nil ? [Lease.missing] : [])
    outcome.result.changed = Int64(outcome.changes.count)
    if let failure, failure.forbidsWriting { return outcome }
    let falls = options.dropGuard.falls(in: values.watched)
    if !falls.isEmpty {
      outcome.status = .stopped(falls)
      return outcome
    }
    if !options.dryRun { try await write(&outcome) }
    let isWritten = outcome.changes.isEmpty || outcome.report?.isComplete == true
    outcome.result.complete = unproven == 0 && (isWritten || options.dryRun)
    if unproven == 0 { outcome.status = isWritten ? .done : options.dryRun ? .planned : .unwritten }
    if outcome.status == .done { try options.checkpoint?.remove() }
    return outcome
  }

  private func write(_ outcome: inout RecountOutcome) async throws {
    guard !outcome.changes.isEmpty else { return }
    let publisher = ChangePublisher(container: requests, lease: lease, wait: environment.wait)
    let report = try await publisher.publish(outcome.changes)
    outcome.report = report
    outcome.failure = outcome.failure ?? report.interruption
    outcome.result.written = Int64(report.applied)
    outcome.result.conflicts = Int64(report.conflicts)
  }

  private func figures(_ scan: Checkpoint, _ table: TargetTable) -> RecountResult {
    var result = RecountResult(aggregate: declaration.name, strategy: scan.strategy)
    let tally = scan.tally
    result.sources = tally.sources
    result.orphans = tally.orphans
    result.invalidNames = tally.invalidNames
    result.targets = Int64(table.rows.count)
    return result
  }
}

extension Lease {
  static let missing =
    "the schema has no record type \(recordType): overlapping runs are not kept apart"

  /// The lease of a job; `nil` when the schema has no place for it.
  static func forJob(
    _ job: String, _ schema: Schema, _ container: any Container, _ options: RecountOptions,
    _ environment: RecountEnvironment
  ) -> Lease? {
    guard schema[recordType: recordType] != nil else { return nil }
    return Lease(
      job: job, shard: options.shard, holder: environment.runID, container: container, now: environment.now)
  }
}

extension Error {
  /// The run was told to end, or no longer has the right to write.
  fileprivate var forbidsWriting: Bool {
    switch self {
    case is CancellationError, is RecountError, is CheckpointFile.Unusable: true
    default: false
    }
  }
}

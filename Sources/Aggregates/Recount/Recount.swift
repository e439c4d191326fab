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
  private let grouping: (any GroupCounting)?
  private let options: RecountOptions
  private let environment: RecountEnvironment
  private let job: RecountJob

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
    job = RecountJob(
      "recount \(declaration.name)", schema: schema, container: container, options: options,
      environment: environment)
  }

  /// Counts and, unless it is a dry run, writes. Throws ``RecountError`` and what the container throws while
  /// nothing is counted yet; later failures are in the outcome, beside what was proven before them.
  public func run() async throws -> RecountOutcome {
    let findings = declaration.check(against: schema)
    if findings.hasErrors { throw RecountError.invalidDeclaration(findings) }
    try checkStrategy()
    let earlier = try options.checkpoint?.load()
    if let earlier, earlier.fingerprint != fingerprint {
      throw RecountError.checkpointMismatch(
        "the checkpoint belongs to another aggregate, container or shard")
    }
    return try await job.run(continuing: earlier?.claim) { isCurrent in
      let outdated = earlier.flatMap { isCurrent ? reasonToStartAnew($0) : Self.overtaken }
      var outcome = try await count(outdated == nil ? earlier : nil)
      if let outdated { outcome.notes.append(outdated) }
      return outcome
    }
  }

  /// What it would cost on CloudKit, which counts nothing itself. Reads the targets, for their last results, and
  /// nothing else.
  ///
  /// - Parameter size: instead of the container's own; then nothing is read at all.
  public func estimate(_ size: RecountEstimate.Size? = nil) async throws -> RecountEstimate {
    let findings = declaration.check(against: schema)
    if findings.hasErrors { throw RecountError.invalidDeclaration(findings) }
    try checkStrategy()
    let table: TargetTable
    if let size {
      table = TargetTable(made: size)
    } else {
      table = try await TargetTable.load(declaration.targets, shard: options.shard, from: job.container)
    }
    let plan = planner(table, canPushDown: false)
      .plan(options.strategy, needsOrphans: options.pruneOrphans)
    let targets = declaration.targets.indices.map { number in
      Int64(size?.groups ?? table.rows.count { $0.target == number })
    }
    return RecountEstimate(declaration.name, plan, targets: targets, options.assumptions)
  }

  private func count(_ earlier: Checkpoint?) async throws -> RecountOutcome {
    let pushdown = earlier == nil ? pushdownScan : nil
    async let leftOut = pushdown?.count() ?? 0
    let table = try await TargetTable.load(
      declaration.targets, shard: options.shard, groups: earlier?.groups ?? [], from: job.container)
    var plan = planner(table).plan(
      earlier?.strategy ?? options.strategy, needsOrphans: options.pruneOrphans)
    var checkpoint =
      earlier
      ?? Checkpoint(
        fingerprint: fingerprint, startedAt: environment.now().milliseconds, strategy: plan.strategy,
        groups: table.groups, units: plan.units)
    plan.units = checkpoint.units
    checkpoint.claim = await job.lease?.claim
    if let pushdown {
      checkpoint.tally = try await pushdown.tally(by: counter(table))
      checkpoint.tally.invalidNames = try await leftOut
      return try await settle(checkpoint, nil, table, plan)
    }
    let (scan, failure) = try await read(plan, checkpoint, table)
    if let refusal = failure as? RecountError { throw refusal }
    return try await settle(scan, failure, table, plan)
  }

  // MARK: Beginning

  private static let overtaken =
    "another run has written since the checkpoint was begun: this run counted from the start"

  private func reasonToStartAnew(_ checkpoint: Checkpoint) -> String? {
    let age = (environment.now().milliseconds - checkpoint.startedAt) / 1000
    guard age > options.checkpointLifetime else { return nil }
    return "the checkpoint was begun \(age / 3600) hours ago: this run counted from the start"
  }

  /// `nil` when the sources must be read, because the container does not count them itself.
  private var pushdownScan: PushdownScan? {
    guard let grouping, isPushedDown else { return nil }
    return PushdownScan(declaration.source, shard: options.shard, with: grouping)
  }

  private var isPushedDown: Bool {
    [nil, .pushdown].contains(options.strategy) && grouping != nil && declaration.operation == .count
  }

  private var fingerprint: String {
    let container = "\(job.container.identity.name) \(job.container.identity.environment.rawValue)"
    return Checkpoint.fingerprint(declaration, container: container, shard: options.shard)
  }

  private func checkStrategy() throws {
    if options.strategy == .pushdown, grouping == nil || declaration.operation != .count {
      throw RecountError.strategyUnavailable("this container cannot count '\(declaration.name)' itself")
    }
    if options.pruneOrphans, options.strategy == .names || !options.shard.isWhole {
      throw RecountError.strategyUnavailable(
        "orphans can only be removed after a complete sweep of sources and targets")
    }
  }

  private func planner(_ table: TargetTable, canPushDown: Bool = true) -> ScanPlanner {
    ScanPlanner(
      declaration: declaration, table: table, shard: options.shard, assumptions: options.assumptions,
      canPushDown: canPushDown && grouping != nil)
  }

  // MARK: Reading

  private func read(
    _ plan: ScanPlan, _ checkpoint: Checkpoint, _ table: TargetTable
  ) async throws -> (Checkpoint, (any Error)?) {
    let lease = options.dryRun ? nil : job.lease
    let progress = ScanProgress(
      checkpoint, declaration.operation, file: options.checkpoint,
      heartbeat: { try await lease?.renewIfDue() },
      settled: { scan in if values(of: scan, table).hasChanges { try await lease?.acquire() } })
    let failure = await sourceScan(table, progress).runRemaining()
    try await progress.save()
    return (await progress.checkpoint, failure)
  }

  private func sourceScan(_ table: TargetTable, _ progress: ScanProgress) -> SourceScan {
    let type = schema[recordType: declaration.source.recordType]?[field: declaration.source.groupField]?.type
    return SourceScan(
      container: job.container,
      counter: counter(table),
      isReference: type == .reference, concurrency: options.assumptions.concurrency, progress: progress)
  }

  private func counter(_ table: TargetTable) -> SourceCounter {
    SourceCounter(declaration: declaration, table: table, shard: options.shard)
  }

  // MARK: Settling

  private func settle(
    _ scan: Checkpoint, _ failure: (any Error)?, _ table: TargetTable, _ plan: ScanPlan
  ) async throws -> RecountOutcome {
    let values = values(of: scan, table)
    let unproven = values.unprovenGroups
    var outcome = RecountOutcome(
      status: .unread(groups: unproven), result: figures(scan, table), plan: plan, failure: failure)
    outcome.result.changed = Int64(values.changedRows)
    if let failure, failure.forbidsWriting { return outcome }
    let falls = options.dropGuard.falls(in: values.watched)
    if !falls.isEmpty {
      outcome.status = .stopped(falls)
      return outcome
    }
    try await job.write(values.changes, &outcome)
    if unproven > 0 || !scan.isComplete {
      outcome.status = .unread(groups: unproven)
      outcome.result.complete = false
    }
    if outcome.status == .done { try options.checkpoint?.remove() }
    if options.pruneOrphans, outcome.result.complete, outcome.result.orphans > 0 {
      outcome.pruning = try await prune(table)
    }
    return outcome
  }

  private func values(of scan: Checkpoint, _ table: TargetTable) -> TargetValues {
    TargetValues(
      declaration: declaration, schema: schema, table: table, scan: scan,
      minimumPublished: options.minimumPublished)
  }

  private func prune(_ table: TargetTable) async throws -> OrphanPruning {
    let finder = OrphanFinder(declaration: declaration, table: table, container: job.container)
    let changes = try await finder.changes(limit: options.pruneLimit)
    var pruning = OrphanPruning(changes: changes)
    guard !options.dryRun else { return pruning }
    let publisher = ChangePublisher(container: job.container, lease: job.lease, wait: environment.wait)
    // Without anything to remove no lease is taken either.
    pruning.report =
      changes.isEmpty ? ChangeReport() : try await publisher.publish(changes, policy: .refuse)
    return pruning
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

extension Error {
  /// The run was told to end, or no longer has the right to write.
  fileprivate var forbidsWriting: Bool {
    switch self {
    case is CancellationError, is RecountError, is CheckpointFile.Unusable: true
    default: false
    }
  }
}

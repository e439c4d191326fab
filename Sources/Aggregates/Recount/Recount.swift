public import CloudKitModel
internal import Diagnostics
public import RecordChanges
public import SchemaLanguage

/// Recounts one aggregate: reads the targets, counts the sources, and writes the values that differ.
///
/// A target is written only when this run, or the run it continues, read all sources that count toward it. Sources
/// that are created or deleted during the run may or may not be counted, and one that moves to another target may be
/// counted for both.
public struct Recount: Sendable {
  private let declaration: AggregateDeclaration
  private let schema: Schema
  private let options: RecountOptions
  private let now: @Sendable () -> Timestamp
  private let progress: @Sendable (_ pages: Int, _ expected: Int?) -> Void
  private let job: RecountJob

  /// - Parameters:
  ///   - schema: the container's schema; the declaration must fit it.
  ///   - container: where records are read and written.
  ///   - clock: measures how long the run takes.
  ///   - progress: called with the number of pages read so far, and the number expected.
  public init(
    _ declaration: AggregateDeclaration, schema: Schema, container: any Container,
    options: RecountOptions = RecountOptions(), now: @escaping @Sendable () -> Timestamp,
    clock: any MonotonicClock = SystemClock(),
    progress: @escaping @Sendable (_ pages: Int, _ expected: Int?) -> Void = { _, _ in }
  ) {
    self.declaration = declaration
    self.schema = schema
    self.options = options
    self.now = now
    self.progress = progress
    job = RecountJob(
      "recount \(declaration.name)", schema: schema, container: container, options: options, clock: clock)
  }

  /// The job that a run writes as.
  public var writingJob: WritingJob { job.writing }
  /// The container that a run reads and writes. It counts the requests.
  public var container: any Container { job.container }

  /// What a run begins with.
  public struct Start: Sendable {
    fileprivate var checkpoint: ScanCheckpoint?
    /// Why this job's own checkpoint cannot be continued.
    fileprivate var lost: String?

    /// The lease of the run that is continued.
    public var lease: SavedLease? { checkpoint?.savedLease }
  }

  /// Checks the declaration, and reads the checkpoint, before the lease is taken. Throws ``RecountError``, also for a
  /// checkpoint of another job.
  public func start() throws -> Start {
    try check()
    switch try options.checkpoint?.load(for: jobHash) ?? .nothing {
    case .nothing: return Start()
    case .lost(let reason): return Start(lost: "the checkpoint \(reason)")
    case .scan(let earlier):
      if earlier.fingerprint == fingerprint { return Start(checkpoint: earlier) }
      guard earlier.job == jobHash else { throw RecountError.otherCheckpoint }
      return Start(lost: "the declaration of the aggregate has changed since the checkpoint was made")
    }
  }

  /// Counts and writes. Throws `LeaseError`, and the container's errors until counting begins. The outcome has later
  /// failures, next to the values that were complete before them.
  ///
  /// - Parameter writer: `nil` for a dry run.
  public func run(_ start: Start, through writer: LeasedJobWriter?) async throws -> RecountOutcome {
    let isCurrent = writer?.isCurrent ?? true
    let reason = start.lost ?? start.checkpoint.flatMap { isCurrent ? reasonToRestart($0) : Self.overtaken }
    let keys = try await job.keys(of: writer)
    var outcome = try await count(reason == nil ? start.checkpoint : nil, keys, through: writer)
    if let reason { outcome.remarks.append("\(reason), so this run counted from the start") }
    job.finish(&outcome, keys, through: writer, at: now())
    return outcome
  }

  /// The cost of this recount on CloudKit, which cannot count groups. Reads only the targets and their last counts.
  ///
  /// - Parameter size: numbers to use instead of the container's; then nothing is read.
  public func estimate(_ size: RecountEstimate.Size? = nil) async throws -> RecountEstimate {
    try check()
    let table: RecountTargets
    if let size {
      table = RecountTargets(made: size)
    } else {
      table = try await RecountTargets.load(declaration.targets, shard: options.shard, from: job.container)
    }
    let plan = planner(table, canPushDown: false)
      .plan(options.strategy, needsOrphans: options.pruneOrphans)
    let targets = declaration.targets.indices.map { number in
      Int64(size?.groups ?? table.rows.count { $0.target == number })
    }
    return RecountEstimate(declaration, plan, targets: targets, options.assumptions)
  }

  private func count(
    _ earlier: ScanCheckpoint?, _ keys: Set<String>, through writer: LeasedJobWriter?
  ) async throws -> RecountOutcome {
    let startedAt = now().milliseconds
    let asOf = try await job.asOf(now(), options)
    let names = declaration.hasCreatorNames ? CreatorNames(ownKeys: keys) : nil
    let pushdown = earlier == nil ? pushdownScan(names) : nil
    async let skipped = pushdown?.count() ?? 0
    let table = try await RecountTargets.load(
      declaration.targets, shard: options.shard, groups: earlier?.groups ?? [], from: job.container)
    var plan = planner(table).plan(
      earlier?.strategy ?? options.strategy, needsOrphans: options.pruneOrphans)
    var checkpoint =
      earlier
      ?? ScanCheckpoint(
        job: jobHash, fingerprint: fingerprint, startedAt: startedAt, asOf: asOf.milliseconds,
        strategy: plan.strategy, groups: table.groups, units: plan.units)
    checkpoint.extend(to: table, planner(table))
    plan.units = checkpoint.units
    checkpoint.savedLease = await writer?.savedLease
    if let pushdown {
      checkpoint.tally = try await pushdown.tally(by: counter(table, names))
      checkpoint.tally.invalidNames = try await skipped
      return try await finish(checkpoint, nil, table, plan, writer)
    }
    let (scan, failure) = try await read(plan, checkpoint, counter(table, names), writer)
    if let refusal = failure as? LeaseError { throw refusal }
    return try await finish(scan, failure, table, plan, writer)
  }

  // MARK: Preparing

  private static let overtaken = "another run has written since the checkpoint was made"

  private func reasonToRestart(_ checkpoint: ScanCheckpoint) -> String? {
    let age = now().since(Timestamp(milliseconds: checkpoint.startedAt)).components.seconds
    // Clocks of two machines may differ by minutes.
    if age < -3600 { return "the checkpoint was begun in the future by this machine's clock" }
    return age > options.checkpointLifetime ? "the checkpoint is \(age / 3600) hours old" : nil
  }

  /// `nil` when the container cannot count groups, so that the sources must be read.
  private func pushdownScan(_ names: CreatorNames?) -> PushdownScan? {
    guard let grouping = job.container.grouping, isPushedDown else { return nil }
    // Checking the names takes much longer than counting in SQL, so it is done only when asked.
    return PushdownScan(
      declaration.source, shard: options.shard, with: grouping,
      names: options.names == .verified ? names : nil)
  }

  private var isPushedDown: Bool {
    [nil, .pushdown].contains(options.strategy) && declaration.operation == .count
  }

  private var place: String {
    "\(job.container.identity.name) \(job.container.identity.environment.rawValue)"
  }

  private var jobHash: String {
    ScanCheckpoint.job(declaration, container: place, shard: options.shard)
  }

  private var fingerprint: String {
    ScanCheckpoint.fingerprint(
      declaration, container: place, shard: options.shard, names: options.names)
  }

  private func check() throws {
    let findings = declaration.check(against: schema)
    if findings.hasErrors { throw RecountError.invalidDeclaration(findings) }
    if options.names == .verified, !declaration.hasCreatorNames {
      throw RecountError.namesNotDeclared(declaration.name)
    }
    if options.strategy == .pushdown, job.container.grouping == nil || declaration.operation != .count {
      throw RecountError.strategyUnavailable(
        "the strategy 'pushdown' does not work here: the container cannot count '\(declaration.name)' by itself"
      )
    }
    if options.pruneOrphans, options.strategy == .byTarget || !options.shard.isWhole {
      throw RecountError.strategyUnavailable(
        "--prune-orphans needs a run that reads all sources and targets, without --shard or --strategy by-target"
      )
    }
  }

  private func planner(_ table: RecountTargets, canPushDown: Bool = true) -> ScanPlanner {
    ScanPlanner(
      declaration: declaration, table: table, shard: options.shard, assumptions: options.assumptions,
      canPushDown: canPushDown && job.container.grouping != nil)
  }

  // MARK: Reading

  private func read(
    _ plan: ScanPlan, _ checkpoint: ScanCheckpoint, _ counter: SourceCounter, _ writer: LeasedJobWriter?
  ) async throws -> (ScanCheckpoint, (any Error)?) {
    let (show, expected) = (progress, Int(clamping: plan.expectedRequests))
    let progress = ScanProgress(checkpoint, declaration.operation, file: options.checkpoint) { pages in
      try await writer?.check()
      // What was expected is an estimate, and more than that is known only at the end.
      show(pages, pages < expected ? expected : nil)
    }
    let failure = await sourceScan(counter, progress).runRemaining()
    try await progress.save()
    return (await progress.checkpoint, failure)
  }

  private func sourceScan(_ counter: SourceCounter, _ progress: ScanProgress) -> SourceScan {
    let type = schema[recordType: declaration.source.recordType]?[field: declaration.source.groupField]?.type
    return SourceScan(
      container: job.container,
      counter: counter, isReference: type == .reference, concurrency: options.assumptions.concurrency,
      progress: progress)
  }

  private func counter(_ table: RecountTargets, _ names: CreatorNames?) -> SourceCounter {
    SourceCounter(
      declaration: declaration, table: table, shard: options.shard, names: names,
      excludesMadeUp: options.names == .verified)
  }

  // MARK: Writing

  private func finish(
    _ scan: ScanCheckpoint, _ failure: (any Error)?, _ table: RecountTargets, _ plan: ScanPlan,
    _ writer: LeasedJobWriter?
  ) async throws -> RecountOutcome {
    let values = values(of: scan, table)
    let incomplete = values.incompleteGroups
    var outcome = RecountOutcome(
      phase: .unread(groups: incomplete), result: result(of: scan, table), plan: plan,
      interruption: failure)
    outcome.result.changed = Int64(values.changedRows)
    if let failure, failure.forbidsWriting { return outcome }
    if let stop = stop(scan, values) {
      outcome.phase = stop
      // A run that continued it would stop again, whatever the sources are then.
      try options.checkpoint?.remove()
      return outcome
    }
    try await job.write(values.changes, through: writer, &outcome)
    if incomplete > 0 || !scan.isComplete {
      outcome.phase = .unread(groups: incomplete)
      outcome.result.complete = false
    }
    if outcome.phase == .done { try options.checkpoint?.remove() }
    if options.pruneOrphans, outcome.result.complete, outcome.result.orphans > 0 {
      outcome.pruning = try await prune(table, through: writer)
    }
    return outcome
  }

  /// Why the values must not be written; `nil` if they may.
  private func stop(_ scan: ScanCheckpoint, _ values: TargetUpdates) -> RecountOutcome.Phase? {
    if options.names == .verified, scan.tally.names.isDoubtful { return .unverified(scan.tally.names) }
    let maxDrop = options.maxDrop ?? declaration.maxDrop
    let check = SuddenDropCheck(maxDrop: maxDrop)
    let drops = check.drops(in: values.watched)
    guard !drops.isEmpty else { return nil }
    let isOfNames = options.names == .verified && check.drops(in: values.watchedWithMadeUp).isEmpty
    guard isOfNames else { return .stopped(drops, maxDrop: maxDrop) }
    return options.acceptsCountDrop ? nil : .risky(drops, maxDrop: maxDrop)
  }

  private func values(of scan: ScanCheckpoint, _ table: RecountTargets) -> TargetUpdates {
    TargetUpdates(
      declaration: declaration, schema: schema, table: table, scan: scan,
      minPublished: options.minPublished)
  }

  private func prune(_ table: RecountTargets, through writer: LeasedJobWriter?) async throws
    -> OrphanDeletion
  {
    let changes = try await table.orphanDeletions(
      of: declaration.source, in: job.container, limit: options.pruneLimit)
    var pruning = OrphanDeletion(changes: changes)
    pruning.report = try await writer?.apply(changes, policy: .refuse)
    return pruning
  }

  private func result(of scan: ScanCheckpoint, _ table: RecountTargets) -> RecountResult {
    var result = RecountResult(aggregate: declaration.name, strategy: scan.strategy)
    let tally = scan.tally
    result.sources = tally.sources
    result.orphans = max(0, tally.orphans)
    result.invalidNames = tally.invalidNames
    result.targets = Int64(table.rows.count)
    if declaration.hasCreatorNames,
      scan.strategy != .pushdown || options.names == .verified
    {
      result.names = tally.names
      result.madeUpTargets = MadeUpTarget.largest(in: scan, excluded: options.names == .verified)
    }
    result.asOf = Timestamp(milliseconds: scan.asOf)
    result.settle = options.settle
    return result
  }
}

extension Error {
  /// The run was cancelled, or must not write any more.
  fileprivate var forbidsWriting: Bool {
    switch self {
    case is CancellationError, is LeaseError, is ScanCheckpointFile.Unusable: true
    default: false
    }
  }
}

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
  private let dependencies: WriteSessionDependencies
  private let job: LeasedRecount

  /// - Parameters:
  ///   - schema: the container's schema; the declaration must fit it.
  ///   - container: where records are read and, unless it is a dry run, written.
  public init(
    _ declaration: AggregateDeclaration, schema: Schema, container: any Container,
    options: RecountOptions = RecountOptions(), dependencies: WriteSessionDependencies
  ) {
    self.declaration = declaration
    self.schema = schema
    self.options = options
    self.dependencies = dependencies
    job = LeasedRecount(
      "recount \(declaration.name)", schema: schema, container: container, options: options,
      dependencies: dependencies)
  }

  /// Counts and, unless it is a dry run, writes. Throws ``RecountError``, `LeaseError`, and the container's errors until
  /// counting begins. The outcome has later failures, next to the values that were complete before them.
  public func run() async throws -> RecountOutcome {
    let findings = declaration.check(against: schema)
    if findings.hasErrors { throw RecountError.invalidDeclaration(findings) }
    try checkStrategy()
    let (earlier, lost) = try checkpoint()
    return try await job.run(continuing: earlier?.savedLease) { run in
      let reason = lost ?? earlier.flatMap { run.isCurrent ? reasonToRestart($0) : Self.overtaken }
      var outcome = try await count(reason == nil ? earlier : nil, in: run)
      if let reason { outcome.remarks.append("\(reason), so this run counted from the start") }
      return outcome
    }
  }

  /// The checkpoint to continue, or why this job's own cannot be continued. Throws for a file of another job.
  private func checkpoint() throws -> (ScanCheckpoint?, lost: String?) {
    switch try options.checkpoint?.load(for: jobHash) ?? .nothing {
    case .nothing: return (nil, nil)
    case .lost(let reason): return (nil, "the checkpoint \(reason)")
    case .scan(let earlier):
      guard earlier.fingerprint != fingerprint else { return (earlier, nil) }
      guard earlier.job == jobHash else { throw RecountError.otherCheckpoint }
      return (nil, "the declaration of the aggregate has changed since the checkpoint was made")
    }
  }

  /// The cost of this recount on CloudKit, which cannot count groups. Reads only the targets and their last counts.
  ///
  /// - Parameter size: numbers to use instead of the container's; then nothing is read.
  public func estimate(_ size: RecountEstimate.Size? = nil) async throws -> RecountEstimate {
    let findings = declaration.check(against: schema)
    if findings.hasErrors { throw RecountError.invalidDeclaration(findings) }
    try checkStrategy()
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

  private func count(_ earlier: ScanCheckpoint?, in run: LeasedRecount.Run) async throws -> RecountOutcome {
    let startedAt = dependencies.now().milliseconds
    let names = declaration.hasCreatorNames ? CreatorNames(ownKeys: run.keys) : nil
    let pushdown = earlier == nil ? pushdownScan(names) : nil
    async let skipped = pushdown?.count() ?? 0
    let table = try await RecountTargets.load(
      declaration.targets, shard: options.shard, groups: earlier?.groups ?? [], from: job.container)
    var plan = planner(table).plan(
      earlier?.strategy ?? options.strategy, needsOrphans: options.pruneOrphans)
    var checkpoint =
      earlier
      ?? ScanCheckpoint(
        job: jobHash, fingerprint: fingerprint, startedAt: startedAt, asOf: asOf(startedAt),
        strategy: plan.strategy, groups: table.groups, units: plan.units)
    checkpoint.extend(to: table, planner(table))
    plan.units = checkpoint.units
    checkpoint.savedLease = await run.scope?.savedLease
    if let pushdown {
      checkpoint.tally = try await pushdown.tally(by: counter(table, names))
      checkpoint.tally.invalidNames = try await skipped
      return try await finish(checkpoint, nil, table, plan, run)
    }
    let (scan, failure) = try await read(plan, checkpoint, counter(table, names), run)
    if let refusal = failure as? LeaseError { throw refusal }
    return try await finish(scan, failure, table, plan, run)
  }

  /// The time for which counts hold that are read from now on. A service's own time is that of its last reply.
  private func asOf(_ startedAt: Int64) -> Int64 {
    let began = job.container.serviceTime ?? Timestamp(milliseconds: startedAt)
    return options.asOf(began).milliseconds
  }

  // MARK: Preparing

  private static let overtaken = "another run has written since the checkpoint was made"

  private func reasonToRestart(_ checkpoint: ScanCheckpoint) -> String? {
    let age = dependencies.now().since(Timestamp(milliseconds: checkpoint.startedAt)).components.seconds
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
      names: options.names == .creator ? names : nil)
  }

  private var isPushedDown: Bool {
    [nil, .pushdown].contains(options.strategy) && declaration.operation == .count
  }

  private var container: String {
    "\(job.container.identity.name) \(job.container.identity.environment.rawValue)"
  }

  private var jobHash: String {
    ScanCheckpoint.job(declaration, container: container, shard: options.shard)
  }

  private var fingerprint: String {
    ScanCheckpoint.fingerprint(
      declaration, container: container, shard: options.shard, names: options.names)
  }

  private func checkStrategy() throws {
    if options.names == .creator, !declaration.hasCreatorNames {
      throw RecountError.namesNotDeclared(declaration.name)
    }
    if options.strategy == .pushdown, job.container.grouping == nil || declaration.operation != .count {
      throw RecountError.strategyUnavailable(
        "the strategy 'pushdown' does not work here: the container cannot count '\(declaration.name)' by itself"
      )
    }
    if options.pruneOrphans, options.strategy == .names || !options.shard.isWhole {
      throw RecountError.strategyUnavailable(
        "--prune-orphans needs a run that reads all sources and targets, without --shard or --strategy names")
    }
  }

  private func planner(_ table: RecountTargets, canPushDown: Bool = true) -> ScanPlanner {
    ScanPlanner(
      declaration: declaration, table: table, shard: options.shard, assumptions: options.assumptions,
      canPushDown: canPushDown && job.container.grouping != nil)
  }

  // MARK: Reading

  private func read(
    _ plan: ScanPlan, _ checkpoint: ScanCheckpoint, _ counter: SourceCounter, _ run: LeasedRecount.Run
  ) async throws -> (ScanCheckpoint, (any Error)?) {
    let (scope, dependencies, expected) = (run.scope, dependencies, Int(clamping: plan.expectedRequests))
    let progress = ScanProgress(checkpoint, declaration.operation, file: options.checkpoint) { pages in
      try await scope?.check()
      // What was expected is an estimate, and more than that is known only at the end.
      dependencies.progress(pages, pages < expected ? expected : nil)
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
      excludesMadeUp: options.names == .creator)
  }

  // MARK: Writing

  private func finish(
    _ scan: ScanCheckpoint, _ failure: (any Error)?, _ table: RecountTargets, _ plan: ScanPlan,
    _ run: LeasedRecount.Run
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
    try await job.write(values.changes, in: run, &outcome)
    if incomplete > 0 || !scan.isComplete {
      outcome.phase = .unread(groups: incomplete)
      outcome.result.complete = false
    }
    if outcome.phase == .done { try options.checkpoint?.remove() }
    if options.pruneOrphans, outcome.result.complete, outcome.result.orphans > 0 {
      outcome.pruning = try await prune(table, in: run)
    }
    return outcome
  }

  /// Why the values must not be written; `nil` if they may.
  private func stop(_ scan: ScanCheckpoint, _ values: TargetUpdates) -> RecountOutcome.Phase? {
    if options.names == .creator, scan.tally.names.isDoubtful { return .unverified(scan.tally.names) }
    let maxDrop = options.maxDrop ?? declaration.maxDrop
    let check = SuddenDropCheck(maxDrop: maxDrop)
    let drops = check.drops(in: values.watched)
    guard !drops.isEmpty else { return nil }
    let isOfNames = options.names == .creator && check.drops(in: values.watchedWithMadeUp).isEmpty
    guard isOfNames else { return .stopped(drops, maxDrop: maxDrop) }
    return options.acceptsCountDrop ? nil : .risky(drops, maxDrop: maxDrop)
  }

  private func values(of scan: ScanCheckpoint, _ table: RecountTargets) -> TargetUpdates {
    TargetUpdates(
      declaration: declaration, schema: schema, table: table, scan: scan,
      minPublished: options.minPublished)
  }

  private func prune(_ table: RecountTargets, in run: LeasedRecount.Run) async throws -> OrphanDeletion {
    let finder = OrphanFinder(declaration: declaration, table: table, container: job.container)
    let changes = try await finder.changes(limit: options.pruneLimit)
    var pruning = OrphanDeletion(changes: changes)
    pruning.report = try await run.scope?.apply(changes, policy: .refuse)
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
      scan.strategy != .pushdown || options.names == .creator
    {
      result.names = tally.names
      result.madeUpTargets = MadeUpTarget.largest(in: scan, excluded: options.names == .creator)
    }
    result.additionsAsOf = Timestamp(milliseconds: scan.asOf)
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

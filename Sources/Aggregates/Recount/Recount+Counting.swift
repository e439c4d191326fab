internal import CloudKitModel
internal import Diagnostics
internal import RecordChanges
internal import SchemaLanguage
internal import Synchronization

extension Recount {
  /// - Parameter written: as the file has it, so that a run can continue another one: times such as `-30d` stay what they are.
  func count(_ written: AggregateDeclaration) async throws -> RecountOutcome {
    try check(written)
    let start = try start(written)
    return try await writing(continuing: start.checkpoint?.savedLease) { writer, keys in
      let reason =
        start.lost ?? start.checkpoint.flatMap { reasonToRestart($0, isCurrent: writer?.isCurrent ?? true) }
      let earlier = reason == nil ? start.checkpoint : nil
      var outcome = try await count(written, earlier, keys, through: writer)
      if let reason { outcome.remarks.append("\(reason), so this run counted from the start") }
      if let earlier {
        outcome.remarks.append(
          "continued the run of \(earlier.startedAt.iso8601), which had read "
            + "\(counted(earlier.tallyOfRead(written.operation).sources, "record")), from its checkpoint")
      }
      return outcome
    }
  }

  private func count(
    _ written: AggregateDeclaration, _ earlier: ScanCheckpoint?, _ keys: Set<String>,
    through writer: JobWriter?
  ) async throws -> RecountOutcome {
    let startedAt = now()
    let asOf = if let earlier { earlier.asOf } else { try await self.asOf() }
    let declaration = written.typed(by: schema, now: asOf)
    let names = declaration.hasCreatorNames ? CreatorNames(ownKeys: keys) : nil
    let table = try await RecountTargets.load(
      declaration, shard: options.shard, groups: earlier?.groups ?? [], from: container)
    let planner = planner(declaration, table)
    var plan = planner.plan(earlier?.strategy ?? options.strategy, needsOrphans: options.pruneOrphans)
    var checkpoint =
      earlier
      ?? ScanCheckpoint(
        job: jobHash(written), fingerprint: fingerprint(written), startedAt: startedAt, asOf: asOf,
        strategy: plan.strategy, groups: table.groups, units: plan.units)
    checkpoint.extend(to: table, planner)
    plan.units = checkpoint.units
    checkpoint.savedLease = await writer?.savedLease
    let counter = SourceCounter(
      declaration: declaration, table: table, shard: options.shard, names: names,
      excludesMadeUp: options.names == .verified)
    if earlier == nil, let tally = try await tallyOfContainer(counter) {
      checkpoint.tally = tally
      return try await finish(checkpoint, nil, counter, plan, writer)
    }
    let (scan, failure) = try await read(plan, checkpoint, counter, writer)
    if let refusal = failure as? LeaseError { throw refusal }
    return try await finish(scan, failure, counter, plan, writer)
  }

  // MARK: Preparing

  /// The checkpoint to continue, or why this job's own checkpoint cannot be continued. Throws for one of another job.
  private func start(
    _ written: AggregateDeclaration
  ) throws -> (checkpoint: ScanCheckpoint?, lost: String?) {
    guard let file = options.checkpoint else { return (nil, nil) }
    let (earlier, lost) = try file.load(for: jobHash(written))
    guard let found = earlier, found.fingerprint != fingerprint(written) else { return (earlier, lost) }
    guard found.job == jobHash(written) else { throw CommandFailure.otherCheckpoint(file.path) }
    return (nil, "the declaration of the aggregate has changed since the checkpoint was made")
  }

  private func reasonToRestart(_ checkpoint: ScanCheckpoint, isCurrent: Bool) -> String? {
    guard isCurrent else { return "another run has written since the checkpoint was made" }
    let age = now().since(checkpoint.startedAt).components.seconds
    // Clocks of two machines may differ by minutes.
    if age < -3600 { return "the checkpoint was begun in the future by this machine's clock" }
    return age > options.checkpointLifetime ? "the checkpoint is \(age / 3600) hours old" : nil
  }

  /// What the container counts itself; `nil` when it cannot, so that the sources must be read.
  private func tallyOfContainer(_ counter: SourceCounter) async throws -> GroupTally? {
    guard let grouping = container.grouping, [nil, .pushdown].contains(options.strategy),
      counter.declaration.operation == .count
    else { return nil }
    let source = counter.declaration.source
    // Checking the names takes much longer than counting in SQL, so it is done only when asked.
    let request = GroupCountRequest(
      recordType: source.recordType, groupField: source.groupField, filters: source.filters,
      recordNames: source.recordNames, creatorNames: options.names == .verified ? counter.names : nil)
    let counted = Mutex(GroupTally())
    let skipped = try await grouping.countGroups(request) { counts in
      counted.withLock { tally in
        for count in counts where counter.shard.contains(count.group) { counter.add(count, into: &tally) }
      }
    }
    // A container may not notice that the run was cancelled.
    try Task.checkCancellation()
    var tally = counted.withLock { $0 }
    // Skipped sources have no group here. The first shard reports them, so that the sum over all shards is right.
    tally.invalidNames = options.shard.index == 1 ? skipped : 0
    return tally
  }

  private var place: String { "\(container.identity.name) \(container.identity.key)" }

  private func jobHash(_ written: AggregateDeclaration) -> String {
    ScanCheckpoint.job(written, container: place, shard: options.shard)
  }

  private func fingerprint(_ written: AggregateDeclaration) -> String {
    ScanCheckpoint.fingerprint(written, container: place, shard: options.shard, names: options.names)
  }

  func check(_ declaration: AggregateDeclaration) throws {
    let findings = declaration.check(against: schema)
    if findings.hasErrors { throw CommandFailure.invalidDeclaration(findings) }
    if options.names == .verified, !declaration.hasCreatorNames {
      throw CommandFailure(
        "the names of the records that '\(declaration.name)' counts cannot be checked",
        code: "names-not-declared",
        hint:
          "If each name is the SHA-256 of GROUP-CREATOR, write \"recordNames\": \"sha256-of-creator\" in \(options.aggregatesFile).",
        status: .usage)
    }
    if options.strategy == .pushdown, container.grouping == nil || declaration.operation != .count {
      throw CommandFailure.strategyUnavailable(
        "the strategy 'pushdown' does not work here: the container cannot count '\(declaration.name)' by itself"
      )
    }
    if options.pruneOrphans, options.strategy == .byTarget || !options.shard.isWhole {
      throw CommandFailure.strategyUnavailable(
        "--prune-orphans needs a run that reads all sources and targets, without --shard or --strategy by-target"
      )
    }
  }

  func planner(
    _ declaration: AggregateDeclaration, _ table: RecountTargets, canPushDown: Bool = true
  ) -> ScanPlanner {
    ScanPlanner(
      declaration: declaration, table: table, shard: options.shard, assumptions: options.assumptions,
      canPushDown: canPushDown && container.grouping != nil)
  }

  // MARK: Reading

  /// The file that keeps the progress. A dry run only reads it.
  private func file(_ writer: JobWriter?) -> ScanCheckpointFile? {
    writer.flatMap { _ in options.checkpoint }
  }

  private func read(
    _ plan: ScanPlan, _ checkpoint: ScanCheckpoint, _ counter: SourceCounter, _ writer: JobWriter?
  ) async throws -> (ScanCheckpoint, (any Error)?) {
    let expected = Int(clamping: plan.expectedRequests)
    let declaration = counter.declaration
    let progress = ScanProgress(checkpoint, declaration.operation, file: file(writer)) { pages in
      try await writer?.check()
      // What was expected is an estimate, and more than that is known only at the end.
      self.progress(pages, pages < expected ? expected : nil)
    }
    let source = declaration.source
    let type = schema[recordType: source.recordType]?[field: source.groupField]?.type
    let failure = await SourceScan(
      container: container, counter: counter, isReference: type == .reference,
      concurrency: options.assumptions.concurrency, progress: progress
    ).runRemaining()
    try await progress.save()
    return (await progress.checkpoint, failure)
  }

  // MARK: Writing

  private func finish(
    _ scan: ScanCheckpoint, _ failure: (any Error)?, _ counter: SourceCounter, _ plan: ScanPlan,
    _ writer: JobWriter?
  ) async throws -> RecountOutcome {
    let (declaration, table) = (counter.declaration, counter.table)
    let values = TargetUpdates(
      declaration: declaration, schema: schema, table: table, scan: scan, minPublished: options.minPublished)
    let unread = values.unread
    var outcome = RecountOutcome(
      phase: .unread(numbers: unread), result: result(of: values), plan: plan, interruption: failure)
    outcome.declaration = declaration
    outcome.result.changed = Int64(values.changedRows)
    outcome.outOfRange = values.outOfRange
    outcome.titles = await titles(of: outcome.result.madeUpTargets.prefix(5).map(\.recordName))
      .distinguished
    if let failure, failure.forbidsWriting { return outcome }
    if let stop = stop(values) {
      outcome.phase = stop
      if case .stopped = stop, options.acceptsCountDrop {
        let risk = RecountOptions.countDropRisk
        outcome.remarks.append("the risk \(risk) is only for what --count-names verified leaves out")
      }
      let drops = outcome.drops?.prefix(10).compactMap(\.recordName) ?? []
      outcome.titles.merge(await titles(of: drops).distinguished) { $1 }
      // A run that continued it would stop again, whatever the sources are then.
      try file(writer)?.remove()
      return outcome
    }
    if options.pruneOrphans, scan.isComplete, unread == 0, outcome.result.orphans ?? 0 > 0 {
      let orphans = try await table.orphanDeletions(
        of: declaration.source, in: container, limit: options.pruneLimit)
      if writer != nil, !orphans.isEmpty { try await options.confirmsPruning(orphans.count) }
      outcome.pruning = OrphanDeletion(
        changes: orphans, hidesNames: declaration.source.recordNames != nil, isPlan: writer == nil,
        acceptsLoss: options.acceptsDataLoss,
        role: declaration.targets.lazy
          .compactMap { schema[recordType: $0.recordType]?.customRoles(for: .write).first }.first)
    }
    try await write(values.changes, through: writer, &outcome)
    if unread > 0 || !scan.isComplete {
      outcome.phase = .unread(numbers: unread)
      outcome.result.complete = false
    }
    if !outcome.outOfRange.isEmpty { outcome.result.complete = false }
    if outcome.phase == .done { try file(writer)?.remove() }
    if outcome.result.complete, let writer, let orphans = outcome.pruning?.changes {
      outcome.pruning?.report = try await writer.apply(orphans, policy: .refuse)
    }
    return outcome
  }

  /// Why the values must not be written; `nil` if they may.
  private func stop(_ values: TargetUpdates) -> RecountOutcome.Phase? {
    let tally = values.scan.tally
    if options.names == .verified, tally.names.isDoubtful { return .unverified(tally.names) }
    let maxDrop = options.maxDrop ?? values.declaration.maxDrop
    let check = SuddenDropCheck(maxDrop: maxDrop)
    let drops = check.drops(in: values.watched())
    guard !drops.isEmpty else { return nil }
    let isOfNames =
      options.names == .verified && check.drops(in: values.watched(with: tally.madeUp)).isEmpty
    guard isOfNames else { return .stopped(drops, maxDrop: maxDrop) }
    return options.acceptsCountDrop ? nil : .risky(drops, maxDrop: maxDrop)
  }

  private func result(of values: TargetUpdates) -> RecountResult {
    let (scan, declaration) = (values.scan, values.declaration)
    var result = RecountResult(aggregate: declaration.name, strategy: scan.strategy)
    let tally = scan.tallyOfRead(declaration.operation)
    result.sources = tally.sources
    result.orphans = scan.strategy == .byTarget ? nil : max(0, tally.orphans)
    result.invalidNames = tally.invalidNames
    result.targets = Int64(values.table.rows.count)
    if declaration.hasCreatorNames, scan.strategy != .pushdown || options.names == .verified {
      result.names = tally.names
      if options.names == .verified { result.excluded = tally.names.madeUp }
      // A sum or a maximum does not say how many sources a group has.
      if declaration.operation == .count {
        result.madeUpTargets = MadeUpTarget.largest(in: scan, excluded: options.names == .verified)
      }
    }
    result.asOf = scan.asOf
    result.settle = options.settle
    return result
  }
}

extension Error {
  fileprivate var forbidsWriting: Bool {
    switch self {
    case is CancellationError, is LeaseError, is ScanCheckpointFile.Unusable: true
    default: false
    }
  }
}

extension RecountTargets {
  /// Deletions of at most `limit` sources that name a target that does not exist. A source without a name in its group
  /// field is kept, and so is one when any record has the name: a query may miss a new target that a lookup finds
  /// (Documentation/reference/web-services.md#index-delay).
  func orphanDeletions(
    of source: AggregateDeclaration.Source, in container: any Container, limit: Int
  ) async throws -> [RecordChange] {
    var found: [(group: String, record: Record)] = []
    try await container.forEachRecord(
      of: Query(source.recordType, filters: source.filters), desiredKeys: [source.groupField]
    ) { record in
      guard found.count < limit, let group = record[source.groupField]?.referredName, !group.isEmpty else {
        return
      }
      let exists = index(of: group).map { self.exists[$0] } ?? false
      if !exists, source.recordNames?.accepts(record.recordName) ?? true { found.append((group, record)) }
    }
    let names = Set(found.map(\.group)).sorted()
    let outcomes = try await container.lookupAll(names, desiredKeys: [])
    let taken = Set(zip(names, outcomes).filter { $1.error?.code != .notFound }.map(\.0))
    return found.filter { !taken.contains($0.group) }.map { RecordChange(deleting: $0.record) }
  }
}

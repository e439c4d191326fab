internal import CloudKitModel
internal import Diagnostics
internal import RecordChanges
internal import SchemaLanguage

/// What all recounts share: they count requests, preview or write their changes, and remember the run.
struct RecountJob: Sendable {
  /// Counts requests, but not those for the lease.
  let container: RequestCountingContainer
  /// What a run writes as, with the lease of its shard.
  let writing: WritingJob
  private let schema: Schema
  private let leases: any Container
  private let clock: any MonotonicClock
  /// When the recount was asked for, so that waiting for the lease counts as part of it.
  private let began: Duration

  init(
    _ name: String, schema: Schema, container: any Container, options: RecountOptions,
    clock: any MonotonicClock
  ) {
    let shard = options.shard
    let lease = LeaseName(
      name, part: shard.isWhole ? nil : LeaseName.Part(index: shard.index, count: shard.count))
    writing = WritingJob(name, kind: .job, lease: lease)
    self.schema = schema
    self.container = RequestCountingContainer(container)
    leases = container
    self.clock = clock
    began = clock.uptime
  }

  /// Digests of the tool's keys. A dry run holds no lease, so it looks the records up.
  func keys(of writer: LeasedJobWriter?) async throws -> Set<String> {
    if let writer { return await writer.keys }
    guard schema[recordType: LeaseRecord.recordType] != nil, let lease = writing.lease else { return [] }
    var keys = try await LastJobRun.keys(of: lease, in: leases)
    if let caller = container.callerRecordName { keys.insert(CreatorNames.keyDigest(of: caller)) }
    return keys
  }

  /// Completes the outcome, and stores in the lease's record what later runs need.
  func finish(
    _ outcome: inout RecountOutcome, _ keys: Set<String>, through writer: LeasedJobWriter?,
    at moment: Timestamp
  ) {
    writer?.lastRun = lastRun(of: outcome, keys, at: moment)
    outcome.result.requests = container.counts
    outcome.result.elapsedSeconds = (clock.uptime - began) / .seconds(1)
  }

  /// How many keys are remembered. A key is replaced every year or so.
  private static let maxKeys = 50

  /// What to store about this run in the lease record; nothing unless everything was counted and written.
  private func lastRun(of outcome: RecountOutcome, _ keys: Set<String>, at moment: Timestamp) -> LastJobRun? {
    guard outcome.phase == .done, outcome.result.complete else { return nil }
    let kept = [
      "sources", "targets", "changed", "written", "verified", "own", "madeUp", "complete", "additionsAsOf",
      "deletionsAsOf",
    ]
    let members = (outcome.result.json.object?.members ?? []).filter { kept.contains($0.key) }
    var json = JSONObject(members.map { (key: $0.key, value: $0.value) })
    json["keys"] = .array(keys.sorted().prefix(Self.maxKeys).map(JSONValue.string))
    return LastJobRun(finishedAt: moment, result: JSONValue.object(json).text())
  }

  /// Writes the changes, or previews them in a dry run, and records the result in the outcome.
  func write(
    _ changes: some Sequence<RecordChange>, through writer: LeasedJobWriter?, _ outcome: inout RecountOutcome
  ) async throws {
    let changed = outcome.result.changed
    guard let writer else {
      outcome.preview = try await titled(Array(changes.prefix(RecountOutcome.maxPreviewed)))
      outcome.phase = changed == 0 ? .done : .planned
      outcome.result.complete = true
      return
    }
    if changed > 0 {
      let all = Array(changes)
      let report = await ignoringDeletedTargets(try await writer.apply(all, policy: .reapply))
      outcome.report = report
      outcome.interruption = outcome.interruption ?? report.interruption
      outcome.result.written = Int64(report.applied)
      outcome.result.conflicts = Int64(report.conflicts)
      if report.interruption == nil { outcome.movers = try await titled(all.largestMoves) }
    }
    let isWritten = outcome.report?.isComplete ?? true
    outcome.phase = isWritten ? .done : .unwritten
    outcome.result.complete = isWritten
  }

  /// Counts changes of targets that were deleted during the run as done. When the lookup fails, the conflicts stay in
  /// the report.
  private func ignoringDeletedTargets(_ report: ChangeReport) async -> ChangeReport {
    let contested = report.results.indices.filter {
      if case .conflict = report.results[$0].outcome { true } else { false }
    }
    let names = contested.map { report.results[$0].change.recordName }
    guard report.interruption == nil, !names.isEmpty,
      let current = try? await container.lookupAll(names, desiredKeys: [])
    else { return report }
    var report = report
    for (index, outcome) in zip(contested, current) where outcome.error?.code == .notFound {
      report.results[index].outcome = .alreadyApplied
    }
    return report
  }

  /// The changes with the titles of their records, for people.
  private func titled(_ changes: [RecordChange]) async throws -> [RecordChange] {
    let fields = Set(changes.compactMap { schema.titleField(of: $0.recordType) })
    guard !fields.isEmpty else { return changes }
    let records = try await container.lookupAll(changes.map(\.recordName), desiredKeys: fields.sorted())
    return zip(changes, records).map { change, outcome in
      var change = change
      let title = schema.titleField(of: change.recordType).flatMap { outcome.record?[$0]?.string }
      change.label = change.label ?? title
      return change
    }
  }
}

extension Schema {
  /// The field with a record's title; `nil` for a type without one.
  fileprivate func titleField(of recordType: String) -> String? {
    ["title", "name"].first { self[recordType: recordType]?[field: $0]?.type == .string }
  }
}

extension [RecordChange] {
  /// The changes with the largest differences, largest first; at most five.
  fileprivate var largestMoves: [RecordChange] {
    let moves = map { change -> (change: RecordChange, move: Double) in
      let field = change.fields.values.first
      return (change, abs((field?.to?.number ?? 0) - (field?.from?.number ?? 0)))
    }
    return moves.sorted { ($1.move, $0.change.recordName) < ($0.move, $1.change.recordName) }
      .prefix(5).map(\.change)
  }
}

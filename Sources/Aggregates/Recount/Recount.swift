package import CloudKitModel
package import Diagnostics
package import FeedState
package import RecordChanges
package import SchemaLanguage

/// Recounts one aggregate, or the quality scores: reads, compares the results with the stored values, and writes those that
/// differ.
///
/// A target is written only when this run, or the run it continues, read all sources that count toward it. Sources
/// that are created or deleted during the run may or may not be counted, and one that moves to another target may be
/// counted for both.
package struct Recount: Sendable {
  package enum Subject: Sendable {
    case count(AggregateDeclaration)
    case quality(FeedRecordMapping, QualityProfile)

    package var name: String {
      switch self {
      case .count(let declaration): declaration.name
      case .quality: "quality"
      }
    }
  }

  let schema: Schema
  /// Counts requests, but not those for the lease.
  let container: RequestCountingContainer
  let options: RecountOptions
  let now: @Sendable () -> Timestamp
  /// Called with the number of pages of sources that were read, and the number expected.
  let progress: @Sendable (_ pages: Int, _ expected: Int?) -> Void
  private let subject: Subject
  var name: String { subject.name }
  var copies: [AggregateDeclaration.Target] {
    if case .count(let declaration) = subject { declaration.targets.filter(\.isCopy) } else { [] }
  }
  private let session: WriteSession?
  private let job: WritingJob
  private let clock: any MonotonicClock
  /// When the recount was asked for, so that waiting for the lease counts as part of it.
  private let began: Duration

  /// - Parameter session: writes as ``job(_:_:)``; `nil` for a dry run.
  package init(
    _ subject: Subject, schema: Schema, container: any Container, options: RecountOptions = RecountOptions(),
    session: WriteSession? = nil, now: @escaping @Sendable () -> Timestamp,
    clock: any MonotonicClock = SystemClock(),
    progress: @escaping @Sendable (_ pages: Int, _ expected: Int?) -> Void = { _, _ in }
  ) {
    self.subject = subject
    self.schema = schema
    self.container = RequestCountingContainer(container)
    self.options = options
    self.session = options.explains ? nil : session?.through(self.container)
    self.now = now
    self.clock = clock
    self.progress = progress
    job = Self.job(subject.name, options.shard)
    began = clock.uptime
  }

  package static func job(_ name: String, _ shard: RecountShard) -> WritingJob {
    let part = shard.isWhole ? nil : LeaseName.Part(index: shard.index, count: shard.count)
    return WritingJob("recount \(name)", kind: .job, lease: LeaseName("recount \(name)", part: part))
  }

  package func report() async throws -> any Report {
    options.estimates ? try await estimate(options.assumedSize) : try await run()
  }

  /// Throws ``CommandFailure`` for what the schema and the options show before anything is read.
  package func check() throws {
    if case .count(let declaration) = subject { try check(declaration) }
  }

  /// Counts and writes. Throws ``CommandFailure``, also for a checkpoint of another job, `LeaseError`, and the container's
  /// errors until counting begins. The outcome has later failures, next to the values that were complete before them.
  package func run() async throws -> RecountOutcome {
    switch subject {
    case .quality(let feeds, let profile):
      try await writing { writer, _ in try await scores(feeds, profile, through: writer) }
    case .count(let declaration): try await count(declaration)
    }
  }

  /// The cost of this recount on CloudKit, which cannot count groups. Reads only the targets and their last counts.
  ///
  /// - Parameter size: numbers to use instead of the container's; then nothing is read.
  package func estimate(_ size: RecountEstimate.Size? = nil) async throws -> RecountEstimate {
    guard case .count(let declaration) = subject else {
      throw CommandFailure.usage(
        "--estimate does not work with 'recount quality', which reads every feed and its health once")
    }
    try check(declaration)
    let table =
      if let size { RecountTargets(made: size) } else {
        try await RecountTargets.load(declaration, shard: options.shard, from: container)
      }
    let plan = planner(declaration, table, canPushDown: false).plan(
      options.strategy, needsOrphans: options.pruneOrphans)
    let targets = declaration.targets.indices.map { number in
      Int64(size?.groups ?? table.rows.count { $0.target == number })
    }
    var estimate = RecountEstimate(
      declaration, plan, targets: targets, options.assumptions, isKnown: size != nil || table.hasCounts)
    estimate.isVerbose = options.isVerbose
    return estimate
  }

  /// Runs the work while it holds the lease, and completes its outcome.
  ///
  /// - Parameter work: gets the writer, and digests of the tool's keys.
  func writing(
    continuing earlier: SavedLease? = nil,
    _ work: (JobWriter?, _ keys: Set<String>) async throws -> RecountOutcome
  ) async throws -> RecountOutcome {
    guard let session else {
      // A schema without leases leaves the key's own digest, as in a run that writes.
      let lease = schema[recordType: LeaseRecord.recordType] == nil ? nil : job.lease
      return completed(try await work(nil, try await LastJobRun.readableKeys(of: lease, in: container.base)))
    }
    return try await session.run(continuing: earlier) { writer in
      let keys = await writer.keys
      let outcome = completed(try await work(writer, keys))
      writer.lastRun = lastRun(of: outcome, keys)
      return outcome
    }
  }

  private func completed(_ outcome: RecountOutcome) -> RecountOutcome {
    var outcome = outcome
    outcome.options = options
    if options.isOfPart {
      (outcome.result.complete, outcome.result.asOf) = (false, nil)
      outcome.remarks.append("the mirror is incomplete, so records are missing from these numbers")
    }
    outcome.result.requests = container.counts
    outcome.result.elapsedSeconds = (clock.uptime - began) / .seconds(1)
    return outcome
  }

  /// How many keys are remembered. A key is replaced every year or so.
  private static let maxKeys = 50

  /// What to store about this run in the lease record; nothing unless everything was counted and written.
  private func lastRun(of outcome: RecountOutcome, _ keys: Set<String>) -> LastJobRun? {
    guard outcome.phase == .done, outcome.result.complete else { return nil }
    let kept = ["sources", "targets", "changed", "written", "verified", "own", "madeUp", "complete", "asOf"]
    let members = outcome.result.json.object?.members ?? []
    var json = JSONObject(members.filter { kept.contains($0.key) && $0.value != .null })
    json["keys"] = .array(keys.sorted().prefix(Self.maxKeys).map(JSONValue.string))
    return LastJobRun(finishedAt: now(), result: json)
  }

  /// The time for which counts hold that are read from now on: the earliest that it can be by the container's clock, or by
  /// this machine's for a service that does not state its own, before the time in which an index may not show a change
  /// yet. Throws the container's errors.
  func asOf() async throws -> Timestamp {
    (try await container.clock.time()?.earliest ?? now()) - options.settle
  }
}

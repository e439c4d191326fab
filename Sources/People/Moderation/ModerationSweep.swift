internal import CloudKitModel
package import Diagnostics
package import RecordChanges
internal import SchemaLanguage

/// Keeps decisions true: hides what blocked people wrote since the last sweep, and what its author showed again; opens
/// reports that an app wrote without `isOpen`; completes what was interrupted.
///
/// Reads the records made since the last sweep, and the records that decisions hide, page by page.
package struct ModerationSweep: Sendable {
  private let moderation: Moderation
  private let settle: Duration
  private let id: String

  /// - Parameters:
  ///   - settle: how long an index may lag behind its records.
  ///   - id: the beginning of the ids of the decisions.
  package init(_ moderation: Moderation, settle: Duration, id: String) {
    self.moderation = moderation
    self.settle = settle
    self.id = id
  }

  /// Throws errors of reading. Refused changes are in the result.
  ///
  /// - Parameter writer: `nil` for a dry run.
  package func run(through writer: JobWriter?) async throws -> ModerationSweepResult {
    let container = moderation.container
    let asOf = try await container.clock.time()?.earliest
    let former = try await LastJobRun.last(of: .moderation, in: container)?.result["sweptAsOf"]?.string
      .flatMap { Timestamp(text: $0) }
    var result = ModerationSweepResult(since: former.map { $0 - settle }, isDryRun: writer == nil)
    try await completeBlocks(&result, writer)
    try await hideAgain(&result, writer)
    try await openReports(&result, writer)
    if let writer, let asOf, result.summary.isComplete {
      writer.lastRun = LastJobRun(finishedAt: asOf, result: ["sweptAsOf": .string(asOf.iso8601)])
    }
    return result
  }

  private func query(_ recordType: String, _ result: ModerationSweepResult) -> Query {
    Query(
      recordType,
      filters: result.since.map { [Filter("___createTime", .greaterThanOrEquals, .timestamp($0))] } ?? [])
  }

  /// Hides the new records of blocked people, and makes BlockedUser records that are missing.
  private func completeBlocks(_ result: inout ModerationSweepResult, _ writer: JobWriter?) async throws {
    let standing = try await moderation.standingBlocks()
    let blocks = standing.reduce(into: [:]) { $0[$1.blockedUser ?? ""] = $1.id }
    guard !blocks.isEmpty else { return }
    let present = try await moderation.records(blocks.keys.sorted(), keys: [])
    var missing = ModerationPlan(reason: nil, id: id, moderation.declaration.reports)
    missing.blocks = blocks.keys.filter { present[$0] == nil && !$0.isEmpty }.sorted().map(
      RecordChange.blocking)
    try await result.apply(missing, writer)
    for type in moderation.declaration.types {
      var part = 0
      try await moderation.container.forEachPage(
        of: query(type.recordType, result), desiredKeys: moderation.stateKeys
      ) {
        page in
        let groups = Dictionary(grouping: page.records) { record in
          (record.created?.userRecordName).flatMap { blocks[moderation.blockedUserName(of: $0)] }
        }
        for (block, records) in groups.sorted(by: { $0.key ?? "" < $1.key ?? "" }) {
          guard let block else { continue }
          part += 1
          var plan = ModerationPlan(
            reason: nil, id: "\(id)-\(type.recordType)-\(part)", moderation.declaration.reports)
          try await moderation.hide(records, of: type, block: block, &plan)
          result.hidden += plan.decisions.count
          try await result.apply(plan, writer)
        }
      }
    }
  }

  /// Hides records again whose decision stands, and ends decisions about records that are gone.
  private func hideAgain(_ result: inout ModerationSweepResult, _ writer: JobWriter?) async throws {
    let standing = Query(ModerationRecordType.decision, filters: ModerationDecision.Kind.hide.standing)
    // What is written changes the result of the query, so the pages are read first.
    var decisions: [ModerationDecision] = []
    try await moderation.container.forEachPage(of: standing) { page in
      let found = page.records.compactMap(ModerationDecision.init)
      let records = try await moderation.records(found.map(\.target), keys: moderation.stateKeys)
      decisions += found.filter { decision in
        guard let record = records[decision.target] else { return true }
        guard let type = moderation.contentType(record.recordType) else { return false }
        var plan = ModerationPlan(reason: nil, id: id, moderation.declaration.reports)
        plan.hide(record, type, standing: decision, block: decision.block)
        return !plan.targets.isEmpty
      }
    }
    for some in decisions.chunks(of: ContainerLimits.recordsPerRequest) {
      let records = try await moderation.records(some.map(\.target), keys: moderation.stateKeys)
      var plan = ModerationPlan(reason: nil, id: id, moderation.declaration.reports)
      for decision in some {
        if let record = records[decision.target], let type = moderation.contentType(record.recordType) {
          plan.hide(record, type, standing: decision, block: decision.block)
        } else {
          plan.endings.append(decision)
        }
      }
      result.hiddenAgain += plan.targets.count
      result.gone += plan.endings.count
      try await result.apply(plan, writer)
    }
  }

  /// An app that forgets isOpen would hide its users' reports from the queue.
  private func openReports(_ result: inout ModerationSweepResult, _ writer: JobWriter?) async throws {
    let fields = moderation.declaration.reports
    try await moderation.container.forEachPage(
      of: query(fields.recordType, result), desiredKeys: [fields.isOpen, fields.decision]
    ) { page in
      var plan = ModerationPlan(reason: nil, id: id, fields)
      for report in page.records where report[fields.decision]?.string ?? "" == "" {
        plan.reports += [
          RecordChange.toward(
            [fields.isOpen: .flag(true)], recordType: report.recordType, recordName: report.recordName,
            existing: report)
        ].compactMap(\.self)
      }
      result.opened += plan.reports.count
      try await result.apply(plan, writer)
    }
  }
}

/// The report of `moderation sweep`.
package struct ModerationSweepResult: Report {
  /// Records from before this moment were read by an earlier sweep.
  let since: Timestamp?
  let isDryRun: Bool
  /// New records of blocked people.
  var hidden = 0
  /// Records that their authors had shown again.
  var hiddenAgain = 0
  /// Hidden records that their authors deleted.
  var gone = 0
  var opened = 0
  var summary = WriteSummary()

  init(since: Timestamp?, isDryRun: Bool) {
    self.since = since
    self.isDryRun = isDryRun
  }

  fileprivate mutating func apply(_ plan: ModerationPlan, _ writer: JobWriter?) async throws {
    guard let writer, !plan.isEmpty else { return }
    summary.add(try await plan.apply(through: writer).summary)
    if let interruption = summary.interruption { throw interruption }
  }

  package var status: ExitStatus { summary.status }
  package var failure: CommandFailure? { summary.failure }
  package var isConfirmation: Bool { summary.isComplete && !isDryRun }
  package var tally: String? { "\(counted(hidden + hiddenAgain, "record")) hidden" }

  package var metrics: [Metric] {
    [
      Metric(
        MetricFamily("moderation_hidden", "New records of blocked people that the last sweep hid"), hidden),
      Metric(
        MetricFamily(
          "moderation_hidden_again", "Records that the last sweep hid after their authors showed them"),
        hiddenAgain),
    ]
  }

  package var json: JSONValue {
    .object([
      "since": since.map { .string($0.iso8601) }, "hidden": JSONValue(hidden),
      "hiddenAgain": JSONValue(hiddenAgain), "gone": JSONValue(gone), "opened": JSONValue(opened),
      "remaining": summary.remainingJSON, "complete": .bool(summary.isComplete), "dryRun": .bool(isDryRun),
    ])
  }

  package var body: ReportBody {
    let verb = isDryRun ? "would hide" : "hid"
    "\(verb) \(counted(hidden, "new record")) of blocked people, and \(hiddenAgain) again that their authors had shown"
    if gone > 0 { "\(counted(gone, "hidden record")) no longer exists: its author deleted it" }
    if opened > 0 {
      "\(counted(opened, "report")) had no open state and \(isDryRun ? "would wait" : "waits") for a decision"
    }
  }
}

internal import CloudKitModel
package import Diagnostics
package import RecordChanges
internal import SchemaLanguage

/// Keeps decisions true: hides what blocked people wrote since the last sweep, and decides the reports about that; hides
/// what was shown again; opens reports that an app wrote without `isOpen`; completes a block that was interrupted.
///
/// Reads what was made and changed since the last sweep, page by page, and every day all that decisions hide; always, where
/// an index on the time of changes is missing.
package struct ModerationSweep: Sendable {
  private let moderation: Moderation
  private let settle: Duration
  private let id: String

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
    let last = try await LastJobRun.last(of: .moderation, in: container)?.result
    let swept = last?["sweptAsOf"]?.string.flatMap { Timestamp(text: $0) }
    let whole = last?["wholeAsOf"]?.string.flatMap { Timestamp(text: $0) }
    var result = ModerationSweepResult(since: swept.map { $0 - settle }, isDryRun: writer == nil)
    try await completeBlocks(&result, writer)
    let isDue = whole.flatMap { last in asOf.map { $0.since(last) >= ServiceTime.day } } ?? true
    let readsAll = isDue || !findsChanges
    // Every decision that hides a record; or what may not be as decisions say: new ones, and records that were changed.
    let queries =
      readsAll
      ? [Query(ModerationRecordType.decision, filters: ModerationDecision.Kind.hide.standing)]
      : ([ModerationRecordType.decision] + moderation.declaration.types.map(\.recordType)).map {
        query($0, result.since)
      }
    try await hideAgain(queries, &result, writer)
    try await openReports(&result, writer)
    if let writer, let asOf, result.isComplete {
      var run = last ?? [:]
      run["sweptAsOf"] = .string(asOf.iso8601)
      run["wholeAsOf"] = .string((readsAll ? asOf : whole ?? asOf).iso8601)
      writer.lastRun = LastJobRun(finishedAt: asOf, result: run)
    }
    return result
  }

  /// Whether the schema has the indexes that find what was changed, and the decisions that were made, since a moment.
  private var findsChanges: Bool {
    let types = moderation.declaration.types.map { moderation.schema[recordType: $0.recordType] }
    let made = moderation.schema[recordType: ModerationRecordType.decision]?[field: "___createTime"]
    return types.allSatisfy { $0?.hasChangeIndex ?? false } && made?.indexes.contains(.queryable) ?? false
  }

  /// What was made, and if an index finds that, what was changed.
  private func query(_ recordType: String, _ since: Timestamp?) -> Query {
    let isIndexed = moderation.schema[recordType: recordType]?.hasChangeIndex ?? false
    let time: SystemField = isIndexed ? .modifiedTimestamp : .createdTimestamp
    return Query(
      recordType, filters: since.map { [Filter(.system(time), .greaterThanOrEquals, .timestamp($0))] } ?? [])
  }

  private var emptyPlan: ModerationPlan {
    ModerationPlan(reason: nil, id: id, fields: moderation.declaration.reports)
  }

  /// Hides the new records of blocked people, everything of those who were blocked since the last sweep, because a block
  /// may have been interrupted, and makes BlockedUser records that are missing.
  private func completeBlocks(_ result: inout ModerationSweepResult, _ writer: JobWriter?) async throws {
    let standing = try await moderation.standingBlocks()
    let blocks = Dictionary(standing.map { ($0.blockedUser ?? "", $0.id) }) { oldest, _ in oldest }
    guard !blocks.isEmpty else { return }
    let made = try await moderation.authors(of: standing)
    result.otherContainerID = try await moderation.otherContainerID(of: standing, by: made)
    let present = try await moderation.records(blocks.keys.sorted(), keys: [])
    var missing = emptyPlan
    missing.blocks = blocks.keys.filter { present[$0] == nil && !$0.isEmpty }.sorted().map(
      RecordChange.blocking)
    try await result.apply(missing, writer)
    let recent = standing.filter { decision in
      result.since.flatMap { since in decision.decided.map { $0 >= since } } ?? false
    }
    // What they wrote is found by name if who each of them is shows.
    let known = recent.compactMap { block in
      made[block.id].flatMap { moderation.blockedUserName(of: $0) == block.blockedUser ? $0 : nil }
    }
    let authors = known.count == recent.count ? known : nil
    for type in moderation.declaration.types {
      // Who comes back to a session, or goes on with one, changes an older record.
      let new = query(type.recordType, authors == nil ? nil : result.since)
      for query in [new] + (authors ?? []).map({ moderation.made(by: $0, type) }) {
        try await hide(query, of: type, blocks, &result, writer)
      }
    }
  }

  private func hide(
    _ query: Query, of type: ModerationDeclaration.ContentType, _ blocks: [String: String],
    _ result: inout ModerationSweepResult, _ writer: JobWriter?
  ) async throws {
    try await moderation.container.forEachPage(of: query, desiredKeys: moderation.stateKeys) { page in
      let groups = Dictionary(grouping: page.records.filter { !result.foundBefore.contains($0.recordName) }) {
        record in
        (record.created?.userRecordName).flatMap { blocks[moderation.blockedUserName(of: $0)] }
      }
      for (block, records) in groups.sorted(by: { $0.key ?? "" < $1.key ?? "" }) {
        guard let block else { continue }
        var plan = emptyPlan
        let hidden = try await moderation.hide(records, of: type, block: block, &plan)
        let new = Set(plan.decisions.map(\.target))
        let names = Set(hidden.keys).subtracting(plan.staying.values.joined())
        // Other reports wait for a moderator: about what stays shown, or what was hidden when they were made.
        let open = try await moderation.openReports(about: names.sorted()).filter {
          $0.isMade(before: hidden[moderation.declaration.reports.subject(of: $0)])
        }
        plan.close(open) { _ in block }
        // What an earlier sweep has decided about was counted then.
        let staying = plan.staying.values.joined().filter(new.contains)
        result.reports += plan.reports.count
        result.staying += staying
        result.hidden += new.count - staying.count
        result.count(plan.targets, new: new, moderation)
        let changed = new.union(plan.targets.map(\.recordName)).union(plan.reports.compactMap(\.label))
        if writer == nil { result.foundBefore.formUnion(changed) }
        try await result.apply(plan, writer)
      }
    }
  }

  /// Hides records again whose decision stands, ends decisions about records that are gone, and shows what a block hid that
  /// was taken back.
  ///
  /// - Parameter queries: of decisions, and of records that may have some. The last decisions may be missing in them.
  private func hideAgain(
    _ queries: [Query], _ result: inout ModerationSweepResult, _ writer: JobWriter?
  ) async throws {
    var gone: [ModerationDecision] = []
    var seen: Set<String> = []
    var blocks: [String: Bool] = [:]
    func check(_ decisions: [ModerationDecision]) async throws {
      try await look(up: Set(decisions.compactMap { $0.kind == .unblock ? $0.undoes : $0.block }), &blocks)
      let found = decisions.filter { $0.kind == .hide && $0.isStanding && seen.insert($0.id).inserted }
      // Decisions are read by name, too: an index may show one that a moderator has taken back since.
      let records = try await moderation.records(
        found.flatMap { [$0.target, $0.id] }, keys: moderation.stateKeys + ["isStanding"])
      var plan = emptyPlan
      for decision in found where decision.block.map({ blocks[$0] ?? true }) ?? true {
        let isEnded = records[decision.id]?["isStanding"]?.flag == false
        if isEnded || result.foundBefore.contains(decision.target) { continue }
        if let record = records[decision.target] {
          guard let type = moderation.contentType(record.recordType) else { continue }
          plan.hide(record, type, standing: decision, block: decision.block)
        } else if gone.count < Self.maxGone {
          gone.append(decision)
        }
      }
      result.count(plan.targets, moderation)
      try await result.apply(plan, writer)
    }
    try await check(moderation.lastMade.compactMap(ModerationDecision.init))
    for query in queries {
      let areDecisions = query.recordType == ModerationRecordType.decision
      try await moderation.container.forEachPage(of: query, desiredKeys: areDecisions ? nil : []) { page in
        try await check(
          areDecisions
            ? page.records.compactMap(ModerationDecision.init)
            : Array(moderation.standing(.hide, of: page.records.map(\.recordName)).values))
      }
    }
    // What ends a decision changes the result of the query, so its pages were read first.
    var plan = emptyPlan
    plan.endings = gone
    result.gone = gone.count
    try await result.apply(plan, writer)
    for some in blocks.filter({ !$0.value }).keys.sorted().chunks(of: 10) {
      var plan = emptyPlan
      plan.rest = .restoring(blocks: Array(some))
      try await moderation.forEachPart(of: plan) { part in
        result.shown += part.targets.count
        try await result.apply(part, writer)
        return true
      }
    }
  }

  /// Decisions about records that are gone are ended by the next sweeps, this many at a time.
  private static let maxGone = 10_000

  /// Adds which of these blocks stand. By name, because an index lags; one whose decision is gone stands.
  private func look(up names: Set<String>, _ blocks: inout [String: Bool]) async throws {
    let new = names.filter { blocks[$0] == nil }.sorted()
    guard !new.isEmpty else { return }
    let found = try await moderation.records(new, keys: nil)
    for name in new { blocks[name] = found[name].flatMap(ModerationDecision.init)?.isStanding ?? true }
  }

  /// An app that forgets isOpen would hide its users' reports from the queue.
  private func openReports(_ result: inout ModerationSweepResult, _ writer: JobWriter?) async throws {
    let fields = moderation.declaration.reports
    try await moderation.container.forEachPage(
      of: query(fields.recordType, result.since), desiredKeys: [fields.isOpen, fields.decision]
    ) { page in
      var plan = emptyPlan
      for report in page.records where !fields.hasDecision(report) {
        plan.reports += [RecordChange.toward([fields.isOpen: .flag(true)], of: report)].compactMap(\.self)
      }
      result.opened += plan.reports.count
      try await result.apply(plan, writer)
    }
  }
}

package struct ModerationSweepResult: Report {
  /// Records from before this moment were read by an earlier sweep.
  let since: Timestamp?
  let isDryRun: Bool
  /// New records of blocked people.
  var hidden = 0
  /// Reports about their records that were decided.
  var reports = 0
  /// New records of blocked people in types without a field that hides them.
  var staying: [String] = []
  /// Records that were shown although a decision hides them.
  var hiddenAgain = 0
  /// Records that were also ended when they were counted as new, or as hidden again.
  fileprivate var ended = 0
  /// Records that were active again although a block ended them. They were not hidden, or still are.
  var endedAgain = 0
  /// Records with a decision that were deleted.
  var gone = 0
  /// Records that a block had hidden that was taken back.
  var shown = 0
  var opened = 0
  /// Why blocks do not count; the next sweep reads the same again.
  fileprivate var otherContainerID: CommandFailure?
  /// What a dry run has counted, which a second query finds again.
  fileprivate var foundBefore: Set<String> = []
  var summary = WriteSummary()

  /// Counts changes of records that decisions changed before, and what is ended with the others.
  fileprivate mutating func count(_ changes: [RecordChange], new: Set<String> = [], _ moderation: Moderation)
  {
    for change in changes {
      let type = moderation.contentType(change.recordType)
      let isNew = new.contains(change.recordName)
      let isHidden = type?.hiddenField.map { change.fields[$0] != nil } ?? false
      let isEnded = type?.activeField.map { change.fields[$0] != nil } ?? false
      if !isNew { if isHidden { hiddenAgain += 1 } else { endedAgain += 1 } }
      if isEnded, isNew || isHidden { ended += 1 }
    }
  }

  fileprivate mutating func apply(_ plan: ModerationPlan, _ writer: JobWriter?) async throws {
    guard let writer, !plan.isEmpty else { return }
    var written = ModerationResult(plan, isDryRun: false)
    try await plan.write(through: writer, &written)
    summary.add(written.summary)
    if let interruption = summary.interruption { throw interruption }
  }

  package var failure: CommandFailure? { summary.failure ?? otherContainerID }
  fileprivate var isComplete: Bool { summary.isComplete && otherContainerID == nil }
  package var isConfirmation: Bool { isComplete && !isDryRun && staying.isEmpty }
  package var urgent: ReportBody? { isDryRun ? nil : body.troubles }
  package var tally: Tally? { "\(hidden + hiddenAgain, "record") hidden" }

  package var metrics: [Metric] {
    [
      Metric(
        MetricFamily("moderation_hidden", "New records of blocked people that the last sweep hid"), hidden),
      Metric(
        MetricFamily("moderation_hidden_again", "Hidden records that were shown and that the last sweep hid"),
        hiddenAgain),
    ]
  }

  package var json: JSONValue {
    .object([
      "since": since?.iso8601.json, "hidden": hidden.json, "reports": reports.json,
      "hiddenAgain": hiddenAgain.json, "endedAgain": endedAgain.json, "gone": gone.json, "shown": shown.json,
      "opened": opened.json,
      "stayShown": staying.count.json, "remaining": summary.remainingJSON,
      "complete": isComplete.json, "dryRun": isDryRun.json,
    ])
  }

  package var body: ReportBody {
    let verb = isDryRun ? "would hide" : "hid"
    "\(verb) \(counted(hidden, "new record")) of blocked people, and \(hiddenAgain) again that had been shown"
    if reports > 0 {
      "\(isDryRun ? "would decide" : "decided") \(counted(reports, "report")) about records of blocked people"
    }
    if !staying.isEmpty {
      let verb = staying.count == 1 ? "stays" : "stay"
      let names = Array(staying.prefix(ModerationResult.maxNotes))
      ListItem(
        .caution,
        "\(counted(staying.count, "new record")) of blocked people \(verb) shown, because the type has no hiddenField",
        details: ["to take \(counted(names.count, "record")) away: \(Moderation.removal(of: names))"])
    }
    let end = isDryRun ? "would end" : "ended"
    if ended > 0 { "\(end) \(counted(ended, "record")) of blocked people" }
    if endedAgain > 0 { "\(end) \(counted(endedAgain, "record")) of blocked people again" }
    if gone > 0 { "\(counted(gone, "record")) with a decision no longer \(gone == 1 ? "exists" : "exist")" }
    if shown > 0 {
      "\(isDryRun ? "would show" : "showed") \(counted(shown, "record")) again that a block had hidden before it was taken back"
    }
    if opened > 0 {
      "\(counted(opened, "report")) had no open state and \(isDryRun ? "would wait" : opened == 1 ? "waits" : "wait") for a decision"
    }
  }
}

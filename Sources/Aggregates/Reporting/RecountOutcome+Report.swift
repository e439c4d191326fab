internal import CloudKitModel
package import Diagnostics
internal import RecordChanges

extension RecountOutcome: Report {
  package var status: ExitStatus {
    switch phase {
    case .done, .planned:
      if !outOfRange.isEmpty { return result.written > 0 ? .partial : .failed }
      return pruning?.report?.status ?? .done
    case .stopped, .risky, .unverified: return .failed
    case .unwritten: return report?.status ?? .failed
    case .unread:
      // Without a failure, targets that were made after the checkpoint are left to the next run.
      return interruption.map { CommandFailure($0).status(afterWriting: Int(result.written)) } ?? .partial
    }
  }

  package var failure: CommandFailure? {
    if let interruption {
      let ofWriting = report?.interruption == nil ? nil : report?.failure
      var failure = ofWriting ?? CommandFailure(interruption)
      failure.status = status
      return failure
    }
    if case .stopped(let drops, let maxDrop) = phase {
      return CommandFailure(
        drops[0].countsDates
          ? "nothing was written: more than \(percent(maxDrop)) of the dates would get earlier or be cleared"
          : "nothing was written: \(drops.subject) would drop by more than \(percent(maxDrop))",
        code: "dropped-too-far",
        hint: raisingHint(drops))
    }
    return namesFailure ?? report?.failure ?? rangeFailure ?? pruning?.failure
  }

  /// How to allow these drops once, and how to allow them always; a built-in aggregate stands in no file.
  private func raisingHint(_ drops: [SuddenDropCheck.Drop]) -> String {
    let needed = Int((drops.map(\.percent).max() ?? 100).rounded(.up))
    let once =
      "Find out why. If the drop is real, run 'celestra-admin recount \(result.aggregate) --max-drop \(needed)' once"
    guard !AggregateCatalog.reservedNames.contains(result.aggregate) else { return "\(once)." }
    return "\(once), or set \"maxDrop\": \(needed) for '\(result.aggregate)' in \(options.aggregatesFile)."
  }

  private var rangeFailure: CommandFailure? {
    guard let first = outOfRange.first, !isStopped else { return nil }
    return CommandFailure(
      "\(counted(outOfRange.count, "number")) not written; \(first): the number is out of the range of the field",
      code: "out-of-range",
      hint: "A field of the type DOUBLE holds larger sums.", status: status)
  }

  func percent(_ number: Double) -> String { "\(GroupValue.real(number).printed.text()) percent" }

  var drops: [SuddenDropCheck.Drop]? {
    switch phase {
    case .stopped(let drops, _), .risky(let drops, _): drops
    default: nil
    }
  }

  package var isConfirmation: Bool {
    if case .planned = phase {
      result.changed == 0 && pruning == nil && explanations == nil
    } else {
      explanations == nil
    }
  }

  package var urgent: ReportBody? {
    if case .planned = phase { return nil }
    return explanations == nil ? body.troubles : nil
  }

  package var json: JSONValue {
    result.json.adding([
      "expectedRequests": plan.flatMap { $0.strategy == .pushdown ? nil : .integer($0.expectedRequests) },
      "remaining": report.flatMap { $0.isComplete ? nil : $0.remainingJSON },
      "drops": drops.map { .array($0.map(\.json)) },
      "pruned": pruning.map { JSONValue($0.report?.applied ?? 0) },
      "toPrune": pruning.flatMap { $0.report == nil ? $0.changes.count.json : nil },
      "preview": previewed.isEmpty ? nil : .array(previewed.map(\.titledJSON)),
      "movers": movers.isEmpty ? nil : .array(movers.map(\.titledJSON)),
      "feeds": sortedExplanations.map { .array($0.map(\.json)) },
      "notes": remarks.isEmpty ? nil : remarks.json,
    ])
  }

  private var previewed: [RecordChange] { preview + (pruning?.preview ?? []) }

  package var body: ReportBody {
    ReportBody.changes(preview, total: preview.isEmpty ? 0 : Int(result.changed))
    if let pruning, !pruning.preview.isEmpty {
      ReportBody.changes(pruning.preview, total: pruning.changes.count)
    }
    ListItem(isStopped ? .bad : nil, "\(result.aggregate, .strong): \(tally ?? "")", details: details)
    scoreTable
  }

  private var details: [StyledText] {
    var lines: [StyledText] = []
    if let moment = result.asOf, interruption == nil { lines.append("\(range(until: moment), .dim)") }
    if options.isVerbose {
      let requests = result.requests.query + result.requests.lookup + result.requests.modify
      lines.append("strategy \(result.strategy.rawValue), \(counted(requests, "request"))")
    }
    lines += zip(movers, movers.shownNames(typed: false)).map { mover, name in
      "\(name) \(mover.moveText(namesField: declaration?.hasSeveralFields ?? false))"
    }
    if let orphans = result.orphans, orphans > 0 {
      let records = counted(orphans, "record")
      lines.append("\(records) that count\(orphans == 1 ? "s" : "") for a record that does not exist")
    } else if result.orphans == nil, result.strategy == .byTarget {
      lines.append(
        "\("records that count for a record that does not exist were not looked for (--strategy sweep finds them)", .dim)"
      )
    }
    if let pruning { lines.append("\(pruning.text(orphans: result.orphans ?? 0))") }
    if result.invalidNames > 0 {
      let uncounted = counted(result.invalidNames, "record")
      lines.append("\(uncounted) skipped: the record name is not a SHA-256 digest")
    }
    return lines + (result.names.map { nameLines($0) } ?? []) + remarks.map { "note: \($0)" } + verdict
  }

  private func range(until moment: Timestamp) -> String {
    let seconds = result.settle.components.seconds
    guard seconds > 0 else { return "as of \(moment.iso8601)" }
    return
      "complete up to \(moment.iso8601); of the \(seconds) s from then to the reading, what the index showed is counted, too"
  }

  private var isStopped: Bool {
    switch phase {
    case .done, .planned: false
    case .stopped, .risky, .unverified, .unwritten: true
    // Else the reason is an error message of its own.
    case .unread: interruption == nil
    }
  }

  private var verdict: [StyledText] {
    let reason: String
    switch phase {
    case .done: return []
    case .planned: return ["dry run: nothing was written"]
    case .unverified: reason = "nothing was written: fewer than half of the names verify"
    case .risky(_, let maxDrop):
      reason = "nothing was written: without made-up names these drop by more than \(percent(maxDrop))"
    case .unwritten:
      reason = report?.unknown ?? 0 > 0 ? "not all is known to be written" : "not everything could be written"
    case .unread(let numbers):
      reason = "\(counted(numbers, "number")) not written: not everything that counts for them was read"
    case .stopped(let drops, let maxDrop):
      reason =
        drops[0].countsDates
        ? "nothing was written: these get earlier or are cleared, more than \(percent(maxDrop)):"
        : "nothing was written: these drop by more than \(percent(maxDrop))"
    }
    let more = (drops?.count ?? 0) - 10
    return [StyledText(reason, .bad)] + (drops ?? []).prefix(10).map { $0.text(titles) }
      + (more > 0 ? ["… and \(more) more"] : [])
  }

  static let sourcesFamily = MetricFamily("recount_sources", "Records that the last recount counted")
  static let targetsFamily = MetricFamily(
    "recount_targets", "Records with a number of the aggregate, by result of the last recount")
  static let orphansFamily = MetricFamily(
    "recount_orphans", "Records that count toward a record that does not exist")
  static let invalidNamesFamily = MetricFamily(
    "recount_invalid_names", "Records that were not counted because of their record name")
  static let completeFamily = MetricFamily(
    "recount_complete", "1 when everything was read and every change is in the container")
  static let asOfFamily = MetricFamily(
    "recount_as_of_timestamp_seconds", "The time for which the numbers of the last recount hold")
  static let requestsFamily = MetricFamily("recount_requests", "Requests of the last recount, by operation")

  var nameMetrics: [Metric] {
    guard let names = result.names else { return [] }
    let family = MetricFamily(
      "recount_names", "Records that the last recount read, by what their names say about their creator")
    let classes = [("verified", names.verified), ("own", names.own), ("made_up", names.madeUp)]
    return classes.map { Metric(family, [.init("aggregate", result.aggregate), .init("class", $0.0)], $0.1) }
  }

  var namesFailure: CommandFailure? {
    switch phase {
    case .risky(let drops, let maxDrop):
      return CommandFailure(
        "nothing was written: without made-up names \(drops.subject) would drop by more than "
          + "\(percent(maxDrop)), a risk that was not accepted: \(RecountOptions.countDropRisk)",
        code: "risk-not-accepted",
        hint: "Read what would drop (--dry-run); to publish the lower counts, add "
          + "--accept-risk \(RecountOptions.countDropRisk).")
    case .unverified(let names):
      let others = names.verified + names.madeUp + names.unknown
      return CommandFailure(
        "nothing was written: only \(names.verified) of \(others) names are the digest of their creator",
        code: "names-do-not-verify",
        hint:
          "The apps probably make names in another way, or the records come from another environment. Count with "
          + "--count-names all, and see Documentation/reference/subscriptions.md.")
    default: return nil
    }
  }

  func nameLines(_ names: NameTally) -> [StyledText] {
    guard names.madeUp > 0 || names.unknown > 0 else {
      return ["names: \(names.verified) verified, \(names.own) of this tool's keys"]
    }
    let missing = names.unknown > 0 ? ", \(names.unknown) without a creator" : ""
    let type = declaration?.source.recordType ?? ""
    return [
      "names: \(names.verified) verified, \(names.own) of this tool's keys, \(names.madeUp) made up\(missing)"
    ]
      + result.madeUpTargets.prefix(5).map {
        "  \(titles[$0.recordName] ?? $0.recordName): \(counted($0.sources, "\(type) record")), \($0.madeUp) of them with names that their creator cannot have"
      }
  }

  /// Each sample names its aggregate, because `recount all` has several in one file.
  package var metrics: [Metric] {
    let aggregate = [Metric.Label("aggregate", result.aggregate)]
    let unread = if case .unread(let numbers) = phase { Int64(numbers) } else { Int64(0) }
    let states = [
      ("unchanged", result.targets - result.changed - unread), ("written", result.written),
      ("conflict", result.conflicts),
      ("unwritten", result.changed - result.written - result.conflicts + unread),
    ]
    let requests = [
      ("query", result.requests.query), ("lookup", result.requests.lookup),
      ("modify", result.requests.modify),
    ]
    var metrics = [Metric(Self.sourcesFamily, aggregate, result.sources)]
    metrics += states.map { Metric(Self.targetsFamily, aggregate + [.init("state", $0.0)], $0.1) }
    if let orphans = result.orphans { metrics.append(Metric(Self.orphansFamily, aggregate, orphans)) }
    metrics.append(Metric(Self.invalidNamesFamily, aggregate, result.invalidNames))
    metrics.append(Metric(Self.completeFamily, aggregate, result.complete ? 1 : 0))
    if let moment = result.asOf, interruption == nil {
      metrics.append(Metric(Self.asOfFamily, aggregate, Double(moment.milliseconds) / 1000))
    }
    return metrics + nameMetrics
      + requests.map { Metric(Self.requestsFamily, aggregate + [.init("operation", $0.0)], $0.1) }
  }

  /// For quality and built-in aggregates alike the name is left out: a declared one may be anything.
  package var tally: Tally? {
    let conflicts: Tally = result.conflicts > 0 ? ", \(result.conflicts, "conflict")" : ""
    let (read, number): (StaticString, StaticString) =
      result.aggregate == "quality" ? ("health record", "score") : ("record", "number")
    return
      "\(result.read, read) read; of \(result.targets, number) \(result.changed) changed, \(result.written) written\(report?.unknownPart ?? "")\(conflicts)"
  }
}

extension OrphanDeletion {
  /// Records that users made can be deleted only with the right to write them, which the shipped schemas do not give.
  fileprivate var failure: CommandFailure? {
    guard var failure = report?.failure else { return nil }
    guard failure.status == .denied || failure.status == .partial, let type = changes.first?.recordType,
      report?.remaining.contains(where: { $0.outcome.isDenied }) == true
    else { return failure }
    failure.hint =
      "The key may not delete \(type) records. For the time of the pruning, "
      + (role.map { "add to the schema: GRANT READ, WRITE TO \($0) on \(type)." }
        ?? "grant a role of the key READ and WRITE on \(type) in the schema.")
    return failure
  }

  /// The deletions that a dry run shows: the first ones.
  fileprivate var preview: [RecordChange] {
    !isPlan || hidesNames ? [] : Array(changes.prefix(RecountOutcome.maxPreviewed))
  }

  fileprivate func text(orphans: Int64) -> String {
    let spared =
      changes.count < orphans ? "; the others name a record that exists, or wait for the next run" : ""
    guard let report else {
      let number = changes.count
      if number == 0 { return "0 to be deleted\(spared)" }
      if !isPlan { return "\(number) not deleted, because not every number could be written" }
      return acceptsLoss
        ? "would delete \(number)\(spared)"
        : "\(number) to be deleted, which needs --accept-risk \(DeletionLoss.risk)\(spared)"
    }
    let left = report.remaining.count - report.unknown
    return "\(report.applied) deleted\(report.unknownPart)"
      + (report.isComplete ? spared : "; \(left > 0 ? "\(left) left: " : "")run it again")
  }
}

extension RecordChange {
  fileprivate var titledJSON: JSONValue { JSONValue.object(planJSON()).adding(["title": label?.json]) }

  /// `976 → 1012`, or `subscriberCount 976 → 1012`
  fileprivate func moveText(namesField: Bool) -> String {
    guard let (field, change) = fields.first else { return "" }
    func text(_ value: FieldValue?) -> String {
      value?.int64.map(String.init) ?? value?.number.map { GroupValue.real($0).printed.text() }
        ?? value?.timestamp?.iso8601 ?? "none"
    }
    return "\(namesField ? "\(field) " : "")\(text(change.from)) → \(text(change.to))"
  }
}

extension [SuddenDropCheck.Drop] {
  /// `the total and 2 numbers`: records do not have the total.
  var subject: String {
    let numbers = filter { $0.recordName != nil }.count
    let parts = [numbers < count ? "the total" : nil, numbers > 0 ? counted(numbers, "number") : nil]
    return parts.compactMap(\.self).joined(separator: " and ")
  }
}

extension SuddenDropCheck.Drop {
  fileprivate var json: JSONValue {
    .object([
      "from": from.printed, "to": to.printed, "recordType": recordType?.json,
      "recordName": recordName?.json, "dates": countsDates ? true : nil,
    ])
  }

  fileprivate func text(_ titles: [String: String]) -> StyledText {
    let total = leavesOutNegatives ? "together, without numbers below 0" : "together"
    return countsDates
      ? "  \(Int(fall)) of \(counted(Int(from.number), "date"))"
      : "  \(recordType ?? "all") \(recordName.map { titles[$0] ?? $0 } ?? total)\(field.map { " \($0)" } ?? ""): \(from.printed.text()) → \(to.printed.text())"
  }
}

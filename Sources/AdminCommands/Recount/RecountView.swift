internal import Aggregates
internal import CloudKitModel
internal import Diagnostics
internal import RecordChanges

/// A recount's outcome for people and scripts.
enum RecountView {
  static func result(of outcome: RecountOutcome) -> CommandResult {
    var json = outcome.result.json.object ?? [:]
    if let plan = outcome.plan, plan.strategy != .pushdown {
      json["expectedRequests"] = .integer(plan.expectedRequests)
    }
    if let report = outcome.report, !report.isComplete { json["remaining"] = report.remainingJSON }
    if case .stopped(let drops) = outcome.status { json["drops"] = .array(drops.map(json(of:))) }
    if let pruning = outcome.pruning { json["pruned"] = .integer(Int64(pruning.report?.applied ?? 0)) }
    if !outcome.preview.isEmpty {
      json["preview"] = .array(outcome.preview.map { .object($0.planJSON()) })
    }
    if !outcome.notes.isEmpty { json["notes"] = .array(outcome.notes.map(JSONValue.string)) }
    var result = CommandResult(
      status(of: outcome), isConfirmation: !isPending(outcome), json: .object(json)
    ) { _, style in text(of: outcome, style) }
    result.failure = failure(of: outcome)
    return result
  }

  /// What a recount would cost.
  static func result(of estimate: RecountEstimate, _ declaration: AggregateDeclaration) -> CommandResult {
    let rate = estimate.assumptions.requestsPerSecond
    let number = Int(exactly: rate).map(String.init) ?? "\(rate)"
    let limit = rate.isFinite ? "\(number) requests/s (CLOUDKIT_RATE_LIMIT)" : "any rate"
    let unknown: PrintableText =
      "nothing was counted here yet: --sources and --targets say how much there is\n"
    let shards = estimate.shards.map { counted($0, "shard") } ?? "no number of shards"
    return CommandResult(
      json: estimate.json,
      text: """
        \(estimate.aggregate): \(estimate.plan.strategy.rawValue) over about \(estimate.plan.expectedSources) \
        \(declaration.source.recordType) records, \(counted(estimate.targets, "target"))
        query requests: \(estimate.queries), modify requests: at most \(estimate.maxWrites)
        about \(Int64(min(estimate.seconds.rounded(.up), 1e15))) s at \(limit) and \
        \(Int(estimate.assumptions.latency * 1000)) ms a request; \(shards) to stay below an hour each

        """ + (estimate.plan.expectedSources == 0 ? unknown : ""))
  }

  private static func status(of outcome: RecountOutcome) -> ExitStatus {
    switch outcome.status {
    case .done, .planned: return outcome.pruning?.report?.status ?? .done
    case .stopped: return .failed
    case .unwritten: return outcome.report?.status ?? .failed
    case .unread:
      // Without a failure, targets that were made after the checkpoint are left to the next run.
      let failure = outcome.failure.map { CommandFailure($0).status } ?? .partial
      return failure == .failed && outcome.result.written > 0 ? .partial : failure
    }
  }

  private static func isPending(_ outcome: RecountOutcome) -> Bool {
    if case .planned = outcome.status { outcome.result.changed > 0 } else { false }
  }

  private static func failure(of outcome: RecountOutcome) -> CommandFailure? {
    if let reason = outcome.failure { return CommandFailure(reason) }
    if case .stopped(let drops) = outcome.status {
      let count = drops.count == 1 ? "1 number would" : "\(drops.count) numbers would"
      return CommandFailure(
        "nothing was written: \(count) drop further than --max-drop allows", code: "dropped-too-far",
        hint: dropAdvice)
    }
    return outcome.report?.failure ?? outcome.pruning?.report?.failure
  }

  private static let dropAdvice = "Find out why; if the drop is real, raise --max-drop."

  private static func text(of outcome: RecountOutcome, _ style: Style) -> PrintableText {
    let result = outcome.result
    let requests = result.requests.query + result.requests.lookup + result.requests.modify
    var lines: [PrintableText] = [
      "\(style.bold("\(result.aggregate)")): \(result.sources) sources, \(result.targets) targets, "
        + "\(result.changed) changed, \(result.written) written, \(result.conflicts) conflicts "
        + "(\(result.strategy.rawValue), \(requests) requests)"
    ]
    if result.orphans > 0 {
      lines.append("  \(counted(result.orphans, "source")) without a target that exists")
    }
    if let pruning = outcome.pruning { lines.append("  \(text(of: pruning, orphans: result.orphans))") }
    if result.invalidNames > 0 {
      let uncounted = counted(result.invalidNames, "source")
      lines.append("  \(uncounted) skipped: the record name is not a SHA-256 digest")
    }
    lines += outcome.notes.map { "  note: \($0)" } + verdict(of: outcome, style)
    let plan = outcome.preview
    return (plan.isEmpty ? "" : ChangeText.lines(of: plan, total: Int(result.changed)))
      + lines.joined(separator: "\n") + "\n"
  }

  private static func text(of pruning: OrphanPruning, orphans: Int64) -> String {
    let count = pruning.changes.count
    let spared =
      count < orphans ? "; the others name a record that exists, or wait for the next run" : ""
    guard let report = pruning.report else { return "\(count) to be deleted\(spared)" }
    return "\(report.applied) deleted"
      + (report.isComplete ? spared : "; \(report.remaining.count) left: run it again")
  }

  private static func verdict(of outcome: RecountOutcome, _ style: Style) -> [PrintableText] {
    switch outcome.status {
    case .done: []
    case .planned: ["  dry run: nothing was written"]
    case .unwritten: [style.red("  not everything could be written; run it again")]
    case .unread(let groups):
      [style.red("  \(groups) targets were not written: not everything that counts towards them was read")]
        + (outcome.failure.map { ["  because \(CommandFailure($0).message)"] } ?? [])
    case .stopped(let drops):
      [style.red("  nothing was written: these drop further than --max-drop allows")]
        + drops.prefix(10).map { drop -> PrintableText in
          let place = "\(drop.recordType ?? "all") \(drop.recordName ?? "together")"
          return "    \(place): \(number(drop.from).text()) → \(number(drop.to).text())"
        } + [style.dim("  \(dropAdvice)")]
    }
  }

  /// A count is a whole number.
  private static func number(_ value: Double) -> JSONValue {
    Int64(exactly: value).map(JSONValue.integer) ?? .double(value)
  }

  private static func json(of drop: DropGuard.Drop) -> JSONValue {
    var object: JSONObject = ["from": number(drop.from), "to": number(drop.to)]
    object["recordType"] = drop.recordType.map(JSONValue.string)
    object["recordName"] = drop.recordName.map(JSONValue.string)
    return .object(object)
  }
}

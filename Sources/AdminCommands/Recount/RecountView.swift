internal import Aggregates
internal import CloudKitModel
internal import PositionedJSON
internal import RecordChanges

/// A recount's outcome for people and scripts.
enum RecountView {
  static func result(of outcome: RecountOutcome) -> CommandResult {
    var json = outcome.result.json.object ?? [:]
    if let plan = outcome.plan { json["expectedRequests"] = .integer(plan.expectedRequests) }
    if let report = outcome.report, !report.isComplete { json["remaining"] = report.remainingJSON }
    if case .stopped(let falls) = outcome.status { json["drops"] = .array(falls.map(json(of:))) }
    return CommandResult(status(of: outcome), json: .object(json)) { _, style in text(of: outcome, style) }
  }

  /// What a recount would cost.
  static func result(
    of plan: ScanPlan, _ declaration: AggregateDeclaration, _ options: RecountOptions
  ) -> CommandResult {
    // One machine for an hour is what people grant a cron job; more work than that is better divided.
    let shards = max(1, Int((plan.expectedSeconds / 3600).rounded(.up)))
    let json: JSONValue = [
      "aggregate": .string(declaration.name), "strategy": .string(plan.strategy.rawValue),
      "expectedSources": .integer(plan.expectedSources), "expectedRequests": .integer(plan.expectedRequests),
      "expectedSeconds": .double(plan.expectedSeconds), "shards": .integer(Int64(shards)),
    ]
    return CommandResult(
      json: json,
      text: """
        \(declaration.name): \(plan.strategy.rawValue) over about \(plan.expectedSources) \
        \(declaration.source.recordType) records
        \(plan.expectedRequests) requests, about \(Int(plan.expectedSeconds.rounded(.up))) s at \
        \(options.assumptions.requestsPerSecond) requests/s; \(shards) shard\(shards == 1 ? "" : "s")

        """)
  }

  private static func status(of outcome: RecountOutcome) -> ExitStatus {
    switch outcome.status {
    case .done, .planned: return .done
    case .stopped: return .failed
    case .unwritten: return outcome.report?.status ?? .failed
    case .unread:
      let failure = outcome.failure.map { CommandFailure($0).status } ?? .failed
      return failure == .failed && outcome.result.written > 0 ? .partial : failure
    }
  }

  private static func text(of outcome: RecountOutcome, _ style: Style) -> String {
    let result = outcome.result
    let requests = result.requests.query + result.requests.lookup + result.requests.modify
    var lines = [
      "\(style.bold(result.aggregate)): \(result.sources) sources, \(result.targets) targets, "
        + "\(result.changed) changed, \(result.written) written, \(result.conflicts) conflicts "
        + "(\(result.strategy.rawValue), \(requests) requests)"
    ]
    if result.orphans > 0 { lines.append("  \(result.orphans) sources count towards nothing that exists") }
    if result.invalidNames > 0 {
      lines.append("  \(result.invalidNames) sources were not counted: their names are not SHA-256 digests")
    }
    lines += outcome.notes.map { "  note: \($0)" } + verdict(of: outcome, style)
    return lines.joined(separator: "\n") + "\n" + (outcome.report?.remainingText(style) ?? "")
  }

  private static func verdict(of outcome: RecountOutcome, _ style: Style) -> [String] {
    switch outcome.status {
    case .done: []
    case .planned: ["  dry run: nothing was written"]
    case .unwritten: [style.red("  not everything could be written; run it again")]
    case .unread(let groups):
      [style.red("  \(groups) targets were not written: not everything that counts towards them was read")]
        + (outcome.failure.map { ["  because \(CommandFailure($0).message)"] } ?? [])
    case .stopped(let falls):
      [style.red("  nothing was written: these fall further than --max-drop allows")]
        + falls.prefix(10).map {
          "    \($0.recordType ?? "all") \($0.recordName ?? "together"): \($0.from) → \($0.to)"
        }
    }
  }

  private static func json(of fall: DropGuard.Fall) -> JSONValue {
    var object: JSONObject = ["from": .double(fall.from), "to": .double(fall.to)]
    object["recordType"] = fall.recordType.map(JSONValue.string)
    object["recordName"] = fall.recordName.map(JSONValue.string)
    return .object(object)
  }
}

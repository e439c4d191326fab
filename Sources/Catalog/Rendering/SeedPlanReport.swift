public import CloudKitModel
public import Diagnostics
internal import RecordChanges

/// The report of `seed plan`. Its JSON contains the plan that `seed apply --plan` applies.
public struct SeedPlanReport: Report {
  private let plan: SeedPlan
  private let requests: RequestCounts
  private let created: Timestamp
  public let status: ExitStatus
  public let notes: [Diagnostic]

  /// - Parameters:
  ///   - findings: what was found in the seeds.
  /// - requests: the number of requests for making the plan.
  public init(
    _ plan: SeedPlan, _ status: ExitStatus = .done, findings: [Diagnostic], requests: RequestCounts,
    created: Timestamp
  ) {
    self.plan = plan
    self.requests = requests
    self.created = created
    self.status = status
    notes = findings
  }

  public var isConfirmation: Bool { plan.isUpToDate }

  public var json: JSONValue {
    var json = plan.result(requests: requests)
    json["plan"] =
      PlanFile(
        command: "seed", target: plan.target, created: created, changes: plan.changes,
        conflicts: plan.conflicts, revision: plan.revision
      ).json
    return .object(json)
  }

  public func text(_ style: TerminalStyle) -> PrintableText {
    SeedChangelog(plan).text(style) + RiskOptions(plan.riskNames).text(style)
  }

  public func rendered(as format: OutputFormat, _ style: TerminalStyle) -> PrintableText {
    format == .markdown ? PrintableText(SeedChangelog(plan).markdown) : text(style)
  }
}

public import CloudKitModel
public import Diagnostics
public import RecordChanges

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
        conflicts: plan.conflicts, revision: plan.revision, schemaDigest: plan.schemaDigest, shown: plan.shown
      ).json
    return .object(json)
  }

  public var title: StyledText? { "Seed plan for \(SeedChangelog(plan).target)" }
  public var hasTitleInText: Bool { !plan.isUpToDate }
  public var body: ReportBody { SeedChangelog(plan).body }
  public var conclusion: ReportBody {
    SeedChangelog(plan).conclusion
    RiskOptions(plan.riskNames).line
  }
}

/// The report of `seed apply`. A run is incomplete if the plan has conflicts.
public struct SeedApplyReport: Report {
  let plan: SeedPlan
  let changes: ChangeReport
  private let requests: RequestCounts
  public let notes: [Diagnostic]

  /// - Parameter findings: what was found in the seeds.
  public init(_ plan: SeedPlan, _ changes: ChangeReport, findings: [Diagnostic], requests: RequestCounts) {
    self.plan = plan
    self.changes = changes
    self.requests = requests
    notes = findings
  }

  public var status: ExitStatus {
    changes.status == .done && !plan.conflicts.isEmpty ? .partial : changes.status
  }

  public var isConfirmation: Bool { true }
  public var json: JSONValue { .object(plan.result(changes, requests: requests)) }

  public var failure: CommandFailure? {
    if let failure = changes.failure { return failure }
    guard let first = plan.conflicts.first else { return nil }
    let count = plan.conflicts.count == 1 ? "1 seed has" : "\(plan.conflicts.count) seeds have"
    return CommandFailure(
      "\(count) a conflict that needs a decision; \(first.slug): \(first.reason)", code: "conflict",
      hint: first.help)
  }

  public var title: StyledText? { "Seed plan for \(SeedChangelog(plan).target)" }
  public var hasBodyInText: Bool { false }
  public var body: ReportBody { SeedChangelog(plan).changes }
  public var conclusion: ReportBody {
    let changelog = SeedChangelog(plan)
    if plan.changes.isEmpty && plan.conflicts.isEmpty {
      "\(changelog.summary)"
    } else {
      "\(changelog.outcome(changes))"
      for conflict in plan.conflicts { ListItem(.bad, "\(conflict.slug): \(conflict.reason)") }
      changelog.notes
    }
  }
}

/// The counts of the JSON result for monitoring.
extension SeedApplyReport {
  static let recordsFamily = MetricFamily(
    "seed_records", "Records of the catalog, by result of the last seeding")

  public var metrics: [Metric] {
    plan.counts(changes).named.map { Metric(Self.recordsFamily, [.init("action", $0.key)], $0.count) }
  }

  /// `3 create, 0 update, …`
  public var tally: String? {
    plan.counts(changes).named.map { "\($0.count) \($0.key)" }.joined(separator: ", ")
  }
}

package import CloudKitModel
package import Diagnostics
package import RecordChanges

package struct SeedPlanReport: Report {
  private let plan: SeedPlan
  private let requests: RequestCounts
  private let created: Timestamp
  package let status: ExitStatus
  private let accepted: [String]

  /// - Parameter accepted: the risks that the command accepts.
  package init(
    _ plan: SeedPlan, _ status: ExitStatus = .done, accepted: [String] = [], requests: RequestCounts,
    created: Timestamp
  ) {
    self.accepted = accepted
    self.plan = plan
    self.requests = requests
    self.created = created
    self.status = status
  }

  package var notes: [Diagnostic] { plan.findings }
  package var isConfirmation: Bool { plan.isUpToDate }

  package var json: JSONValue {
    var json = plan.result(requests: requests)
    json["plan"] =
      PlanFile(
        command: "seed", target: plan.target, created: created, changes: plan.changes,
        conflicts: plan.conflicts, revision: plan.revision, schemaDigest: plan.schemaDigest, shown: plan.shown
      ).json
    return .object(json)
  }

  package var title: StyledText? { "Seed plan for \(SeedChangelog(plan).target)" }
  package var hasTitleInText: Bool { !plan.isUpToDate }
  package var body: ReportBody { SeedChangelog(plan).body }
  package var conclusion: ReportBody {
    SeedChangelog(plan).conclusion
    RiskOptions(plan.riskNames, accepted: accepted).items
  }
}

/// The report of `seed apply`. A run is incomplete if the plan has conflicts.
package struct SeedApplyReport: Report {
  let plan: SeedPlan
  let changes: ChangeReport
  private let requests: RequestCounts

  package init(_ plan: SeedPlan, _ changes: ChangeReport, requests: RequestCounts) {
    self.plan = plan
    self.changes = changes
    self.requests = requests
  }

  package var notes: [Diagnostic] { plan.findings }

  package var status: ExitStatus {
    changes.summary.status(leavingMore: !plan.conflicts.isEmpty)
  }

  package var isConfirmation: Bool { true }
  package var json: JSONValue { .object(plan.result(changes, requests: requests)) }

  package var failure: CommandFailure? {
    if let failure = changes.failure { return failure }
    guard let first = plan.conflicts.first else { return nil }
    let count = plan.conflicts.count == 1 ? "1 seed has" : "\(plan.conflicts.count) seeds have"
    return CommandFailure(
      "\(count) a conflict that needs a decision; \(first.slug): \(first.reason)", code: "conflict",
      hint: first.help)
  }

  package var title: StyledText? { "Seed plan for \(SeedChangelog(plan).target)" }
  package var hasBodyInText: Bool { false }
  package var body: ReportBody { SeedChangelog(plan).changes }
  package var conclusion: ReportBody {
    let changelog = SeedChangelog(plan, isApplied: true)
    if plan.changes.isEmpty && plan.conflicts.isEmpty {
      "\(changelog.summary)"
    } else {
      "\(changelog.outcome(changes))"
      for conflict in plan.conflicts { ListItem(.bad, "\(conflict.slug): \(conflict.reason)") }
      changelog.notes
    }
  }

  static let recordsFamily = MetricFamily(
    "seed_records", "Records of the catalog, by result of the last seeding")

  package var metrics: [Metric] {
    plan.counts(changes).map { Metric(Self.recordsFamily, [.init("action", $0.key.description)], $0.count) }
  }

  /// `3 create, 0 update, …`
  package var tally: Tally? {
    plan.counts(changes).map { "\($0.count) \($0.key)" as Tally }.joined(separator: ", ")
  }
}

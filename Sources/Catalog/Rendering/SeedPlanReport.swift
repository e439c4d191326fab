package import CloudKitModel
package import Diagnostics
package import RecordChanges

package struct SeedPlanReport: PlanReport {
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
    risks.items
  }

  package var canBeApplied: Bool { !plan.changes.isEmpty && plan.conflicts.isEmpty }
  package var risks: RiskOptions { RiskOptions(plan.riskNames, accepted: accepted) }
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
    let changelog = SeedChangelog(plan, isApplied: !plan.changes.isEmpty)
    if plan.isUpToDate {
      "\(changelog.summary)"
    } else {
      "\(changelog.outcome(changes))"
      for conflict in plan.conflicts { ListItem(.bad, "\(conflict.slug): \(conflict.reason)") }
    }
    changelog.notes
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

extension SeedPlan {
  /// The result of `seed plan`, in the keys that scripts read.
  ///
  /// `requests` is what making the plan cost.
  package func result(requests: RequestCounts) -> JSONObject {
    let counts: [(key: StaticString, count: Int)] = [
      ("create", count(.create)), ("update", count(.update)), ("delete", count(.delete)),
      ("unchanged", unchanged), ("conflicts", conflicts.count), ("failed", 0),
    ]
    return json(counts, changes: changes.map { $0.planJSON(slug: $0.label) }, requests: requests)
  }

  /// What applying the plan did, in the order and under the keys of the JSON result.
  ///
  /// A change that an earlier run had already written counts as unchanged, and one that was not tried as failed.
  func counts(_ report: ChangeReport) -> [(key: StaticString, count: Int)] {
    let applied = report.results.filter { $0.outcome == .applied }.map(\.change.action)
    return [
      ("create", applied.count { $0 == .create }), ("update", applied.count { $0 == .update }),
      ("delete", applied.count { $0 == .delete }), ("unchanged", unchanged + report.alreadyApplied),
      ("conflicts", conflicts.count + report.conflicts), ("failed", report.failed + report.notAttempted),
      ("unknown", report.unknown),
    ]
  }

  /// The result of `seed apply`: the counts say what was done, and each change what became of it. `unknown` counts
  /// changes whose reply was lost, and `remaining` lists those that are not in the container as far as is known.
  package func result(_ report: ChangeReport, requests: RequestCounts) -> JSONObject {
    let changes = report.results.map { change, outcome in
      var json = change.planJSON(slug: change.label)
      json["outcome"] = .string(outcome.word)
      json["reason"] = outcome.reason.map(JSONValue.string)
      return json
    }
    var json = json(counts(report), changes: changes, requests: requests)
    json["remaining"] = report.remainingJSON
    return json
  }

  private func json(
    _ counts: [(key: StaticString, count: Int)], changes: [JSONObject], requests: RequestCounts
  ) -> JSONObject {
    let rest: JSONObject = [
      "changes": .array(changes.map(JSONValue.object)), "deletions": deletions.map(\.json).json,
      "strandedReaders": strandedReaders.json, "risks": risks.map(\.rawValue).sorted().json,
      "conflicting": self.conflicts.map(\.json).json, "notes": notes.map(\.json).json,
      "readers": readers.json,
      "requests": [
        "query": requests.query.json, "lookup": requests.lookup.json, "modify": requests.modify.json,
      ],
    ]
    return JSONObject(counts.map { ($0.key.description, JSONValue($0.count)) } + rest.members)
  }
}

extension DeletionShare {
  fileprivate var json: JSONValue {
    ["recordType": recordType.json, "delete": deleted.json, "present": present.json]
  }
}

extension ChangeReport.Outcome {
  fileprivate var word: String {
    switch self {
    case .applied: "applied"
    case .alreadyApplied: "alreadyApplied"
    case .conflict: "conflict"
    case .failed: "failed"
    case .unknown: "unknown"
    case .notAttempted: "notAttempted"
    }
  }

  fileprivate var reason: String? {
    switch self {
    case .conflict(let reason): reason
    case .failed(let error): error.description
    default: nil
    }
  }
}

extension SeedPlanNote {
  var json: JSONValue {
    switch self {
    case .unmentioned(let recordType, let recordName, let label, let slug):
      .object([
        "kind": "unmentioned", "recordType": recordType.json, "recordName": recordName.json,
        "label": label.json, "slug": slug?.json,
      ])
    case .moved(let move):
      [
        "kind": "moved", "slug": move.slug.json, "recordName": move.recordName.json, "label": move.label.json,
        "from": move.from.json, "to": move.to.json, "readers": move.readers.number.json,
        "evidence": move.evidence.rawValue.json,
      ]
    case .probablyMoved(let slug, let recordName, let label):
      ["kind": "probablyMoved", "slug": slug.json, "recordName": recordName.json, "label": label.json]
    case .renamed(let slug, let from, let recordName):
      ["kind": "renamed", "slug": slug.json, "from": from.json, "recordName": recordName.json]
    case .deleted(let recordType, let slug, let formerNames):
      [
        "kind": "deleted", "recordType": recordType.json, "slug": slug.json, "formerNames": formerNames.json,
      ]
    case .noSlugs: ["kind": "noSlugs"]
    }
  }

  /// Reads a note of a saved plan. Throws ``FileFormError``.
  init(json: JSONValue) throws {
    func text(_ key: String) throws -> String {
      guard let text = json[key]?.string else { throw FileFormError("a note of the plan lacks '\(key)'") }
      return text
    }
    switch json["kind"]?.string {
    case "unmentioned":
      self = .unmentioned(
        recordType: try text("recordType"), recordName: try text("recordName"), label: try text("label"),
        slug: json["slug"]?.string)
    case "moved":
      self = .moved(
        MovedFeed(
          slug: try text("slug"), recordName: try text("recordName"), label: try text("label"),
          from: try text("from"), to: try text("to"), readers: ReaderCount(),
          evidence: MovedFeed.Evidence(rawValue: try text("evidence")) ?? .recordName))
    case "probablyMoved":
      self = .probablyMoved(
        slug: try text("slug"), recordName: try text("recordName"), label: try text("label"))
    case "renamed":
      self = .renamed(slug: try text("slug"), from: try text("from"), recordName: try text("recordName"))
    case "deleted":
      self = .deleted(
        recordType: try text("recordType"), slug: try text("slug"),
        formerNames: json["formerNames"]?.strings ?? [])
    case "noSlugs": self = .noSlugs
    default: throw FileFormError("the plan has a note that this version does not know; make it again")
    }
  }
}

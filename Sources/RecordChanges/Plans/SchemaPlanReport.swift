package import CloudKitModel
package import Diagnostics
package import SchemaLanguage

package struct SchemaPlanReport: PlanReport {
  private let plan: SchemaPlan
  private let file: String?
  private let isApplied: Bool
  private let makesContainer: Bool
  private let accepted: [String]
  private let kept: [(change: SchemaChange, reason: String)]
  /// What else the file lacks and development could give up: a deployment is not known to remove it.
  private let lasting: [SchemaChange]
  package let status: ExitStatus
  package let failure: CommandFailure?

  /// - Parameters:
  ///   - file: the schema file, for the steps of a deployment; `nil` for a saved plan.
  ///   - isApplied: imported, and read back unless the report has a failure; otherwise the plan was only made.
  ///   - exceptions: what production keeps, which does not count as a difference.
  ///   - makesContainer: true if applying the plan creates the container.
  ///   - accepted: the risks that the command accepts.
  ///   - failure: why the imported schema could not be read back.
  package init(
    _ plan: SchemaPlan, of file: String? = nil, isApplied: Bool = false,
    exceptions: SchemaPolicy = .none, makesContainer: Bool = false, accepted: [String] = [],
    status: (_ hasChanges: Bool) -> ExitStatus = { _ in .done }, failure: CommandFailure? = nil
  ) {
    kept =
      plan.target.environment == .production
      ? plan.changes.compactMap { change in exceptions.keeping(change).map { (change, $0.reason) } } : []
    lasting = plan.lasting.filter { exceptions.keeping($0) == nil }
    self.plan = plan
    self.file = file
    self.isApplied = isApplied
    self.makesContainer = makesContainer
    self.accepted = accepted
    self.status = failure?.status ?? status(plan.changes.count > kept.count)
    self.failure = failure
  }

  package var isConfirmation: Bool { isApplied || plan.changes.isEmpty && !makesContainer }

  package var json: JSONValue {
    let reasons = Dictionary(kept.map { ($0.change, $0.reason) }) { first, _ in first }
    let json = SchemaDiffJSON.render(plan.changes, kept: reasons)
    guard !isApplied else { return json }
    return json.adding([
      "risks": plan.risks.json, "kept": plan.kept.json, "makesContainer": makesContainer.json,
      "steps": steps.isEmpty ? nil : steps.json, "plan": plan.json,
    ])
  }

  package var title: StyledText? {
    plan.changes.isEmpty
      ? nil : "Schema plan for \(plan.target.name, .code) (\(plan.target.environment.rawValue))"
  }
  package var hasTitleInText: Bool { !isApplied && !plan.isAlreadyApplied }

  package var hasBodyInText: Bool { !isApplied }
  package var maxPageBytes: Int? { MarkdownRenderer.maxCommentBytes }

  package var body: ReportBody {
    if !plan.isAlreadyApplied { plan.changes.body() }
  }

  package var conclusion: ReportBody {
    if plan.isAlreadyApplied {
      "already applied: \(plan.target.inWords) has the schema of this plan"
    } else if isApplied {
      if plan.changes.isEmpty {
        "already up to date"
      } else {
        "\(counted(plan.changes.count, "change")) imported into \(plan.target.inWords)\(failure == nil ? " and read back" : ", but not read back")"
      }
    } else {
      plan.changes.verdict
      for (change, reason) in kept { "production keeps \(change.removed, .code): \(reason)" }
      for name in plan.kept { "kept: \(name), which CloudKit manages and the file leaves out" }
      if makesContainer { "\(plan.target.name) does not exist yet; applying this plan creates it" }
      if !refused.isEmpty {
        "\("refused:", .bad) development refuses \(counted(refused.count, "change")), so the plan cannot be \(plan.target.environment == .production ? "deployed" : "applied")"
      } else {
        risks.items
        lasting.exceptions(
          after:
            "A deployment is not known to remove anything: production may keep what \(counted(lasting.count, "change")) would remove",
          "To accept that production keeps it")
      }
      if !steps.isEmpty { "Production accepts no imports. In the CloudKit Console:" }
      for step in steps { "\(step)" }
      if !steps.isEmpty {
        "On a local container and on the emulator, in place of steps 2 and 3: \(promotion, .code)"
      }
    }
  }

  package var canBeApplied: Bool { !plan.changes.isEmpty && plan.impossibility(of: file) == nil }
  package var risks: RiskOptions { RiskOptions(plan.risks, accepted: accepted) }

  private var promotion: String {
    "celestra-admin schema promote" + (plan.risks.isEmpty ? "" : " \(RiskOptions(plan.risks))")
  }

  /// What development refuses, without what production keeps.
  private var refused: [SchemaChange] { plan.refused.filter { !kept.map(\.change).contains($0) } }

  /// The steps that deploy a schema to production (Documentation/reference/schema-language.md#imports). None where
  /// development refuses the first, or where they would add nothing.
  private var steps: [String] {
    !isApplied && plan.target.environment == .production && plan.changes.count > kept.count + lasting.count
      && refused.isEmpty ? SchemaPlan.consoleSteps(for: file) : []
  }
}

extension SchemaPlan {
  static func consoleSteps(for file: String?) -> [String] {
    let named = file == "-" ? nil : file
    let imported = named.map { "import \($0) into development: celestra-admin schema apply \($0.shellWord)" }
    return [
      "1. \(imported ?? "import the plan's schema file into development: celestra-admin schema apply FILE") --environment development",
      "2. open https://icloud.developer.apple.com, choose the container, then Development",
      "3. choose Deploy Schema Changes, read the list, and deploy",
      "4. check the result: celestra-admin schema plan \(named?.shellWord ?? "FILE") --environment production --exit-code",
    ]
  }
}

extension [SchemaChange] {
  /// What a deployment makes of the changes: it removes nothing.
  var deployed: [SchemaChange] { filter { !$0.kind.isRemoval } }
}

/// The deployment of development's schema to production: the changes that it makes there.
package struct SchemaPromotion: Report {
  package let changes: [SchemaChange]
  /// What only production has: a deployment removes nothing.
  private let kept: [SchemaChange]
  /// The risks that the command accepts.
  private let accepted: [String]
  private let target: ContainerIdentity
  private var isDeployed = false
  package private(set) var hasBodyInText = true

  /// Throws ``CommandFailure`` for what no deployment changes: a field that has another type in production.
  package init(
    from development: Schema, to production: Schema, in target: ContainerIdentity, accepted: [String] = []
  ) throws {
    let all = SchemaDiff.changes(from: production, to: development, production: production)
    let retyped = all.filter { $0.kind == .changeFieldType && $0.production == .refused }
    guard retyped.isEmpty else {
      throw CommandFailure(
        "production refuses \(counted(retyped.count, "change")); nothing was deployed",
        details: retyped.map { "\($0.heading): \($0.sign) \($0.summary)" }, code: "production-refuses")
    }
    changes = all.deployed
    kept = all.filter(\.kind.isRemoval)
    self.accepted = accepted
    self.target = target
  }

  /// The risks that must be accepted by name.
  package var risks: Set<String> { Set(changes.risks) }

  /// The plan in lines, for the error of a deployment that was not confirmed.
  package var lines: [String] {
    text().description.split(separator: "\n").map(String.init)
  }

  /// - Parameter isShown: whether a person has seen the plan, and needs the result only.
  package func deployed(isShown: Bool) -> SchemaPromotion {
    return copy(of: self) {
      $0.isDeployed = true
      $0.hasBodyInText = !isShown
    }
  }

  package var json: JSONValue {
    SchemaDiffJSON.render(changes).adding([
      "kept": .array(kept.map { SchemaDiffJSON.value($0) }), "risks": isDeployed ? nil : risks.json,
    ])
  }
  package var isConfirmation: Bool { isDeployed || changes.isEmpty }

  package var title: StyledText? {
    changes.isEmpty ? nil : "Deployment to production of \(target.name, .code)"
  }
  package var hasTitleInText: Bool { hasBodyInText }
  package var maxPageBytes: Int? { MarkdownRenderer.maxCommentBytes }
  package var body: ReportBody { changes.body() }
  package var conclusion: ReportBody {
    if changes.isEmpty {
      "production of \(target.name) has all that development has"
    } else {
      "\(counted(changes.count, "change"))\(isDeployed ? " deployed to production of \(target.name)" : "")"
      if !isDeployed { RiskOptions(risks, accepted: accepted).items }
    }
    for change in kept {
      "only production has \(change.removed, .code), and keeps it"
    }
  }
}

/// What a reset of development would change: its schema becomes production's, and all its records are deleted.
package struct SchemaResetPlan: Report {
  private let container: String
  private let changes: [SchemaChange]
  private let records: [(recordType: String, count: Int64)]?
  /// The risks that the command accepts.
  package var accepted: [String] = []

  /// - Parameter records: the counts of the types that have records; `nil` if the container cannot count them.
  package init(
    of container: String, development: Schema, production: Schema,
    records: [(recordType: String, count: Int64)]?
  ) {
    self.container = container
    self.records = records
    // Development gives up all of this at once, which no import could.
    changes = SchemaDiff.changes(
      from: development, to: production, production: production, isImport: false
    ).map { $0.withoutImport(risk: $0.risk) }
  }

  /// Nothing would change, and no record be deleted.
  package var isEmpty: Bool { changes.isEmpty && records?.isEmpty ?? false }

  private var risks: Set<String> { isEmpty ? [] : [DeletionLoss.risk] }

  package var json: JSONValue {
    SchemaDiffJSON.render(changes).adding([
      "records": records.map { records in
        .array(records.map { ["recordType": .string($0.recordType), "records": .integer($0.count)] })
      },
      "risks": .array(risks.map(JSONValue.string)), "dryRun": true,
    ])
  }

  package var body: ReportBody {
    "would reset development of \(container):"
    details
    RiskOptions(risks, accepted: accepted).items
  }

  @ReportBodyBuilder package var details: ReportBody {
    changes.body()
    // Not what an import or a deployment would refuse of it.
    changes.isEmpty ? changes.verdict : "\(counted(changes.count, "change"))"
    "\(loss)"
  }

  /// The records to delete; `nil` if the container cannot count them.
  package var recordCount: Int? { records.map { $0.reduce(0) { $0 + Int($1.count) } } }

  private var loss: String {
    guard let records, let recordCount else {
      return "all records in development would be deleted; they are not counted here"
    }
    guard !records.isEmpty else { return "there are no records in development" }
    return "\(counted(recordCount, "record")) would be deleted: "
      + records.map { "\($0.count) \($0.recordType)" }.joined(separator: ", ")
  }
}

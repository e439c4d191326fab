package import CloudKitModel
package import Diagnostics
package import SchemaLanguage

/// The deployment of development's schema to production: the changes that it makes there.
package struct SchemaPromotion: Report {
  package let changes: [SchemaChange]
  /// What only production has: a deployment removes nothing.
  private let kept: [SchemaChange]
  /// The risks that must be accepted by name: none where production is empty, because it has no records yet, and
  /// development asked for the same risks.
  package let risks: Set<String>
  private let target: ContainerIdentity
  private var isDeployed = false
  package private(set) var hasBodyInText = true

  /// Throws ``CommandFailure`` for what no deployment changes: a field that has another type in production.
  package init(from development: Schema, to production: Schema, in target: ContainerIdentity) throws {
    let all = SchemaDiff.changes(from: production, to: development, production: production)
    let retyped = all.filter { $0.kind == .changeFieldType && $0.production == .refused }
    guard retyped.isEmpty else {
      throw CommandFailure(
        "production refuses \(counted(retyped.count, "change")); nothing was deployed",
        details: retyped.map { "\($0.heading): \($0.sign) \($0.summary)" }, code: "production-refuses")
    }
    changes = all.filter { !$0.kind.isRemoval }
    kept = all.filter(\.kind.isRemoval)
    risks = production.isNew ? [] : Set(changes.risks)
    self.target = target
  }

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
    SchemaDiffJSON.render(changes).adding(["kept": .array(kept.map { SchemaDiffJSON.value($0) })])
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

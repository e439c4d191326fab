public import CloudKitModel
public import Diagnostics
public import SchemaLanguage

/// The deployment of development's schema to production: the changes that it makes there.
public struct SchemaPromotion: Sendable {
  public let changes: [SchemaChange]
  /// The risks that must be accepted by name: none where production is empty, because it has no records yet, and
  /// development asked for the same risks.
  public let risks: Set<String>
  private let target: ContainerIdentity

  /// Throws ``CommandFailure`` for what no deployment changes: a field that has another type in production.
  public init(from development: Schema, to production: Schema, in target: ContainerIdentity) throws {
    let all = SchemaDiff.changes(from: production, to: development, production: production)
    let retyped = all.filter { $0.kind == .changeFieldType && $0.production == .refused }
    guard retyped.isEmpty else {
      throw CommandFailure(
        "production refuses \(counted(retyped.count, "change")); nothing was deployed",
        details: retyped.map { "\($0.heading): \($0.sign) \($0.summary)" }, code: "production-refuses")
    }
    // A deployment removes nothing.
    changes = all.filter { !$0.kind.isRemoval }
    risks = production.isOfNewContainer ? [] : Set(changes.risks)
    self.target = target
  }

  /// The plan in lines, for the error of a deployment that was not confirmed.
  public var lines: [String] {
    SchemaDiffText.render(changes).description.split(separator: "\n").map(String.init)
  }

  public func report(_ status: ExitStatus = .done) -> some Report {
    SchemaPromotionReport(changes: changes, target: target, isDeployed: false, status: status)
  }

  public var deployed: some Report {
    SchemaPromotionReport(changes: changes, target: target, isDeployed: true, status: .done)
  }
}

/// The report of `schema promote`.
private struct SchemaPromotionReport: Report {
  let changes: [SchemaChange]
  let target: ContainerIdentity
  let isDeployed: Bool
  let status: ExitStatus

  var json: JSONValue { SchemaDiffJSON.render(changes) }
  var isConfirmation: Bool { isDeployed || changes.isEmpty }

  func text(_ style: TerminalStyle) -> PrintableText {
    if changes.isEmpty { return "production of \(target.name) has development's schema already\n" }
    let plan: PrintableText =
      "Deployment to production of \(target.name)\n\n" + SchemaDiffText.render(changes, style)
    guard isDeployed else { return plan }
    return plan + "\(counted(changes.count, "change")) deployed to production of \(target.name)\n"
  }

  func rendered(as format: OutputFormat, _ style: TerminalStyle) -> PrintableText {
    guard format == .markdown else { return text(style) }
    return PrintableText(
      SchemaDiffMarkdown.render(changes, title: "Deployment to production of \(code: target.name)"))
  }
}

/// What a reset of development would change: its schema becomes production's, and all its records are deleted.
public struct SchemaResetPlan: Report {
  private let container: String
  private let changes: [SchemaChange]
  private let records: [(recordType: String, count: Int64)]?

  /// - Parameter records: the counts of the types that have records; `nil` if the container cannot count them.
  public init(
    of container: String, development: Schema, production: Schema,
    records: [(recordType: String, count: Int64)]?
  ) {
    self.container = container
    self.records = records
    // Development gives up all of this at once, which no import could.
    changes = SchemaDiff.changes(from: development, to: production, production: production).map {
      $0.withoutImport(risk: $0.risk)
    }
  }

  public var json: JSONValue {
    var json = SchemaDiffJSON.render(changes).object ?? [:]
    json["records"] = records.map { records in
      .array(records.map { ["recordType": .string($0.recordType), "records": .integer($0.count)] })
    }
    json["risks"] = .array([.string(DeletionLoss.risk)])
    json["dryRun"] = true
    return .object(json)
  }

  public func text(_ style: TerminalStyle) -> PrintableText {
    "would reset development of \(container):\n" + SchemaDiffText.renderWithoutVerdicts(changes, style)
      + "\(loss)\n\(style.yellow("risks:")) this needs --accept-risk \(DeletionLoss.risk)\n"
  }

  private var loss: String {
    guard let records else { return "all records in development would be deleted; they are not counted here" }
    guard !records.isEmpty else { return "there are no records in development" }
    let total = counted(Int(records.reduce(0) { $0 + $1.count }), "record")
    return "\(total) would be deleted: "
      + records.map { "\($0.count) \($0.recordType)" }.joined(separator: ", ")
  }
}

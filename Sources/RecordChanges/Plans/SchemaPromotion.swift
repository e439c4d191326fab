public import CloudKitModel
public import Diagnostics
public import SchemaLanguage

/// The deployment of development's schema to production: the changes that it makes there.
public struct SchemaPromotion: Sendable {
  public let changes: [SchemaChange]
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
    self.target = target
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
    if isDeployed { return "\(counted(changes.count, "change")) deployed to production of \(target.name)\n" }
    return "Deployment to production of \(target.name)\n\n" + SchemaDiffText.render(changes, style)
  }

  func rendered(as format: OutputFormat, _ style: TerminalStyle) -> PrintableText {
    guard format == .markdown else { return text(style) }
    return PrintableText(
      SchemaDiffMarkdown.render(changes, title: "Deployment to production of \(code: target.name)"))
  }
}

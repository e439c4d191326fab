internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer
internal import RecordChanges
internal import SchemaLanguage

struct SchemaReset: AdminCommand {
  static let title = "schema reset"
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Reset the development schema to production's and delete all development records.",
    discussion: """
      The named risk is data-loss: every record in development is deleted. --dry-run shows what would change in the \
      schema and, on containers that can count, how many records of each type would be deleted.

      Example: celestra-admin schema reset --dry-run
      """)

  @OptionGroup var mutation: MutationOptions
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaReset>

  func perform(in context: CommandContext) async throws -> any Report {
    guard try context.environment == .development else {
      throw CommandFailure.usage("only development can be reset; leave out --environment production")
    }
    let name = try context.target.name
    guard !mutation.dryRun else {
      return try await SchemaResetPlan(context, of: name)
    }
    try context.confirm(
      "Reset development of \(name), deleting all its records.", risks: SchemaResetPlan.risks,
      options: mutation)
    try await context.schemaContainer(writing: true).resetSchema()
    return PlainReport(
      json: ["reset": true], text: "development of \(name) has production's schema and no records\n",
      isConfirmation: true)
  }
}

/// The plan of a reset of development.
private struct SchemaResetPlan: Report {
  static let risks: Set<String> = [SchemaChange.Risk.dataLoss.rawValue]

  private let name: String
  private let changes: [SchemaChange]
  /// Record counts of the types that have records; `nil` if the container cannot count them.
  private let records: [StoreInfo.Count]?

  init(_ context: CommandContext, of name: String) async throws {
    self.name = name
    let development = try await context.schemaContainer().currentSchema()
    let production = try await context.schemaContainer(environment: .production).currentSchema()
    changes = SchemaDiff.changes(from: development, to: production, production: production)
    let local = try context.hasLocalContainer ? context.localContainer() : nil
    records = try await local?.store.info().counts.filter { $0.environment == .development && $0.records > 0 }
  }

  var json: JSONValue {
    var json = SchemaDiffJSON.render(changes).object ?? [:]
    json["records"] = records.map { counts in
      .array(counts.map { ["recordType": .string($0.recordType), "records": .integer($0.records)] })
    }
    json["risks"] = .array(SchemaResetPlan.risks.sorted().map(JSONValue.string))
    json["dryRun"] = true
    return .object(json)
  }

  func text(_ style: Style) -> PrintableText {
    "would reset development of \(name):\n" + SchemaDiffText.render(changes, style)
      + "\(loss)\n\(style.yellow("risks:")) this needs --accept-risk data-loss\n"
  }

  private var loss: String {
    guard let records else { return "all records in development would be deleted; they are not counted here" }
    guard !records.isEmpty else { return "there are no records in development" }
    let total = counted(Int(records.reduce(0) { $0 + $1.records }), "record")
    return "\(total) would be deleted: "
      + records.map { "\($0.records) \($0.recordType)" }.joined(separator: ", ")
  }
}

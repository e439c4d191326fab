internal import ArgumentParser
internal import CommandLine
internal import Diagnostics
internal import RecordChanges
internal import SchemaLanguage

/// The command `schema plan`.
struct SchemaPlanCommand: AdminCommand {
  static let formats: [OutputFormat] = [.text, .json, .markdown]
  static let configuration = CommandConfiguration(
    commandName: "plan", abstract: "Show what importing a schema file would change in the container.",
    discussion: """
      An import replaces the whole schema: what the file leaves out is dropped. --save plan.json saves the plan that is \
      shown, for 'schema apply --plan plan.json'; --output plan.json saves it and shows nothing. A local container that \
      is not there yet counts as empty: applying makes it. For production the plan ends with the steps in the CloudKit \
      Console.

      Examples:
        celestra-admin schema plan schema/app.ckdb --save plan.json
        celestra-admin schema plan schema/celestra.ckdb --format markdown
      """)

  @Argument(
    help: "The schema file, or git:REF:PATH; - reads standard input.", completion: .file(extensions: ["ckdb"])
  )
  var file: String
  @OptionGroup var planning: PlanningOptions
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaPlanCommand>

  func perform(in context: CommandContext) async throws -> any Report {
    let wanted = try await context.validSchema(in: file).schema
    let plan = try await context.schemaPlan(of: wanted, for: context.schemaContainer(canBeNew: true))
    let report = SchemaPlanReport(
      plan, of: file, makesContainer: try context.isContainerMissing,
      status: planning.status(hasChanges: !plan.changes.isEmpty))
    try planning.save(report, for: "schema apply", in: context, as: envelope(in: context))
    return report
  }
}

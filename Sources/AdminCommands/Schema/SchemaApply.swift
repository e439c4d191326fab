internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges
internal import SchemaLanguage

/// The command `schema apply`.
struct SchemaApply: AdminCommand {
  static let title = "schema apply"
  static let formats: [OutputFormat] = [.text, .json, .markdown]
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Import a schema file or a saved plan, and read the schema back.",
    discussion: """
      The named risks are data-loss, index-loss and permission-widening. Production is never imported to: CloudKit \
      refuses it, and the steps in its Console are printed instead.

      Example: celestra-admin schema apply --plan plan.json --accept-risk index-loss
      """)

  @OptionGroup var mutation: MutationOptions
  @Argument(
    help: "The schema file, or git:REF:PATH; - reads standard input.", completion: .file(extensions: ["ckdb"])
  )
  var file: String?
  @Option(help: ArgumentHelp("A saved plan instead of a file.", valueName: "file"), completion: .file())
  var plan: String?
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaApply>

  func validate() throws {
    if (file == nil) == (plan == nil) { throw ValidationError("give either a schema file or --plan FILE") }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let prepared =
      if let plan { try await context.savedSchemaPlan(plan) } else {
        try await context.schemaPlan(of: file ?? "")
      }
    if mutation.dryRun { return SchemaPlanReport(prepared, makesContainer: try context.isContainerMissing) }
    guard !prepared.changes.isEmpty else { return SchemaPlanReport(prepared, .applied) }
    if let failure = prepared.impossibility { throw failure }
    try await context.confirm(
      "Import \(counted(prepared.changes.count, "change")) into \(prepared.target.name).",
      details: SchemaDiffText.render(prepared.changes), risks: prepared.risks, options: mutation)
    try context.keepSchema(before: prepared)
    try await context.schemaContainer(writing: true, canBeNew: true).apply(prepared)
    return SchemaPlanReport(prepared, .applied)
  }
}

internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges
internal import SchemaLanguage

struct SchemaApply: AdminCommand {
  static let title = "schema apply"
  static let formats: [OutputFormat] = [.text, .json, .markdown]
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Import a schema file, or exactly the plan that was saved, and read it back.",
    discussion: """
      The named risks are data-loss, index-loss and permission-widening. Production is never imported to: CloudKit \
      refuses it, and the steps in its Console are printed instead.

      Example: celestra-admin schema apply --plan plan.json --accept-risk index-loss
      """)

  @OptionGroup var mutation: MutationOptions
  @Argument(help: "The schema file; - reads standard input.", completion: .file(extensions: ["ckdb"]))
  var file: String?
  @Option(help: ArgumentHelp("A saved plan instead of a file.", valueName: "file"), completion: .file())
  var plan: String?
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaApply>

  func validate() throws {
    if (file == nil) == (plan == nil) { throw ValidationError("give either a schema file or --plan FILE") }
  }

  func perform(in session: Session) async throws -> any Report {
    let plan = try await schemaPlan(session)
    if mutation.dryRun {
      return plan.commandResult(.done, makesContainer: try session.isContainerMissing)
    }
    guard !plan.changes.isEmpty else {
      return CommandResult(
        isConfirmation: true, json: SchemaDiffJSON.render([]), text: "already up to date\n")
    }
    if plan.target.environment == .production { throw ConsoleDeployment.failure(for: plan) }
    try session.confirm(
      "Import \(counted(plan.changes.count, "change")) into \(plan.target.name).",
      details: SchemaDiffText.render(plan.changes), risks: plan.risks, options: mutation)
    try await session.schemaContainer(writing: true, canBeNew: true).apply(plan)
    return result(of: plan)
  }

  private func result(of plan: SchemaPlan) -> CommandResult {
    let summary: PrintableText = "\(counted(plan.changes.count, "change")) imported and read back\n"
    return CommandResult(isConfirmation: true, json: SchemaDiffJSON.render(plan.changes)) { format, _ in
      format == .markdown ? PrintableText(SchemaDiffMarkdown.render(plan.changes)) + "\n" + summary : summary
    }
  }

  private func schemaPlan(_ session: Session) async throws -> SchemaPlan {
    guard let plan else { return try await session.schemaPlan(of: file ?? "") }
    let current = try await session.schemaContainer(canBeNew: true).currentSchema()
    do {
      let saved = try SchemaPlan(parsing: InputFile.read(plan), current: current)
      let target = try session.target
      guard saved.target == target else {
        throw CommandFailure(
          "the plan was made for \(saved.target.name), not for \(target.name)", code: "bad-plan")
      }
      return saved
    } catch let error as ChangeCodingError {
      throw CommandFailure("cannot use the plan \(InputFile.displayName(plan)): \(error)", code: "bad-plan")
    }
  }
}

/// The only way into production's schema (Documentation/reference/schema-language.md#imports).
enum ConsoleDeployment {
  static func failure(for plan: SchemaPlan) -> CommandFailure {
    CommandFailure(
      "CloudKit takes no schema import in production; nothing was changed. Deploy it in the CloudKit Console:",
      details: [
        "1. import the same file into development: celestra-admin schema apply FILE --environment development",
        "2. open https://icloud.developer.apple.com, choose the container, then Development",
        "3. choose Deploy Schema Changes, read the list, and deploy",
        "4. prove it: celestra-admin schema diff container:production container:development --exit-code",
      ], code: "production-refuses-import")
  }
}

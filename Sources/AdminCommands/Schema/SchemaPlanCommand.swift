internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import Platform
internal import RecordChanges
internal import SchemaLanguage

/// The command `schema plan`.
struct SchemaPlanCommand: AdminCommand {
  static let title = "schema plan"
  static let formats: [OutputFormat] = [.text, .json, .markdown]
  static let configuration = CommandConfiguration(
    commandName: "plan", abstract: "Show what importing a schema file would change in the container.",
    discussion: """
      An import replaces the whole schema: what the file leaves out is dropped. With --output plan.json the plan is \
      saved as JSON, for 'schema apply --plan plan.json'. A local container that is not there yet counts as empty: \
      applying makes it. For production the plan ends with the steps in the CloudKit Console.

      Example: celestra-admin schema plan schema/app.ckdb --output plan.json
      """)

  @Argument(
    help: "The schema file, or git:REF:PATH; - reads standard input.", completion: .file(extensions: ["ckdb"])
  )
  var file: String
  @Flag(help: "Exit with status 2 if there are changes.") var exitCode = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaPlanCommand>

  func perform(in context: CommandContext) async throws -> any Report {
    let plan = try await context.schemaPlan(of: file)
    return SchemaPlanReport(
      plan, makesContainer: try context.isContainerMissing,
      status: exitCode && !plan.changes.isEmpty ? .differences : .done)
  }
}

extension CommandContext {
  func schemaPlan(of file: String) async throws -> SchemaPlan {
    let wanted = try await validSchema(in: file).schema
    return SchemaPlan(
      target: try target, current: try await schemaContainer(canBeNew: true).currentSchema(), wanted: wanted,
      production: try await productionSchema())
  }

  /// Reads a saved plan. Throws if it was made for another container, or if the schema changed since.
  func savedSchemaPlan(_ path: String) async throws -> SchemaPlan {
    let current = try await schemaContainer(canBeNew: true).currentSchema()
    do {
      let saved = try SchemaPlan(
        parsing: InputFile.read(path), current: current, production: try await productionSchema())
      try saved.requireTarget(try target)
      return saved
    } catch let error as ChangeCodingError {
      throw CommandFailure("cannot use the plan \(InputFile.displayName(path)): \(error)", code: "bad-plan")
    }
  }

  /// Keeps the schema that an import is about to replace, for `history RUN --schema`, if there is one. If it cannot
  /// be saved, as on a read-only disk, the import continues with a warning.
  func keepSchema(before plan: SchemaPlan) throws {
    guard !plan.isFirst else { return }
    do {
      let history = try RunHistory(in: StateFolder.open(stateDirectory, making: true))
      try history.keepSchema(
        before: plan, runID: RunID.make(at: now, random: .random(in: 0...UInt32.max)), at: now)
    } catch {
      note("warning: cannot save the schema before this import: \(CommandFailure(error).message)")
    }
  }
}

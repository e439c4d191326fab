internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges
internal import SchemaLanguage

struct SchemaApply: JobCommand {
  static let formats: [OutputFormat] = [.text, .json, .markdown]
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Import a schema file or a saved plan, and read the schema back.",
    discussion: """
      The risks data-loss, index-loss and permission-widening must be accepted by name; who answers the prompt accepts \
      data-loss, too. CloudKit has no lock for schemas: of two imports at once the later one replaces the other, which \
      reports it. Production is never imported to: CloudKit refuses it, and the steps in its Console are printed \
      instead.

      Example: celestra-admin schema apply --plan plan.json --accept-risk index-loss
      """)

  @OptionGroup var job: JobOptions
  @Argument(help: .schemaFile, completion: .schemaFile) var file: String?
  @Option("A saved plan instead of a file.", value: "file", completion: .file()) var plan: String?
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaApply>

  func validate() throws {
    if (file == nil) == (plan == nil) { throw ValidationError("give either a schema file or --plan FILE") }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let wanted = if let file { try await context.validSchema(in: file).schema } else { Schema?.none }
    let present = try await context.schemaContainer(canBeNew: true)
    let plan =
      if let wanted {
        try await context.schemaPlan(of: wanted, for: present)
      } else {
        try await context.savedSchemaPlan(self.plan ?? "", for: present)
      }
    if mutation.dryRun {
      return SchemaPlanReport(
        plan, of: file,
        exceptions: SchemaPolicy(.additive, exceptions: try context.validLintConfiguration().allowedChanges),
        makesContainer: try context.isContainerMissing, accepted: mutation.acceptRisk)
    }
    guard !plan.changes.isEmpty else { return SchemaPlanReport(plan, of: file, isApplied: true) }
    if let failure = plan.impossibility(of: file) { throw failure }
    try await context.confirm(
      "Import \(counted(plan.changes.count, "change")) into \(plan.target.inWords).",
      details: plan.changes.body(), risks: plan.risks, options: mutation)
    // Opened for writing only now, so that a refused plan leaves no trace. The import refuses a schema that changed
    // since the plan.
    let schema = try await context.schemaContainer(writing: true, canBeNew: true)
    var unread: CommandFailure?
    try await context.holdingSeeds(Self.title, of: schema, lease) {
      let deleted = plan.risks.contains(DeletionLoss.risk) ? nil : 0
      try await context.changing(schema, from: plan.current, in: Self.title, deleting: deleted) {
        do { try await schema.apply(plan) } catch let failure as UnreadSchemaImport {
          unread = failure.failure
        }
      }
    }
    return SchemaPlanReport(plan, of: file, isApplied: true, failure: unread)
  }
}

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

  @Argument(help: .schemaFile, completion: .schemaFile) var file: String
  @OptionGroup var planning: PlanningOptions
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaPlanCommand>

  var resultFiles: [String] { [planning.save].compactMap(\.self) }

  func perform(in context: CommandContext) async throws -> any Report {
    let wanted = try await context.validSchema(in: file).schema
    let plan = try await context.schemaPlan(of: wanted, for: context.schemaContainer(canBeNew: true))
    let report = SchemaPlanReport(
      plan, of: file,
      exceptions: SchemaPolicy(.additive, exceptions: try context.validLintConfiguration().allowedChanges),
      makesContainer: try context.isContainerMissing, status: planning.status(hasChanges:))
    try planning.save(report, for: "schema apply", in: context, as: envelope(in: context))
    return report
  }
}

struct SchemaPromote: AdminCommand {
  static let formats: [OutputFormat] = [.text, .json, .markdown]
  static let configuration = CommandConfiguration(
    commandName: "promote",
    abstract: "Deploy development's schema to production, on a local container or the emulator.",
    discussion: """
      Does what the CloudKit Console's Deploy Schema Changes does: production gets what development has and it lacks, \
      and loses nothing: what only production has is listed and stays. Records are not copied. The plan is printed first, \
      and its risks must be accepted by name. On CloudKit only the Console can do it.

      Example: celestra-admin schema promote --yes
      """)

  @OptionGroup var mutation: MutationOptions
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaPromote>

  func envelope(in context: CommandContext) throws -> JSONEnvelope {
    JSONEnvelope(command: Self.title, target: try target(in: context))
  }

  /// The production environment, regardless of the settings.
  private func target(in context: CommandContext) throws -> ContainerIdentity {
    ContainerIdentity(name: try context.target.name, environment: .production)
  }

  func perform(in context: CommandContext) async throws -> any Report {
    guard context.common.environment != .development else {
      throw CommandFailure.usage("promote deploys to production; leave out --environment development")
    }
    let production = try await context.schemaContainer(environment: .production)
    let development = try await context.schemaContainer(environment: .development).currentSchema()
    let former = try await production.currentSchema()
    let plan = try SchemaPromotion(
      from: development, to: former, in: try target(in: context), accepted: mutation.acceptRisk)
    guard !mutation.dryRun, !plan.changes.isEmpty else { return plan }
    var isShown = false
    do {
      isShown = try await context.confirm(
        "Deploy \(counted(plan.changes.count, "change")) to production of \(try context.target.name).",
        details: plan.changes.body(), risks: plan.risks, options: mutation,
        target: try target(in: context))
    } catch var refusal as CommandFailure where refusal.code == "not-confirmed" && !context.canAsk {
      // A person has seen the plan with the question.
      refusal.details = plan.lines
      throw refusal
    }
    let schema = try await context.schemaContainer(writing: true, environment: .production)
    try await context.changing(schema, from: former, in: Self.title, environment: .production) {
      try await schema.deploySchema()
    }
    return plan.deployed(isShown: isShown)
  }
}

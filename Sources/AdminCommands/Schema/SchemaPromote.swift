internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges
internal import SchemaLanguage

struct SchemaPromote: AdminCommand {
  static let formats: [OutputFormat] = [.text, .json, .markdown]
  static let configuration = CommandConfiguration(
    commandName: "promote",
    abstract: "Deploy development's schema to production, on a local container or the emulator.",
    discussion: """
      Does what the CloudKit Console's Deploy Schema Changes does: production gets what development has and it lacks, \
      and loses nothing: what only production has is listed and stays. Records are not copied. The plan is printed first, \
      and its risks must be accepted by name unless production is empty. On CloudKit only the Console can do it.

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
    let production = try await context.schemaContainer(environment: .production)
    let development = try await context.schemaContainer(environment: .development).currentSchema()
    let former = try await production.currentSchema()
    let plan = try SchemaPromotion(from: development, to: former, in: try target(in: context))
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

internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges
internal import SchemaLanguage

struct SchemaPromote: AdminCommand {
  static let title = "schema promote"
  static let formats: [OutputFormat] = [.text, .json, .markdown]
  static let configuration = CommandConfiguration(
    commandName: "promote",
    abstract: "Deploy development's schema to production, on a local container or the emulator.",
    discussion: """
      Does what the CloudKit Console's Deploy Schema Changes does: production gets what development has and it lacks, \
      and loses nothing. Records are not copied. On CloudKit only the Console can do it.

      Example: celestra-admin schema promote --yes
      """)

  @OptionGroup var mutation: MutationOptions
  @Flag(help: "End with status 2 when there is something to do; with --dry-run.") var exitCode = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SchemaPromote>

  func envelope(in session: Session) throws -> Envelope {
    Envelope(command: Self.title, target: try target(in: session))
  }

  /// Production, whatever the environment of the settings.
  private func target(in session: Session) throws -> ContainerIdentity {
    ContainerIdentity(name: try session.target.name, environment: .production)
  }

  func perform(in session: Session) async throws -> any Report {
    let production = try await session.schemaContainer(environment: .production)
    let development = try await session.schemaContainer(environment: .development).currentSchema()
    let plan = try SchemaPromotion(
      from: development, to: await production.currentSchema(), in: try target(in: session))
    let status: ExitStatus = exitCode && mutation.dryRun && !plan.changes.isEmpty ? .differences : .done
    guard !mutation.dryRun, !plan.changes.isEmpty else { return plan.report(status) }
    try session.confirm(
      "Deploy \(counted(plan.changes.count, "change")) to production of \(try session.target.name).",
      details: SchemaDiffText.render(plan.changes), risks: Set(plan.changes.risks), options: mutation,
      target: try target(in: session))
    try await session.schemaContainer(writing: true, environment: .production).deploySchema()
    return plan.deployed
  }
}

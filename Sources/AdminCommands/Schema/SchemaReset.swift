internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer
internal import RecordChanges
internal import SchemaLanguage

/// The command `schema reset`.
struct SchemaReset: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Reset the development schema to production's and delete all development records.",
    discussion: """
      The named risk is data-loss: every record in development is deleted, and nothing restores them. --dry-run shows what would change in the \
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
      let local = try context.hasLocalContainer ? context.localContainer() : nil
      let counts = try await local?.store.info().counts.filter {
        $0.environment == .development && $0.records > 0
      }
      return SchemaResetPlan(
        of: name, development: try await context.schemaContainer().currentSchema(),
        production: try await context.schemaContainer(environment: .production).currentSchema(),
        records: counts?.map { ($0.recordType, $0.records) })
    }
    let schema = try await context.schemaContainer(writing: true)
    _ = try await schema.currentSchema()
    try await context.confirm(
      "Reset development of \(name), deleting all its records.", deleting: .permanent,
      options: mutation)
    try await schema.resetSchema()
    return PlainReport(json: ["reset": true], isConfirmation: true) {
      "development of \(name) has production's schema and no records"
    }
  }
}

internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import LocalContainer
internal import RecordChanges
internal import SchemaLanguage

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
    guard !mutation.dryRun else { return try await context.schemaResetPlan() }
    let schema = try await context.schemaContainer(writing: true)
    _ = try await schema.currentSchema()
    try await context.confirmReset(mutation)
    try await schema.resetSchema()
    return PlainReport(json: ["reset": true], isConfirmation: true) {
      "development of \(name) has production's schema and no records"
    }
  }
}

extension CommandContext {
  /// Asks before development gets production's schema and loses its records, unless a local container has nothing to lose.
  func confirmReset(_ options: some ConfirmationOptions) async throws {
    if try hasLocalContainer, try await schemaResetPlan().isEmpty { return }
    try await confirm(
      "Reset development of \(target.name), deleting all its records.", deleting: .permanent,
      options: options)
  }

  fileprivate func schemaResetPlan() async throws -> SchemaResetPlan {
    let local = try hasLocalContainer ? localContainer() : nil
    let counts = try await local?.store.info().counts.filter {
      $0.environment == .development && $0.records > 0
    }
    return SchemaResetPlan(
      of: try target.name, development: try await schemaContainer().currentSchema(),
      production: try await schemaContainer(environment: .production).currentSchema(),
      records: counts?.map { ($0.recordType, $0.records) })
  }
}

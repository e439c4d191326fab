internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import People
internal import RecordChanges

/// The command `person check`.
struct PersonCheckCommand: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Say how each record type would be searched for a person's data.",
    discussion: """
      Reads a few records, and its output names no person. Status 3 when a type cannot be searched, because it lacks an index or the \
      key may not read it. Also lists where copies may be, and what this tool cannot reach.

      Example: celestra-admin person check --container cloudkit:iCloud.com.example.App --environment production
      """)

  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<PersonCheckCommand>

  func perform(in context: CommandContext) async throws -> any Report {
    let handle = try await context.openContainer(ownRecords: .shown)
    let schema = try await context.schemaForJobs(handle)
    let plan = try await PersonSearchPlan(
      of: handle.container, schema, references: ReferenceFields(CatalogReferences.all, in: schema))
    return PersonSearchReport(plan, in: handle.container.identity)
  }
}

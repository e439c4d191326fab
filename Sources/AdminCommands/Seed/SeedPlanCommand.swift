internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Curation
internal import Diagnostics
internal import RecordChanges

/// The command `seed plan`.
struct SeedPlanCommand: AdminCommand {
  static let title = "seed plan"
  static let formats: [OutputFormat] = [.text, .json, .markdown]
  static let configuration = CommandConfiguration(
    commandName: "plan", abstract: "Show what seeding would change.",
    discussion: """
      With --output plan.json the plan is saved as JSON, for 'seed apply --plan plan.json'.

      Example: celestra-admin seed plan seeds --format markdown
      """)

  @Argument(help: "The seed folder. Default: the nearest folder 'seeds'.", completion: .directory)
  var directory: String?
  @Flag(
    help: """
      Also plan to delete the records no seed mentions. The named risk is data-loss, and also mass-deletion when more \
      than half of the records of a type would go.
      """)
  var prune = false
  @Flag(help: "End with status 2 if there are changes.") var exitCode = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SeedPlanCommand>

  func perform(in context: CommandContext) async throws -> any Report {
    let handle = try await context.handle()
    let container = RequestCountingContainer(handle.container)
    let planned = try await context.plannedSeeds(
      of: context.seedFolder(directory), in: container, handle, prunes: prune)
    return SeedPlanReport(
      planned.plan, exitCode && !planned.plan.isUpToDate ? .differences : .done, findings: planned.findings,
      requests: container.counts, created: context.now)
  }
}

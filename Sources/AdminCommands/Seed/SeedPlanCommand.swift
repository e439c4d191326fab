internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics

struct SeedPlanCommand: AdminCommand {
  static let formats: [OutputFormat] = [.text, .json, .markdown]
  static let configuration = CommandConfiguration(
    commandName: "plan", abstract: "Show what applying the seeds would change.",
    discussion: """
      --save plan.json saves the plan that is shown, for 'seed apply --plan plan.json'; --output plan.json saves it and \
      shows nothing. With --schema, apply that schema before the plan; a record type that the container does not have \
      yet counts as empty.

      Example: celestra-admin seed plan seeds --format markdown
      Example: celestra-admin seed plan seeds --schema schema/celestra.ckdb --save plan.json
      """)

  @Argument(help: .seedFolder, completion: .directory) var directory: String?
  @Flag(
    help: """
      Also plan to delete the records no seed mentions. The named risk is data-loss, and also mass-deletion when more \
      than half of the records of a type would go.
      """)
  var prune = false
  @Option(
    "Plan for this schema instead of the container's: a file, git:REF:PATH, or - for standard input.",
    value: "file", completion: .schemaFile)
  var schema: String?
  @OptionGroup var planning: PlanningOptions
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SeedPlanCommand>

  var resultFiles: [String] { [planning.save].compactMap(\.self) }

  func perform(in context: CommandContext) async throws -> any Report {
    let folder = try context.seedFolder(directory)
    let handle = try await context.openContainer(canBeNew: schema != nil)
    let container = RequestCountingContainer(handle.container)
    let plan = try await context.plannedSeeds(
      of: folder, for: schema, in: container, handle, prunes: prune)
    let report = SeedPlanReport(
      plan, planning.status(hasChanges: !plan.isUpToDate), requests: container.counts,
      created: context.now)
    try planning.save(report, for: "seed apply", in: context, as: envelope(in: context))
    return report
  }
}

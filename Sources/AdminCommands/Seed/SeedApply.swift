internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges

/// The command `seed apply`.
struct SeedApply: MonitoredCommand {
  static let title = "seed apply"
  static let formats: [OutputFormat] = [.text, .json, .markdown]
  static let configuration = CommandConfiguration(
    commandName: "apply", abstract: "Apply seed changes to the container.",
    discussion: """
      Give a folder, or a plan that 'seed plan' saved. A saved plan is applied exactly as it was saved, and refused \
      when its records changed since. To finish an interrupted run, run it again.

      Example: celestra-admin seed apply seeds
      Example: celestra-admin seed apply --plan plan.json --yes
      """)

  @OptionGroup var mutation: MutationOptions
  @OptionGroup var lease: LeaseOptions
  @Argument(help: "The seed folder. Default: the nearest folder 'seeds'.", completion: .directory)
  var directory: String?
  @Option(help: ArgumentHelp("A saved plan instead of a folder.", valueName: "file"), completion: .file())
  var plan: String?
  @Flag(
    help: """
      Also delete the records no seed mentions. The named risk is data-loss, and also mass-deletion when more than \
      half of the records of a type would go.
      """)
  var prune = false
  @OptionGroup var monitoring: MonitoringOptions
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SeedApply>

  var isRehearsal: Bool { mutation.dryRun }

  func validate() throws {
    if directory != nil, plan != nil { throw ValidationError("give either a seed folder or --plan FILE") }
    if plan != nil, prune { throw ValidationError("--prune works only with a folder, not with --plan") }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let handle = try await context.handle(writing: !mutation.dryRun)
    let container = RequestCountingContainer(handle.container)
    let planned =
      if let plan { try await context.plannedSeeds(savedAt: plan, in: container, handle) } else {
        try await context.plannedSeeds(
          of: context.seedFolder(directory), in: container, handle, prunes: prune,
          acceptsLoss: mutation.acceptRisk.contains(SeedPlanRisk.subscriberLoss.rawValue))
      }
    let plan = planned.plan
    if mutation.dryRun {
      return SeedPlanReport(
        plan, findings: planned.findings, requests: container.counts, created: context.now)
    }
    try context.confirm(plan, mutation)
    let report = try await context.apply(
      plan.changes, to: container, schema: try await context.knownSchema(handle), policy: .refuse,
      command: SeedApply.title, lease: .seed, terms: try lease.terms(context),
      memory: await context.memory(of: plan, in: handle.container))
    return SeedApplyReport(plan, report, findings: planned.findings, requests: container.counts)
  }
}

internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Curation
internal import Diagnostics
internal import RecordChanges

struct SeedApply: JobCommand, MonitoredCommand {
  static let formats: [OutputFormat] = [.text, .json, .markdown]
  static let configuration = CommandConfiguration(
    commandName: "apply", abstract: "Write the changes of the seeds to the container.",
    discussion: """
      Give a folder, or a plan that 'seed plan' saved. A saved plan is applied exactly as it was saved. It is refused \
      when a field that it writes changed since, or a record that it depends on. To finish an interrupted run, run it again.

      Example: celestra-admin seed apply seeds
      Example: celestra-admin seed apply --plan plan.json --yes
      """)

  @OptionGroup var job: JobOptions
  @Argument(help: .seedFolder, completion: .directory) var directory: String?
  @Option("A saved plan instead of a folder.", value: "file", completion: .file()) var plan: String?
  @Flag(
    help: """
      Also delete the records no seed mentions. The named risk is data-loss, and also mass-deletion when more than \
      half of the records of a type would go.
      """)
  var prune = false
  @OptionGroup(title: "Monitoring") var monitoring: MonitoringOptions
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SeedApply>

  func validate() throws {
    if directory != nil, plan != nil { throw ValidationError("give either a seed folder or --plan FILE") }
    if plan != nil, prune { throw ValidationError("--prune works only with a folder, not with --plan") }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let folder = try plan == nil ? context.seedFolder(directory) : nil
    let runner = try await JobRunner(context, writing: !mutation.dryRun, lease: lease)
    let container = RequestCountingContainer(runner.container)
    let job = WritingJob(SeedApply.title, lease: .seed)
    return try await runner.run(job, on: container) { writer -> any Report in
      let plan =
        if let folder {
          try await context.plannedSeeds(
            of: folder, in: container, runner.handle, prunes: prune,
            acceptsLoss: mutation.acceptRisk.contains(SeedPlanRisk.subscriberLoss.rawValue),
            isKept: writer != nil)
        } else {
          try await context.plannedSeeds(savedAt: self.plan ?? "", in: container, runner.handle)
        }
      guard let writer else {
        return SeedPlanReport(
          plan, accepted: mutation.acceptRisk, requests: container.counts, created: context.now)
      }
      context.note(aboutApplying: plan)
      try await context.confirm(plan, mutation)
      if let folder, plan.revision == nil {
        try context.remember(AgreedValues(replacedBy: plan), ofSeeds: folder)
      }
      var report = try await runner.apply(plan.pending, policy: .refuse, through: writer)
      report.results += plan.changes.filter { plan.done.contains($0.recordName) }.map {
        ($0, .alreadyApplied)
      }
      writer.lastRun = await LastSeedApply.remembered(in: runner.container)
        .lastRun(after: plan, report, at: context.now)
      return SeedApplyReport(plan, report, requests: container.counts)
    }
  }
}

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
      of: folder, for: schema, in: container, handle, prunes: prune, isKept: planning.save != nil)
    let report = SeedPlanReport(
      plan, planning.status(hasChanges: !plan.isUpToDate), requests: container.counts,
      created: context.now)
    try planning.save(report, for: "seed apply", in: context, as: envelope(in: context))
    return report
  }
}

internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges

struct SeedApply: AdminCommand {
  static let title = "seed apply"
  static let formats: [OutputFormat] = [.text, .json, .markdown]
  static let configuration = CommandConfiguration(
    commandName: "apply", abstract: "Apply seed changes to the container.",
    discussion: """
      Give a folder, or a plan that 'seed plan' saved: a saved plan is applied exactly as it stands, and refused \
      when the container has moved since. A run that was cut off is finished by running it again.
      """)

  @OptionGroup var mutation: MutationOptions
  @OptionGroup var lease: LeaseArguments
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
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SeedApply>

  func validate() throws {
    if directory != nil, plan != nil { throw ValidationError("give either a seed folder or --plan FILE") }
    if plan != nil, prune { throw ValidationError("--prune belongs to the plan, not to its application") }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    let handle = try await context.handle(writing: !mutation.dryRun)
    let container = RequestCounter(handle.container)
    let planned = try await plannedSeeds(context, container, handle.schema)
    let plan = planned.plan
    if mutation.dryRun {
      return planned.commandResult(.done, requests: container.counts, now: context.now)
    }
    try confirm(plan, context)
    let report = try await context.apply(
      plan.changes, to: container, schema: try await context.knownSchema(handle), policy: .refuse,
      command: SeedApply.title, lease: .seed, terms: try lease.terms(context),
      memory: try await context.memory(of: plan, at: planned.folder, in: handle.container))
    var result = result(of: plan, report, container.counts)
    result.diagnostics = planned.findings
    return result
  }

  private func plannedSeeds(
    _ context: CommandContext, _ container: RequestCounter, _ schema: (any SchemaContainer)?
  ) async throws -> PlannedSeeds {
    guard let plan else {
      return try await context.plannedSeeds(
        of: context.seedFolder(directory), in: container, schema, prunes: prune,
        acceptsLoss: mutation.acceptRisk.contains(SeedRisk.subscriberLoss.rawValue))
    }
    let file = try context.savedPlan(plan, for: "seed")
    try await context.checkUnmoved(file, in: container)
    var saved = try await SeedPlan(target: file.target, saved: file.changes, in: container)
    saved.conflicts = file.conflicts.map {
      SeedConflict(recordType: $0.recordType, slug: $0.slug, reason: $0.reason, help: $0.help)
    }
    return PlannedSeeds(plan: saved)
  }

  private func confirm(_ plan: SeedPlan, _ context: CommandContext) throws {
    guard !plan.changes.isEmpty else { return }
    try context.confirm(
      "Write \(counted(plan.changes.count, "record")) to \(plan.target.name) (\(plan.target.environment.rawValue)).",
      details: SeedChangelog(plan).text, risks: plan.riskNames, loss: plan.deletionSummary, options: mutation)
  }

  private func result(of plan: SeedPlan, _ report: ChangeReport, _ requests: RequestCounts) -> CommandResult {
    let status = report.status == .done && !plan.conflicts.isEmpty ? .partial : report.status
    let json = plan.result(report, requests: requests)
    var result = CommandResult(status, isConfirmation: true, json: .object(json)) { format, style in
      if format == .markdown {
        return PrintableText(SeedChangelog(plan).markdown)
      }
      guard !plan.changes.isEmpty || !plan.conflicts.isEmpty else {
        return "\(SeedChangelog(plan).summary)\n"
      }
      let counts = SeedChangelog(plan).outcome(report)
      let conflicts = plan.conflicts.map { conflict -> PrintableText in
        "  \(style.red("✗")) \(conflict.slug): \(conflict.reason)\n"
      }.joined()
      return "\(counts)\n\(conflicts)\(SeedChangelog(plan).notesText(style))"
    }
    result.failure = report.failure ?? undecided(plan.conflicts)
    return result
  }

  private func undecided(_ conflicts: [SeedConflict]) -> CommandFailure? {
    conflicts.first.map {
      let count = conflicts.count == 1 ? "1 seed has" : "\(conflicts.count) seeds have"
      return CommandFailure(
        "\(count) a conflict that needs a decision; \($0.slug): \($0.reason)", code: "conflict", hint: $0.help
      )
    }
  }
}

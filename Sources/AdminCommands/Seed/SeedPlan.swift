internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Curation
internal import Diagnostics
internal import RecordChanges

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
  @Flag(help: "End with status 2 when there is something to do.") var exitCode = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SeedPlanCommand>

  func perform(in context: CommandContext) async throws -> any Report {
    let folder = try context.seedFolder(directory)
    let handle = try await context.handle()
    let container = RequestCounter(handle.container)
    let planned = try await context.plannedSeeds(
      of: folder, in: container, handle.schema, prunes: prune,
      lastApplied: context.seedsAppliedLast(to: handle.container, folder: folder))
    let status: ExitStatus = exitCode && !planned.plan.isUpToDate ? .differences : .done
    return planned.commandResult(status, requests: container.counts, now: context.now)
  }
}

extension CommandContext {
  /// The seeds of the commit that was applied last; `nil` when the container does not remember it, or this clone does
  /// not have it.
  func seedsAppliedLast(to container: any Container, folder: String) async throws -> SeedCatalog? {
    guard let revision = await LastApply.revision(in: container) else { return nil }
    return try await GitSeeds(process, folder: folder).catalog(at: revision)
  }
}

extension CommandContext {
  /// What a complete apply leaves in the container: the commit of the seeds, so that 'seed pull' can tell whose change is
  /// the newer one. `nil` when there is nothing new to remember: without git, with uncommitted seeds, or with conflicts.
  func memory(of plan: SeedPlan, at folder: String?, in container: any Container) async throws -> JobMemory? {
    guard let folder, plan.conflicts.isEmpty else { return nil }
    let git = try await GitSeeds(process, folder: folder)
    guard let revision = try await git.revision() else { return nil }
    if plan.changes.isEmpty, await LastApply.revision(in: container) == revision { return nil }
    return JobMemory(finishedAt: now, result: "{}", revision: revision)
  }
}

/// A plan, and what was found in the seeds that it was made from.
struct PlannedSeeds {
  var plan: SeedPlan
  var findings: [Diagnostic] = []
  /// The seed folder; `nil` for a saved plan.
  var folder: String?
}

extension CommandContext {
  func plannedSeeds(
    of directory: String, in container: RequestCounter, _ schema: (any SchemaContainer)?, prunes: Bool,
    acceptsLoss: Bool = false, lastApplied: SeedCatalog? = nil
  ) async throws -> PlannedSeeds {
    let (catalog, findings) = try SeedCatalog.loaded(from: directory, prunes: prunes)
    do {
      let planner = SeedPlanner(
        container: container, schema: try await schema?.currentSchema(), prunes: prunes,
        acceptsLoss: acceptsLoss)
      return PlannedSeeds(
        plan: try await planner.plan(catalog, at: now, lastApplied: lastApplied), findings: findings,
        folder: directory)
    } catch let error as SchemaPreflightError {
      throw CommandFailure(
        error.description, code: "schema-mismatch",
        hint: try environment == .production
          ? "Deploy the schema first: 'schema apply FILE --environment production' prints how."
          : "Apply the schema first: celestra-admin schema apply FILE.")
    } catch let error as MissingFeedsFolderError {
      throw CommandFailure(
        error.description, code: "bad-seeds",
        hint:
          "Check the folder's name, in lower case. If the catalog is to have no feeds, make an empty folder feeds/.",
        diagnostics: findings)
    }
  }
}

extension PlannedSeeds {
  func commandResult(_ status: ExitStatus, requests: RequestCounts, now: Timestamp) -> CommandResult {
    var json = plan.result(requests: requests)
    let conflicts = plan.conflicts.map {
      PlanConflict(recordType: $0.recordType, slug: $0.slug, reason: $0.reason, help: $0.help)
    }
    json["plan"] =
      PlanFile(
        command: "seed", target: plan.target, created: now, changes: plan.changes, conflicts: conflicts
      ).json
    return CommandResult(
      status, isConfirmation: plan.isUpToDate, json: .object(json), diagnostics: findings
    ) { format, style in
      format == .markdown
        ? PrintableText(SeedChangelog(plan).markdown)
        : SeedChangelog(plan).text(style) + style.demand(for: plan.riskNames)
    }
  }
}

extension SeedPlan {
  var riskNames: Set<String> { Set(risks.map(\.rawValue)) }
}

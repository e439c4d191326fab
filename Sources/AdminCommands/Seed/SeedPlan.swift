internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import Diagnostics
internal import RecordChanges

struct SeedPlanCommand: AdminCommand {
  static let title = "seed plan"
  static let formats: [OutputFormat] = [.text, .json, .markdown]
  static let configuration = CommandConfiguration(
    commandName: "plan", abstract: "Show what seeding would change, writing nothing.",
    discussion: """
      With --output plan.json the plan is saved as JSON, for 'seed apply --plan plan.json'.

      Example: celestra-admin seed plan seeds --format markdown
      """)

  @Argument(help: "The seed folder.", completion: .directory) var directory: String
  @Flag(help: "Also plan to delete the records no seed mentions. The named risk is data-loss.") var prune =
    false
  @Flag(help: "End with status 2 when there is something to do.") var exitCode = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<SeedPlanCommand>

  func perform(in session: Session) async throws -> CommandResult {
    let handle = try await session.handle()
    let container = RequestCounter(handle.container)
    let plan = try await session.seedPlan(of: directory, in: container, handle.schema, prunes: prune)
    let status: ExitStatus = exitCode && !plan.isUpToDate ? .differences : .done
    return plan.commandResult(status, requests: container.counts, now: session.world.now())
  }
}

extension Session {
  func seedPlan(
    of directory: String, in container: RequestCounter, _ schema: (any SchemaContainer)?, prunes: Bool
  ) async throws -> SeedPlan {
    let catalog = try SeedCatalog.loaded(from: directory)
    do {
      let planner = SeedPlanner(
        container: container, schema: try await schema?.currentSchema(), prunes: prunes)
      return try await planner.plan(catalog, at: world.now())
    } catch let error as SchemaPreflightError {
      throw CommandFailure(
        error.description, code: "schema-mismatch",
        hint: try environment == .production
          ? "Deploy the schema first: 'schema apply FILE --environment production' prints how."
          : "Apply the schema first: celestra-admin schema apply FILE.")
    }
  }
}

extension SeedPlan {
  func commandResult(_ status: ExitStatus, requests: RequestCounts, now: Timestamp) -> CommandResult {
    var json = result(requests: requests)
    json["plan"] = PlanFile(command: "seed", target: target, created: now, changes: changes).json
    return CommandResult(status, isConfirmation: isUpToDate, json: .object(json)) { format, style in
      format == .markdown
        ? PrintableText(SeedChangelog(self).markdown) : SeedChangelog(self).text + style.demand(for: risks)
    }
  }

  /// The named risks of applying it.
  var risks: Set<String> { count(.delete) > 0 ? ["data-loss"] : [] }
}

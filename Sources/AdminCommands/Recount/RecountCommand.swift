internal import Aggregates
internal import ArgumentParser
internal import CloudKitModel
internal import PositionedJSON
internal import RecordChanges

struct RecountCommand: AdminCommand {
  static let title = "recount"
  static let configuration = CommandConfiguration(
    commandName: "recount", abstract: "Compute the numbers CloudKit cannot, and write those that differ.",
    discussion: """
      AGGREGATE is subscribers, quality, participants, another one declared in aggregates.json, or all. A number is \
      written only when everything that counts towards it was read in this run; nothing else is touched.

      Which part of the work to do is taken from --shard, or from CELESTRA_SHARD, CELESTRA_SHARD_INDEX or Kubernetes' \
      JOB_COMPLETION_INDEX with CELESTRA_SHARD_COUNT.

      Example: celestra-admin recount subscribers --shard 3/8 --checkpoint subscribers.json
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var mutation: MutationOptions
  @OptionGroup var options: RecountArguments
  @OptionGroup var quality: QualityArguments
  @Argument(help: "subscribers, quality, participants, all, or a declared aggregate.") var aggregate: String

  var invocation: String { "recount \(aggregate)" }

  func perform(in session: Session) async throws -> CommandResult {
    let job = try await RecountRun(session: session, arguments: options, dryRun: mutation.dryRun)
    if options.pruneOrphans, !mutation.dryRun {
      try session.confirm(
        "Delete what counts towards nothing in \(session.target.name).", risks: ["data-loss"],
        options: mutation)
    }
    switch aggregate {
    case "quality": return try await QualityRun(job, quality).result()
    case "all": return try await all(job)
    default: return try await job.run(job.declaration(named: aggregate))
    }
  }

  /// Every count first, then the scores that depend on them; the worst status of all is the command's.
  private func all(_ job: RecountRun) async throws -> CommandResult {
    var parts: [CommandResult] = []
    for declaration in job.declarations { parts.append(try await job.run(declaration)) }
    if job.hasCatalog { parts.append(try await QualityRun(job, quality).result()) }
    let status = parts.map(\.status).max { $0.rawValue < $1.rawValue } ?? .done
    return CommandResult(status, json: ["aggregates": .array(parts.map(\.json))]) { format, style in
      try parts.compactMap { try $0.render(format, style) }.joined()
    }
  }
}

/// The options of every recount.
struct RecountArguments: ParsableArguments {
  @Option(help: ArgumentHelp("Only this part of the targets.", valueName: "i/n")) var shard: String?
  @Option(help: ArgumentHelp("auto, sweep, binned, bucketed or pushdown.", valueName: "strategy"))
  var strategy: String = "auto"
  @Option(
    help: ArgumentHelp(
      "Refuse to write when the total, or a target above 20, falls further.", valueName: "percent"))
  var maxDrop: Double = 50
  @Option(help: ArgumentHelp("Publish counts below this as 0.", valueName: "k")) var minPublish: Int64 = 0
  @Option(help: ArgumentHelp("Remember the scan here, for a later run to go on with.", valueName: "file"))
  var checkpoint: String?
  @Option(
    help: ArgumentHelp(
      "Declared aggregates. Default: aggregates.json beside the project file.", valueName: "file"))
  var aggregates: String?
  @Flag(help: "Delete sources that count towards nothing. The named risk is data-loss.") var pruneOrphans =
    false
  @Flag(help: "Print what a recount would cost, counting nothing.") var estimate = false

  func validate() throws {
    if let shard, Shard(shard) == nil { throw ValidationError("--shard takes I/N, for example 3/8") }
    if strategy != "auto", ScanStrategy(rawValue: strategy) == nil {
      throw ValidationError("--strategy takes auto, sweep, binned, bucketed or pushdown")
    }
    guard (0...100).contains(maxDrop) else {
      throw ValidationError("--max-drop takes a percentage, 0 to 100")
    }
    guard minPublish >= 0 else { throw ValidationError("--min-publish takes a whole number from 0 up") }
  }

  func options(_ session: Session, dryRun: Bool) throws -> RecountOptions {
    var options = RecountOptions()
    do {
      let scheduled = try Shard.scheduled(in: session.world.environment)
      options.shard = shard.flatMap { Shard($0) } ?? scheduled ?? .whole
    } catch {
      throw CommandFailure.usage(error.description)
    }
    options.strategy = ScanStrategy(rawValue: strategy)
    options.dropGuard = DropGuard(maximumDrop: maxDrop)
    options.minimumPublished = minPublish
    options.checkpoint = checkpoint.map(CheckpointFile.init)
    options.dryRun = dryRun
    options.pruneOrphans = pruneOrphans
    return options
  }
}

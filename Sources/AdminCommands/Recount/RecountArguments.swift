internal import Aggregates
internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges

struct RecountArguments: ParsableArguments {
  @Option("Count only this part, such as 3/8 for the third of eight. Run each part once.", value: "i/n")
  var shard: String?
  @Option(
    "Write nothing when the total, or a count above 20, would fall by more than this. Default: maxDrop of the aggregate.",
    value: "percent")
  var maxDrop: Double?
  @Option(
    """
    Save the progress in this file, so that a later run continues there. With 'all', each aggregate has a file of \
    its own, with its name appended.
    """, value: "file", completion: .file())
  var checkpoint: String?
  @Option(
    "The file that declares more aggregates. Default: aggregates.json beside the project file.",
    value: "file", completion: .file())
  var aggregates: String?
  @OptionGroup(title: "Counting") var counting: CountingArguments
  @OptionGroup(title: "Estimates") var estimates: EstimateArguments
  @OptionGroup var lease: LeaseOptions

  /// The given options that decide what is counted and published.
  var repeated: [String] {
    let options = [
      ("--shard", shard), ("--aggregates", aggregates),
      ("--count-names", counting.countNames == .all ? nil : counting.countNames.rawValue),
      ("--min-publish", counting.minPublish == 0 ? nil : "\(counting.minPublish)"),
    ]
    return options.flatMap { name, value in value.map { [name, $0] } ?? [] }
  }

  /// Throws a usage error for options that only apply to counts.
  func requireNoneForCounts(of aggregate: String) throws {
    guard counting.isGiven || checkpoint != nil else { return }
    throw ValidationError(
      "--prune-orphans, --strategy, --checkpoint, --count-names and --min-publish do not work with 'recount \(aggregate)'"
    )
  }

  func validate() throws {
    if let shard, RecountShard(shard) == nil { throw ValidationError("--shard takes I/N, for example 3/8") }
    try InputFile.requireNamed(
      checkpoint, "--checkpoint", because: "it is read by this run and written for a later one")
    guard (0...100).contains(maxDrop ?? 0) else {
      throw ValidationError("--max-drop takes a percentage, 0 to 100")
    }
  }

  /// The shard from the option or the scheduler's variables. Throws a usage error for contradictory variables.
  func shard(in context: CommandContext) throws -> RecountShard {
    let scheduled = try RecountShard.scheduled(in: context.process.environment)
    return shard.flatMap { RecountShard($0) } ?? scheduled ?? .whole
  }

  func options(
    _ context: CommandContext, _ quality: RecountQualityArguments, _ mutation: MutationOptions
  ) throws -> RecountOptions {
    var options = RecountOptions()
    options.shard = try self.shard(in: context)
    options.strategy = ScanStrategy(word: counting.strategy)
    options.maxDrop = maxDrop
    options.minPublished = counting.minPublish
    options.names = counting.countNames
    options.checkpoint = checkpoint.map(ScanCheckpointFile.init)
    options.assumptions.requestsPerSecond = try context.requestsPerSecond ?? .infinity
    options.settle = try context.settleTime()
    options.pruneOrphans = counting.pruneOrphans
    let name = try context.target.name
    options.confirmsPruning = { count in
      try await context.confirm(
        "Delete \(counted(count, "record")) in \(name) that count for a record that does not exist.",
        deleting: .permanent, options: mutation)
    }
    options.acceptsCountDrop = mutation.acceptRisk.contains(RecountOptions.countDropRisk)
    options.explains = quality.explain
    options.isVerbose = context.common.verbose
    options.estimates = estimates.estimate
    options.assumedSize = estimates.size
    return options
  }
}

struct CountingArguments: ParsableArguments {
  @Option(
    """
    How to read what is counted. sweep: all of it, page by page. by-target: what belongs to up to 100 records that \
    get a count, in one query. pushdown: a local container counts by itself. auto: the cheapest of these.
    """, value: "strategy", completion: .list(["auto"] + ScanStrategy.allCases.map(\.rawValue)))
  var strategy: String = "auto"
  @Option(
    """
    Which record names count. all: those of the right form. verified: those that are the digest of their creator, and \
    those of this tool's own keys; the named risk is count-drop.
    """, word: "rule")
  var countNames: RecountOptions.Names = .all
  @Option("Write counts below this as 0, so that a small count says nothing about a person.", value: "k")
  var minPublish: Int64 = 0
  @Flag(
    help: """
      Also delete the records to count whose target does not exist, such as subscriptions to a deleted feed. The named \
      risk is data-loss.
      """)
  var pruneOrphans = false

  var isGiven: Bool { pruneOrphans || strategy != "auto" || minPublish > 0 || countNames != .all }

  func validate() throws {
    if strategy != "auto", ScanStrategy(word: strategy) == nil {
      throw ValidationError("--strategy takes auto, pushdown, sweep or by-target")
    }
    guard minPublish >= 0 else { throw ValidationError("--min-publish takes a whole number from 0 up") }
  }
}

struct EstimateArguments: ParsableArguments {
  @Flag(help: "Print how many requests a recount takes on CloudKit. Nothing is counted or written.")
  var estimate = false
  @Option("Assumed number of records to count.", value: "n") var sources: Int64?
  @Option("Assumed number of records that get a count.", value: "n") var targets: Int?

  var size: RecountEstimate.Size? {
    sources.flatMap { sources in targets.map { .init(sources: sources, groups: $0) } }
  }

  func validate() throws {
    guard (sources == nil) == (targets == nil), sources == nil || estimate else {
      throw ValidationError("--sources and --targets must be given together, and only with --estimate")
    }
    guard (0...1_000_000_000_000).contains(sources ?? 0), (1...1_000_000).contains(targets ?? 1) else {
      throw ValidationError(
        "--sources must be at most 1,000,000,000,000, and --targets 1 to 1,000,000")
    }
  }
}

struct RecountQualityArguments: ParsableArguments {
  @Option("signals (the default) or celestra.", word: "profile")
  var profile: QualityProfile.Name?
  @Flag(help: "Print the parts of every score of quality, and write nothing, also with 'all'.") var explain =
    false

  var isGiven: Bool { profile != nil || explain }
}

internal import Aggregates
internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import FeedState
internal import RecordChanges
internal import SchemaLanguage

struct RecountCommand: MonitoredCommand {
  static let formats = OutputFormat.findings
  static let configuration = CommandConfiguration(
    commandName: "recount",
    abstract: "Count readers and other records, compute quality scores, and write what changed.",
    discussion: """
      AGGREGATE is subscribers, quality, participants, another one declared in aggregates.json, or all. A count is \
      written only when every record that counts toward it was read; no other field is changed.

      'recount audit' writes nothing. It looks for subscriptions that were made to raise a count: names that their creator \
      cannot have, many accounts that subscribed to one feed within an hour and did nothing else, bursts, jumps since the \
      last recount, and how many creators have more subscriptions than a person makes. No output names a person, and feeds \
      with fewer than 5 readers are left out. Status 3 when there is a finding at or above --fail-on. It alone also takes \
      the formats of findings.

      Which part of the work to do is taken from --shard, or from CELESTRA_SHARD, CELESTRA_SHARD_INDEX or Kubernetes' \
      JOB_COMPLETION_INDEX with CELESTRA_SHARD_COUNT.

      Examples:
        celestra-admin recount subscribers --shard 3/8 --checkpoint subscribers.json
        celestra-admin recount audit --since 7d --fail-on warning
      """)

  @OptionGroup var mutation: MutationOptions
  @OptionGroup var options: RecountArguments
  @OptionGroup(title: "For quality") var quality: RecountQualityArguments
  @OptionGroup(title: "For audit") var audit: RecountAuditArguments
  @OptionGroup(title: "Monitoring") var monitoring: MonitoringOptions
  @Argument(
    help: "subscribers, quality, participants, all, a declared aggregate, or audit.",
    completion: CompletionValues.aggregates)
  var aggregate: String?
  @Flag(help: "List the aggregates of this container.") var list = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<RecountCommand>

  var invocation: String { aggregate.map { "recount \($0.withoutUserRecordNames)" } ?? Self.title }

  private var isAudit: Bool { aggregate == "audit" }

  var formatsOfRun: [OutputFormat] { isAudit ? Self.formats : [.text, .json] }

  func envelope(in context: CommandContext) throws -> JSONEnvelope {
    try context.envelope(for: isAudit ? invocation : Self.title)
  }

  var isDryRun: Bool { mutation.dryRun || list || options.estimates.estimate || quality.explain }

  func part(in context: CommandContext) throws -> String? {
    let shard = try options.shard(in: context)
    return shard.isWhole ? nil : shard.description
  }

  func validate() throws {
    guard (aggregate == nil) == list else { throw ValidationError("name an aggregate, or give --list") }
    if !["quality", "all"].contains(aggregate), quality.isGiven {
      throw ValidationError("--profile and --explain work only with 'recount quality' and 'recount all'")
    }
    if !isAudit, audit.isGiven {
      throw ValidationError("--feed, --since, --max-per-creator and --fail-on work only with 'recount audit'")
    }
    if let aggregate, isAudit || aggregate == "quality" { try options.requireNoneForCounts(of: aggregate) }
  }

  func perform(in context: CommandContext) async throws -> any Report {
    if isAudit { return try await audit.audit(in: context) }
    context.hints?.repeatWords(options.repeated, in: [RecountCommand.self])
    let writes = !isDryRun
    let runner = try await JobRunner(context, writing: writes, lease: options.lease)
    let schema = try await context.schemaForJobs(runner.handle)
    let file = try context.aggregateFile(options.aggregates)
    let catalog = try context.aggregates(file, in: schema)
    if ["all", nil].contains(aggregate), let mirror = context.mirror {
      for (name, types) in catalog.aggregatesWithoutTypes {
        guard let advice = mirror.advice(toCopy: types) else { continue }
        context.note("note: '\(name)' cannot be counted here. \(advice)")
      }
    }
    guard let aggregate else { return try catalog.list }
    let choices = try options.options(context, quality, mutation)
    // When the command names the profile that the file declares, the file's weights hold.
    let declared = [nil, file.quality?.name].contains(quality.profile) ? file.quality : nil
    let subjects: [Recount.Subject]
    do {
      subjects = try catalog.subjects(
        named: aggregate, profile: declared ?? quality.profile.map(QualityProfile.init),
        estimating: options.estimates.estimate)
    } catch var failure as CommandFailure {
      failure.hint =
        try context.mirror?.advice(toCopy: catalog.missingTypes(of: aggregate))
        ?? context.hintAboutAssumedSchema(runner.handle) ?? failure.hint
      throw failure
    }
    let recounts = try subjects.map { subject in
      let progress = context.progress(of: "recount \(subject.name)")
      var job = Recount.job(subject.name, choices.shard)
      // What counts shows by itself whether the key may read what it counts.
      if case .quality(let feeds, _) = subject { job.writtenTypes = [feeds.recordType] }
      return Recount(
        subject, schema: schema, container: runner.container,
        options: aggregate == "all" ? choices.asOneOfMany(subject) : choices,
        session: try runner.session(job, schema: schema, progress: progress), now: { context.now },
        progress: progress)
    }
    // Of all, one that cannot be counted does not stop the others.
    if aggregate != "all" { try recounts[0].check() }
    if writes {
      try await context.confirmJob(
        "Write the counts that differ to \(context.target.inWords).", options: mutation)
    }
    return aggregate == "all" ? try await RecountsReport(of: recounts) : try await recounts[0].report()
  }
}

extension CommandContext {
  func aggregates(_ file: AggregateFile, in schema: Schema) throws -> AggregateCatalog {
    let feeds = try FeedRecordSettings.mapping(settings)
    return AggregateCatalog(file, schema: schema, feeds: feeds == .celestra ? nil : feeds)
  }

  func aggregateFile(_ given: String?) throws -> AggregateFile {
    let (source, path) = try projectFile(.aggregates, given: given)
    guard let source else { return AggregateFile(missing: path) }
    return try AggregateFile(validating: source)
  }
}

struct RecountArguments: ParsableArguments {
  @Option("Count only this part, such as 3/8 for the third of eight. Run each part once.", value: "i/n")
  var shard: String?
  @Option(
    "Write nothing when the total, or a number above 20, would fall by more than this; what --min-publish lowers does not count. Default: maxDrop of the aggregate.",
    value: "percent")
  var maxDrop: Double?
  @Option(
    """
    Save the progress in this file, so that a later run continues there. With 'all', each aggregate has a file of \
    its own, with its name appended.
    """, value: "file", completion: .file())
  var checkpoint: String?
  @Option(
    "The file that declares more aggregates. Default: aggregates.json beside the project file; without one, in the working directory.",
    value: "file", completion: .file())
  var aggregates: String?
  @OptionGroup(title: "Counting") var counting: CountingArguments
  @OptionGroup(title: "Estimates") var estimates: EstimateArguments
  @OptionGroup(title: "Other runs of the job") var lease: LeaseOptions

  var repeated: [String] {
    let options = [
      ("--shard", shard), ("--aggregates", aggregates),
      ("--count-names", counting.countNames == .all ? nil : counting.countNames.rawValue),
      ("--min-publish", counting.minPublish == 0 ? nil : "\(counting.minPublish)"),
    ]
    return options.flatMap { name, value in value.map { [name, $0] } ?? [] }
  }

  func requireNoneForCounts(of aggregate: String) throws {
    guard counting.isGiven || checkpoint != nil || maxDrop != nil else { return }
    throw ValidationError(
      "--prune-orphans, --strategy, --checkpoint, --max-drop, --count-names and --min-publish do not work with 'recount \(aggregate)'"
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
    let name = try context.target.inWords
    options.confirmsPruning = { count in
      try await context.confirm(
        "Delete \(counted(count, "record")) in \(name) that count for a record that does not exist.",
        deleting: .permanent, options: mutation)
    }
    options.acceptsDataLoss = mutation.acceptRisk.contains(DeletionLoss.risk)
    options.acceptsCountDrop = mutation.acceptRisk.contains(RecountOptions.countDropRisk)
    options.aggregatesFile = try aggregates ?? context.settings[.aggregates] ?? options.aggregatesFile
    options.explains = quality.explain
    options.isOfPart = context.mirror?.isIncomplete ?? false
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
      Also delete the records to count that name a target that does not exist, such as subscriptions to a deleted feed. \
      The named risk is data-loss.
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
    sources.flatMap { sources in targets.map { (sources: sources, groups: $0) } }
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

struct RecountAuditArguments: ParsableArguments {
  @Option("Report only this feed. May be repeated.", value: "slug", completion: CompletionValues.feeds)
  var feed: [String] = []
  @Option(
    "Look for bursts and limits only in what was created since then.", value: "time",
    transform: DurationParser.parse)
  var since: Duration?
  @Option("Subscriptions that one creator may have. Default: 500.", value: "n") var maxPerCreator: Int?
  @Option(
    "The severity from which the status is 3: error, warning or note. Default: error.", word: "severity")
  var failOn: Diagnostic.Severity?

  var isGiven: Bool { !feed.isEmpty || since != nil || maxPerCreator != nil || failOn != nil }

  func validate() throws {
    guard maxPerCreator ?? 1 > 0 else { throw ValidationError("--max-per-creator takes a number from 1 up") }
  }

  /// Reads every subscription once. Nothing is written, so no lease is taken.
  func audit(in context: CommandContext) async throws -> any Report {
    let container = try await context.openContainer().container
    var limits = SubscriptionAudit.Limits()
    limits.perCreator = maxPerCreator ?? 500
    if let since { limits.since = try await context.now(by: container) - since }
    let result = try await SubscriptionAuditResult(
      of: container, limits: limits, only: try await container.feedNames(feed))
    var report = FindingsReport(
      result.diagnostics, inputs: [try context.target.name], failOn: failOn ?? .error,
      summary: counted(result.feeds.count, "feed"))
    report.details = result.json
    return report
  }
}

extension Container {
  /// The record names of feeds given by slug or record name. Throws a usage error for an unknown one.
  fileprivate func feedNames(_ words: [String]) async throws -> Set<String> {
    guard !words.isEmpty else { return [] }
    var names: [String: String] = [:]
    try await forEachPage(of: Query(CatalogRecordType.publicFeed), desiredKeys: ["slug"]) { page in
      for record in page.records {
        names[record.recordName] = record.recordName
        if let slug = record["slug"]?.string { names[slug] = record.recordName }
      }
    }
    return try words.reduce(into: []) { found, word in
      guard let name = names[word] else {
        throw CommandFailure.usage(
          "no feed has the slug or the record name '\(word)'",
          hint: SpellingSuggestion.question(word, among: names.keys.sorted()))
      }
      found.insert(name)
    }
  }
}

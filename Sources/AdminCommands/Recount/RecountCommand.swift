internal import Aggregates
internal import ArgumentParser
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import FeedState
internal import FoundationEssentials
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
  @OptionGroup var monitoring: MonitoringOptions
  @Argument(
    help: "subscribers, quality, participants, all, a declared aggregate, or audit.",
    completion: CompletionValues.aggregates)
  var aggregate: String?
  @Flag(help: "List the aggregates of this container.") var list = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<RecountCommand>

  var invocation: String { aggregate.map { "recount \($0)" } ?? Self.title }

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
      throw ValidationError("--profile and --explain work only with 'recount quality'")
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
    guard let aggregate else { return catalog.list }
    let choices = try options.options(context, quality, mutation)
    let recounts = try catalog.subjects(
      named: aggregate, profile: quality.profile.map(QualityProfile.init) ?? file.quality,
      estimating: options.estimates.estimate
    ).map { subject in
      let progress = context.progress(of: "recount \(subject.name)")
      var job = Recount.job(subject.name, choices.shard)
      // What counts shows by itself whether the key may read what it counts.
      if case .quality(let mapping, _) = subject { job.writtenTypes = [mapping.feedType] }
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
        "Write the counts that differ to \(context.target.name).", options: mutation)
    }
    return aggregate == "all" ? try await RecountsReport(of: recounts) : try await recounts[0].report()
  }
}

extension CommandContext {
  /// The aggregates that a container with this schema has.
  func aggregates(_ file: AggregateFile, in schema: Schema) throws -> AggregateCatalog {
    let feeds = try FeedRecordSettings.mapping(settings)
    return AggregateCatalog(file, schema: schema, feeds: feeds == .celestra ? nil : feeds)
  }

  func aggregateFile(_ path: String?) throws -> AggregateFile {
    let configured = try path ?? settings[.aggregates]
    let fallback = projectPath("aggregates.json")
    guard configured != nil || FileManager.default.fileExists(atPath: fallback) else {
      return AggregateFile()
    }
    return try AggregateFile(validating: InputFile.source(configured ?? fallback))
  }
}

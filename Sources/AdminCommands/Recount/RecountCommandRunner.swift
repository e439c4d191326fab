internal import Aggregates
internal import CommandLine
internal import Diagnostics
internal import FeedState
internal import FoundationEssentials
internal import SchemaLanguage

/// One or more recounts on one container.
struct RecountCommandRunner {
  let catalog: AggregateCatalog
  private let context: CommandContext
  private let runner: JobRunner
  private let schema: Schema
  private let options: RecountOptions
  private let arguments: RecountArguments
  private let file: AggregateFile

  /// - Parameters:
  ///   - writing: false for a dry run.
  ///   - acceptsCountDrop: whether the user accepts the risk `count-drop`.
  init(context: CommandContext, arguments: RecountArguments, writing: Bool, acceptsCountDrop: Bool)
    async throws
  {
    self.context = context
    var options = try arguments.options(context)
    options.acceptsCountDrop = acceptsCountDrop
    self.options = options
    self.arguments = arguments
    runner = try await JobRunner(
      context, writing: writing && !arguments.estimate, lease: arguments.lease)
    schema = try await context.schemaForJobs(runner.handle)
    file = try context.aggregateFile(arguments.aggregates)
    catalog = try context.aggregates(file, in: schema)
  }

  /// - Parameter isOneOfMany: whether there are several aggregates, so that each needs its own checkpoint file.
  func run(_ declaration: AggregateDeclaration, isOneOfMany: Bool = false) async throws -> any Report {
    var options = options
    if isOneOfMany {
      options.checkpoint = options.checkpoint?.file(for: declaration.name)
      if !declaration.hasCreatorNames { options.names = .all }
    }
    let progress = context.progress(of: "recount \(declaration.name)")
    let recount = Recount(
      declaration, schema: schema, container: runner.container, options: options, now: { context.now },
      progress: progress)
    if arguments.estimate { return try await recount.estimate(arguments.size) }
    let start = try recount.start()
    return try await runner.run(
      recount.writingJob, schema: schema, on: recount.container, continuing: start.lease, progress: progress
    ) { try await recount.run(start, through: $0) }
  }

  /// Scores the feeds, or explains their scores.
  func runQuality(_ choices: RecountQualityArguments) async throws -> any Report {
    guard let layout = catalog.quality else {
      throw CommandFailure.usage("the container's schema has no feeds with a quality score")
    }
    if arguments.estimate {
      throw CommandFailure.usage(
        "--estimate does not work with 'recount quality', which reads every feed and its health once")
    }
    let profile = choices.profile.map(QualityProfile.init) ?? file.quality ?? QualityProfile(.signals)
    let recount = QualityRecount(
      profile: profile, layout: layout, schema: schema, container: runner.container, options: options,
      now: { context.now })
    guard choices.explain else {
      return try await runner.run(recount.writingJob, schema: schema, on: recount.container) {
        try await recount.run(through: $0)
      }
    }
    var explanations: [QualityRecount.Explanation] = []
    let outcome = try await recount.run(through: nil) { explanations.append($0) }
    return QualityScoreReport(outcome, explanations)
  }

  /// Runs every count, then the scores, which depend on the counts.
  func runAll(_ quality: RecountQualityArguments) async throws -> any Report {
    var parts = RecountsReport()
    for declaration in try catalog.checkedDeclarations() {
      await parts.add(declaration.name) { try await run(declaration, isOneOfMany: true) }
    }
    if catalog.quality != nil, !arguments.estimate {
      await parts.add("quality") { try await runQuality(quality) }
    }
    return try parts.checked()
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

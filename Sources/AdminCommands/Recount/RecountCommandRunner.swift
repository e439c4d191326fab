internal import Aggregates
internal import CloudKitModel
internal import CommandLine
internal import Cryptography
internal import Diagnostics
internal import FeedHealth
internal import FeedState
internal import FoundationEssentials
internal import RecordChanges
internal import SchemaLanguage

/// One or more recounts on one container.
struct RecountCommandRunner {
  let context: CommandContext
  let catalog: AggregateCatalog
  let schema: Schema
  let container: any Container
  let options: RecountOptions
  let arguments: RecountArguments
  let file: AggregateFile

  /// - Parameter acceptsCountDrop: whether the user accepts the risk `count-drop`.
  init(context: CommandContext, arguments: RecountArguments, dryRun: Bool, acceptsCountDrop: Bool)
    async throws
  {
    self.context = context
    var options = try arguments.options(context, dryRun: dryRun)
    options.acceptsCountDrop = acceptsCountDrop
    self.options = options
    self.arguments = arguments
    let handle = try await context.openContainer(writing: !dryRun && !arguments.estimate)
    container = handle.container
    schema = try await context.schemaForJobs(handle)
    file = try RecountCommandRunner.aggregateFile(arguments.aggregates, context)
    catalog = try RecountCommandRunner.catalog(file, schema, context)
  }

  /// The recounts that a container with this schema has.
  static func catalog(_ file: AggregateFile, _ schema: Schema, _ context: CommandContext) throws
    -> AggregateCatalog
  {
    let feeds = try FeedRecordSettings.mapping(context.settings)
    return AggregateCatalog(
      file, schema: schema,
      feeds: feeds == .celestra
        ? nil : AggregateDeclaration.Target(recordType: feeds.recordType, field: feeds.subscriberCount))
  }

  func dependencies(_ aggregate: String) throws -> WriteSessionDependencies {
    try context.writeDependencies(
      "recount \(aggregate)", schema: schema, terms: try arguments.lease.terms(context))
  }

  /// - Parameter isOneOfMany: whether there are several aggregates, so that each needs its own checkpoint file.
  func run(_ declaration: AggregateDeclaration, isOneOfMany: Bool = false) async throws -> any Report {
    var options = options
    if isOneOfMany {
      options.checkpoint = options.checkpoint?.file(for: declaration.name)
      if !declaration.hasCreatorNames { options.names = .shape }
    }
    let recount = Recount(
      declaration, schema: schema, container: container, options: options,
      dependencies: try dependencies(declaration.name))
    return arguments.estimate ? try await recount.estimate(arguments.size) : try await recount.run()
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

  static func aggregateFile(_ path: String?, _ context: CommandContext) throws -> AggregateFile {
    let configured = try path ?? context.settings[.aggregates]
    let fallback = context.projectPath("aggregates.json")
    guard configured != nil || FileManager.default.fileExists(atPath: fallback) else {
      return AggregateFile()
    }
    return try AggregateFile(validating: InputFile.source(configured ?? fallback))
  }
}

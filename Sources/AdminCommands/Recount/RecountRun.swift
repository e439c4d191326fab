internal import Aggregates
internal import CloudKitModel
internal import Cryptography
internal import Diagnostics
internal import FoundationEssentials
internal import PositionedJSON
internal import RecordChanges
internal import SchemaLanguage

/// One or more recounts on one container.
struct RecountRun {
  let session: Session
  let declarations: [AggregateDeclaration]
  let schema: Schema
  let container: any Container
  let grouping: (any GroupCounting)?
  let options: RecountOptions
  let isEstimate: Bool
  let file: AggregateFile

  init(session: Session, arguments: RecountArguments, dryRun: Bool) async throws {
    self.session = session
    options = try arguments.options(session, dryRun: dryRun)
    isEstimate = arguments.estimate
    let handle = try await session.handle(writing: !dryRun && !arguments.estimate)
    container = handle.container
    grouping = handle.grouping
    schema = try await session.schemaForJobs(container)
    file = try RecountRun.aggregateFile(arguments.aggregates, session)
    declarations = file.merged(with: AggregateDeclaration.builtIn(for: schema))
  }

  /// The schema has feeds whose quality can be scored.
  var hasCatalog: Bool {
    schema[recordType: "PublicFeed"] != nil && schema[recordType: "FeedMetadata"] != nil
  }

  var environment: RecountEnvironment {
    let clock = ContinuousClock()
    let start = clock.now
    return RecountEnvironment(
      now: session.world.now, uptime: { clock.now - start }, runID: UUID().uuidString,
      wait: session.world.wait)
  }

  func declaration(named name: String) throws -> AggregateDeclaration {
    if let declaration = declarations.first(where: { $0.name == name }) { return declaration }
    let names = declarations.map(\.name) + ["quality", "all"]
    let hint = Suggestion.nearest(to: name, among: names).map { "Did you mean '\($0)'?" }
    throw CommandFailure.usage(
      "there is no aggregate '\(name)' for this container; there are \(names.joined(separator: ", "))",
      hint: hint)
  }

  func run(_ declaration: AggregateDeclaration) async throws -> CommandResult {
    let recount = Recount(
      declaration, schema: schema, container: container, grouping: grouping, options: options,
      environment: environment)
    do {
      if isEstimate { return RecountView.result(of: try await recount.plan(), declaration, options) }
      return RecountView.result(of: try await recount.run())
    } catch let error as RecountError {
      throw CommandFailure(error)
    }
  }

  private static func aggregateFile(_ path: String?, _ session: Session) throws -> AggregateFile {
    let configured = try path ?? session.settings[.aggregates]
    let fallback = "\(session.settings.projectDirectory)/aggregates.json"
    guard configured != nil || FileManager.default.fileExists(atPath: fallback) else {
      return AggregateFile()
    }
    let (file, diagnostics) = AggregateFile.load(try InputFile.source(configured ?? fallback))
    guard !diagnostics.hasErrors else {
      throw CommandFailure(
        "the aggregates are not valid; nothing was read", code: "bad-aggregates", diagnostics: diagnostics)
    }
    return file
  }
}

extension CommandFailure {
  init(_ error: RecountError) {
    let (code, status): (String, ExitStatus) =
      switch error {
      case .locked: ("locked", .locked)
      case .leaseLost: ("lease-lost", .locked)
      case .invalidDeclaration: ("bad-aggregates", .failed)
      case .checkpointMismatch: ("checkpoint-mismatch", .failed)
      case .strategyUnavailable: ("strategy-unavailable", .usage)
      }
    self.init(error.description, code: code, hint: error.hint, status: status)
    if case .invalidDeclaration(let findings) = error { diagnostics = findings }
  }
}

internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges
internal import SchemaLanguage

/// A schema that a command line names: a file, a file of a commit, or a container's schema in one environment.
enum SchemaArgument: Sendable {
  case file(String)
  case revision(GitReference)
  case container(Environment?)

  init(_ text: String) throws {
    switch text {
    case "container": self = .container(nil)
    case "container:development": self = .container(.development)
    case "container:production": self = .container(.production)
    case _ where text.hasPrefix("container:"):
      throw CommandFailure.usage(
        "'\(text)' names no environment; use container:development or container:production")
    default: self = try .init(path: text)
    }
  }

  init(path: String) throws {
    self = path.hasPrefix(GitReference.prefix) ? .revision(try GitReference(path)) : .file(path)
  }

  /// The commit of a `git:REF:PATH`; `nil` for another schema, and for a stage of a merge.
  var commit: String? {
    guard case .revision(let reference) = self, !reference.isStage else { return nil }
    return reference.revision
  }

  struct Loaded: Sendable {
    let parsed: ParsedSchema
    let schema: Schema
    let environment: Environment?

    /// Makes the schema at once, so that two that are loaded side by side are made so, too.
    init(_ parsed: ParsedSchema, environment: Environment? = nil) {
      self.parsed = parsed
      schema = parsed.schema
      self.environment = environment
    }
  }

  /// The error with the schema's syntax errors; `nil` if there are none.
  func load(_ context: CommandContext) async throws -> Loaded {
    guard case .container(let named) = self else {
      return Loaded(try await context.parsed(self) { $0.diagnostics })
    }
    let container = try await context.schemaContainer(environment: named)
    let environment = try named ?? context.environment
    let parsed = try await container.parsedSchema(name: "container:\(environment.rawValue)")
    return Loaded(parsed, environment: environment)
  }

  /// The same for a schema that a container is to have, or has: a file with semantic errors is refused, too.
  func loadValid(_ context: CommandContext) async throws -> Loaded {
    guard case .container = self else {
      return Loaded(try await context.parsed(self) { SchemaValidator.diagnostics($0) })
    }
    return try await load(context)
  }

  /// Loads the schema to compare with. A commit without a valid schema cannot be corrected any more, so it is only
  /// a note and the result is `nil`.
  func loadBase(_ context: CommandContext) async throws -> Loaded? {
    do { return try await load(context) } catch let failure as CommandFailure {
      guard case .revision = self, failure.code == ParsedSchema.invalid else { throw failure }
      context.note("note: \(failure.message), so nothing is compared with it")
      return nil
    }
  }
}

extension CommandContext {
  /// The envelope of a comparison, in the environment that its arguments name, if they name one.
  func envelope(for title: String, naming arguments: String?...) throws -> JSONEnvelope {
    let configured = try environment
    let named = try arguments.compactMap(\.self).compactMap { argument -> Environment? in
      guard case .container(let named) = try SchemaArgument(argument) else { return nil }
      return named ?? configured
    }
    let only = Set(named).count == 1 ? named.first : nil
    return JSONEnvelope(
      command: title, container: try target.name, environment: (only ?? configured).rawValue)
  }

  /// Reads a schema file, with its name for findings. Throws ``CommandFailure`` if it cannot be read.
  func schemaSource(_ input: SchemaArgument) async throws -> SourceText {
    guard case .revision(let reference) = input else {
      guard case .file(let path) = input else {
        throw CommandFailure.usage("expected a schema file, not a container")
      }
      return try InputFile.source(path)
    }
    let (bytes, from) = try await GitRepository(process).read(reference)
    if from.path != reference.path {
      note(
        "note: '\(from.revision)' has no file \(reference.path); reading \(from.path), its earlier name")
    }
    return SourceText(name: from.description, bytes: bytes)
  }

  /// Parses a schema. Throws a failure with the findings if it has syntax errors.
  func wellFormedSchema(in path: String) async throws -> ParsedSchema {
    try await parsed(SchemaArgument(path: path), SchemaValidator.syntax)
  }

  /// Parses and validates a schema. Throws a failure with the findings if it has syntax or semantic errors.
  ///
  /// - Parameter roles: roles that another schema creates, which grants may name too.
  func validSchema(in path: String, knowing roles: [Role] = []) async throws -> ParsedSchema {
    try await parsed(SchemaArgument(path: path)) { SchemaValidator.diagnostics($0, knowing: roles) }
  }

  fileprivate func parsed(_ input: SchemaArgument, _ check: (ParsedSchema) -> [Diagnostic]) async throws
    -> ParsedSchema
  {
    let source = try await schemaSource(input)
    return try ParsedSchema(checking: source, check)
  }
}

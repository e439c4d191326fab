internal import CloudKitModel
internal import Diagnostics
internal import RecordChanges
internal import SchemaLanguage

/// One side of a comparison: a file, or a container's schema in one environment.
enum SchemaSide: Sendable {
  case file(String)
  case container(Environment?)

  init(_ text: String) throws {
    switch text {
    case "container": self = .container(nil)
    case "container:development": self = .container(.development)
    case "container:production": self = .container(.production)
    case _ where text.hasPrefix("container:"):
      throw CommandFailure.usage("'\(text)': an environment is development or production")
    default: self = .file(text)
    }
  }

  struct Loaded: Sendable {
    let parsed: ParsedSchema
    let schema: Schema
    /// It is what production has.
    var isProduction = false
  }

  /// A failure that shows the errors when there are any.
  func load(_ session: Session) async throws -> Loaded {
    switch self {
    case .file(let path):
      let parsed = try ParsedSchema.wellFormed(in: path)
      return Loaded(parsed: parsed, schema: parsed.schema)
    case .container(let named):
      let environment = try named ?? session.environment
      let parsed = try await session.schemaContainer(environment: environment)
        .parsedSchema(name: "container:\(environment.rawValue)")
      return Loaded(parsed: parsed, schema: parsed.schema, isProduction: environment == .production)
    }
  }
}

extension ParsedSchema {
  /// A file without errors of syntax; a failure that shows them otherwise.
  static func wellFormed(in path: String) throws -> ParsedSchema {
    try parsed(path) { $0.diagnostics }
  }

  /// A file without errors of syntax or meaning; a failure that shows them otherwise.
  static func valid(in path: String) throws -> ParsedSchema {
    try parsed(path, SchemaValidator.diagnostics)
  }

  private static func parsed(_ path: String, _ check: (ParsedSchema) -> [Diagnostic]) throws -> ParsedSchema {
    let parsed = SchemaParser.parse(try InputFile.source(path))
    let diagnostics = check(parsed)
    guard !diagnostics.hasErrors else {
      throw CommandFailure(
        "\(InputFile.displayName(path)) is not a valid schema", code: "bad-schema", diagnostics: diagnostics)
    }
    return parsed
  }
}

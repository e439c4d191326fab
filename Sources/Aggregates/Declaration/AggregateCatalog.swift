internal import Diagnostics
public import SchemaLanguage

/// The recounts that a container offers: declared aggregates, built-in aggregates, and quality.
public struct AggregateCatalog: Sendable {
  /// Declarations of `aggregates.json`, then built-in ones.
  public let declarations: [AggregateDeclaration]
  /// `nil` when the schema has no feeds with a score.
  public let quality: QualityRecordMapping?
  private let schema: Schema
  private let places: [String: SourceRange]

  /// - Parameter feeds: where the project keeps its feeds' subscribers, in place of the types of the shipped schemas.
  public init(_ file: AggregateFile, schema: Schema, feeds: AggregateDeclaration.Target? = nil) {
    self.schema = schema
    declarations = file.merged(with: AggregateDeclaration.builtIn(for: schema, feeds: feeds))
    quality = QualityRecordMapping.builtIn(for: schema, feedType: feeds?.recordType)
    places = Dictionary(file.entries.map { ($0.declaration.name, $0.place) }) { first, _ in first }
  }

  /// The names that `recount` accepts; empty when the container has nothing to count.
  public var names: [String] {
    let single = declarations.map(\.name) + (quality == nil ? [] : ["quality"])
    return single.isEmpty ? [] : single + ["all"]
  }

  /// Returns all declarations. Throws ``CommandFailure`` if the container has nothing to count, or ``RecountError`` if
  /// a declaration names record types, fields or indexes that the schema does not have.
  public func checkedDeclarations() throws -> [AggregateDeclaration] {
    try requireAny()
    try check(declarations)
    return declarations
  }

  /// Returns the declaration with this name. Throws ``CommandFailure`` if no declaration has the name, or
  /// ``RecountError`` if the declaration names record types, fields or indexes that the schema does not have.
  public func declaration(named name: String) throws -> AggregateDeclaration {
    if let declaration = declarations.first(where: { $0.name == name }) {
      try check([declaration])
      return declaration
    }
    try requireAny()
    throw CommandFailure.usage(
      "there is no aggregate '\(name)' for this container; there are \(names.joined(separator: ", "))",
      hint: SpellingSuggestion.nearest(to: name, among: names).map { "Did you mean '\($0)'?" })
  }

  private func requireAny() throws(CommandFailure) {
    guard names.isEmpty else { return }
    throw CommandFailure(
      "the container's schema has nothing to recount", code: "no-aggregates",
      hint: "Import the schema first, or declare an aggregate for its types in aggregates.json.")
  }

  /// Throws ``RecountError/invalidDeclaration(_:)`` with all findings, each with the location of its declaration.
  private func check(_ declarations: [AggregateDeclaration]) throws(RecountError) {
    let findings = declarations.flatMap { $0.check(against: schema, at: places[$0.name]) }
    if findings.hasErrors { throw .invalidDeclaration(findings) }
  }
}

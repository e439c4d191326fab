internal import Diagnostics
public import SchemaLanguage

/// The recounts that a container offers: declared aggregates, built-in aggregates, and quality.
public struct AggregateCatalog: Sendable {
  /// Declarations of `aggregates.json`, then built-in ones.
  public let declarations: [AggregateDeclaration]
  /// `nil` when the schema has no feeds with a score.
  public let quality: QualityLayout?
  private let schema: Schema
  private let places: [String: SourceRange]

  /// - Parameter feeds: where the project keeps its feeds' subscribers, in place of the types of the shipped schemas.
  public init(_ file: AggregateFile, schema: Schema, feeds: AggregateDeclaration.Target? = nil) {
    self.schema = schema
    declarations = file.merged(with: AggregateDeclaration.builtIn(for: schema, feeds: feeds))
    quality = QualityLayout.builtIn(for: schema, feedType: feeds?.recordType)
    places = Dictionary(file.entries.map { ($0.declaration.name, $0.place) }) { first, _ in first }
  }

  public subscript(name: String) -> AggregateDeclaration? { declarations.first { $0.name == name } }

  /// The names that `recount` accepts; empty when the container has nothing to count.
  public var names: [String] {
    let single = declarations.map(\.name) + (quality == nil ? [] : ["quality"])
    return single.isEmpty ? [] : single + ["all"]
  }

  /// Checks that declarations fit the schema. Throws ``RecountError/invalidDeclaration(_:)`` with all findings, each
  /// with the location of its declaration.
  public func check(_ declarations: [AggregateDeclaration]) throws(RecountError) {
    let findings = declarations.flatMap { $0.check(against: schema, at: places[$0.name]) }
    if findings.hasErrors { throw .invalidDeclaration(findings) }
  }
}

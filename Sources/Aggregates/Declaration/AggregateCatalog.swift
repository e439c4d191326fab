internal import Diagnostics
public import SchemaLanguage

/// Every recount that a container can have: the declared ones, the built-in ones, and quality.
public struct AggregateCatalog: Sendable {
  /// Those of `aggregates.json` first.
  public let declarations: [AggregateDeclaration]
  /// `nil` when the schema has no feeds with a score.
  public let quality: QualityLayout?
  private let schema: Schema
  private let places: [String: SourceRange]

  public init(_ file: AggregateFile, schema: Schema) {
    self.schema = schema
    declarations = file.merged(with: AggregateDeclaration.builtIn(for: schema))
    quality = QualityLayout.builtIn(for: schema)
    places = Dictionary(file.entries.map { ($0.declaration.name, $0.place) }) { first, _ in first }
  }

  public subscript(name: String) -> AggregateDeclaration? { declarations.first { $0.name == name } }

  /// What a person may ask for; empty when the container has nothing to count.
  public var names: [String] {
    let single = declarations.map(\.name) + (quality == nil ? [] : ["quality"])
    return single.isEmpty ? [] : single + ["all"]
  }

  /// Makes sure that declarations fit the schema, pointing at where they were written. Throws
  /// ``RecountError/invalidDeclaration(_:)`` with all that is wrong.
  public func check(_ declarations: [AggregateDeclaration]) throws(RecountError) {
    let findings = declarations.flatMap { $0.check(against: schema, at: places[$0.name]) }
    if findings.hasErrors { throw .invalidDeclaration(findings) }
  }
}

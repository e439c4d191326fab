public import SchemaLanguage

/// Every recount that a container can have: the declared ones, the built-in ones, and quality.
public struct AggregateCatalog: Sendable {
  /// Those of `aggregates.json` first.
  public let declarations: [AggregateDeclaration]
  /// `nil` when the schema has no feeds with a score.
  public let quality: QualityLayout?

  public init(_ file: AggregateFile, schema: Schema) {
    declarations = file.merged(with: AggregateDeclaration.builtIn(for: schema))
    quality = QualityLayout.builtIn(for: schema)
  }

  public subscript(name: String) -> AggregateDeclaration? { declarations.first { $0.name == name } }

  /// What a person may ask for.
  public var names: [String] { declarations.map(\.name) + (quality == nil ? [] : ["quality"]) + ["all"] }
}

internal import CloudKitModel
package import Diagnostics
package import FeedState
package import RecordChanges
package import SchemaLanguage

/// `aggregates.json`: declarations in addition to the built-in ones.
package struct AggregateFile: Sendable {
  /// A declaration and where it was written.
  package struct Entry: Sendable {
    package var declaration: AggregateDeclaration
    package var place: SourceRange
  }

  package var entries: [Entry] = []
  package var quality: QualityProfile?

  package init() {}

  /// Reads the file. Throws ``CommandFailure`` with the findings if there is an error among them.
  package init(validating source: SourceText) throws(CommandFailure) {
    let (file, diagnostics) = Self.load(source)
    guard !diagnostics.hasErrors else {
      throw CommandFailure(
        "the aggregates are not valid; nothing was read", code: "bad-aggregates", diagnostics: diagnostics)
    }
    self = file
  }

  /// Reads the file and reports all that is wrong with it. If one of the findings is an error, the caller must not use
  /// the file.
  package static func load(_ source: SourceText) -> (file: AggregateFile, diagnostics: [Diagnostic]) {
    let reader = DeclarationReader<AggregateRule>(source)
    var file = AggregateFile()
    do {
      let root = try JSONNode(parsing: source.bytes)
      reader.keys(of: root, allowed: ["$schema", "aggregates", "quality"])
      for node in reader.list(root["aggregates"]) {
        guard let declaration = reader.declaration(node) else { continue }
        if AggregateCatalog.reservedNames.contains(declaration.name) {
          reader.report(
            .reservedName, "'\(declaration.name)' is a name that recount has a meaning for", at: node)
        }
        let entry = Entry(declaration: declaration, place: source.range(of: node))
        if let first = file.entries.first(where: { $0.declaration.name == declaration.name }) {
          reader.report(
            .duplicate, "the aggregate '\(declaration.name)' is declared twice", at: node,
            note: .init("first declared here", at: first.place))
        }
        for target in declaration.targets {
          let others = file.entries.filter { $0.declaration.writes(target) }
          guard let first = others.first else { continue }
          reader.report(
            .duplicate,
            "'\(declaration.name)' writes \(target.recordType).\(target.field), as '\(first.declaration.name)' does",
            at: node, note: .init("declared here", at: first.place))
        }
        file.entries.append(entry)
      }
      file.quality = root["quality"].flatMap(reader.quality)
    } catch {
      reader.diagnostics.append(error.diagnostic(in: source, code: AggregateRule.invalidJSON.code))
    }
    return (file, reader.diagnostics)
  }
}

extension AggregateDeclaration {
  /// With filters whose values have the types of their fields. Times such as `-30d` count from `now`.
  func typed(by schema: Schema, now: Timestamp) -> AggregateDeclaration {
    guard let type = schema[recordType: source.recordType] else { return self }
    var declaration = self
    declaration.source.filters = source.filters.map { $0.typed(by: type, now: now) }
    return declaration
  }

  fileprivate func writes(_ target: Target) -> Bool {
    targets.contains { $0.recordType == target.recordType && $0.field == target.field }
  }
}

/// The recounts that a container offers: declared aggregates, built-in aggregates, and quality.
package struct AggregateCatalog: Sendable {
  /// Declarations of `aggregates.json`, then built-in ones.
  package let declarations: [AggregateDeclaration]
  /// `nil` when the schema has no feeds with a score.
  package let quality: FeedRecordMapping?
  /// The words after `recount` that no declaration may take.
  static let reservedNames: Set = ["subscribers", "quality", "participants", "all", "audit"]
  private let schema: Schema
  private let feeds: FeedRecordMapping?
  private let places: [String: SourceRange]

  /// - Parameter feeds: the types and fields of the project's feeds, in place of those of the shipped schemas.
  package init(_ file: AggregateFile, schema: Schema, feeds: FeedRecordMapping? = nil) {
    self.schema = schema
    self.feeds = feeds
    declarations =
      file.entries.map(\.declaration) + AggregateDeclaration.builtIn(for: schema, feeds: feeds)
    quality = FeedRecordMapping.scored(in: schema, feeds: feeds)
    places = Dictionary(file.entries.map { ($0.declaration.name, $0.place) }) { first, _ in first }
  }

  /// The names that `recount` accepts; empty when the container has nothing to count.
  package var names: [String] {
    let single = declarations.map(\.name) + (quality == nil ? [] : ["quality"])
    return single.isEmpty ? [] : single + ["all"]
  }

  /// The leases of these recounts.
  package var leases: [LeaseName] {
    (declarations.map(\.name) + (quality == nil ? [] : ["quality"])).map { LeaseName("recount \($0)") }
  }

  /// The aggregates of which the schema lacks record types, with these types.
  package var aggregatesWithoutTypes: [(name: String, types: [String])] {
    let builtIn = AggregateDeclaration.builtIn(feeds).map(\.name)
    return Set(declarations.map(\.name) + builtIn).sorted().map { (name: $0, types: missingTypes(of: $0)) }
      .filter { !$0.types.isEmpty }
  }

  /// The record types that the schema lacks for an aggregate, as far as it shows which these are.
  package func missingTypes(of name: String) -> [String] {
    let offered = declarations.filter { $0.name == name }
    let types =
      offered.isEmpty
      ? AggregateDeclaration.builtIn(feeds).filter { $0.name == name }.flatMap { aggregate in
        let targets = aggregate.targets.map(\.recordType)
        return [aggregate.source.recordType]
          + (targets.contains { schema[recordType: $0] != nil } ? [] : targets)
      }
      : offered.flatMap { [$0.source.recordType] + $0.targets.map(\.recordType) }
    return Set(types).filter { schema[recordType: $0] == nil }.sorted()
  }

  /// What `recount NAME` recounts: one aggregate, or for `all` every count, then the scores, which depend on the counts.
  ///
  /// - Parameters:
  ///   - profile: of quality scores; `nil` for `signals`.
  ///   - estimating: leaves the scores out of `all`, because their cost is not estimated.
  /// - Throws: ``CommandFailure`` if nothing has the name, or a declaration names record types, fields or indexes that the
  ///   schema does not have.
  package func subjects(named name: String, profile: QualityProfile?, estimating: Bool) throws
    -> [Recount.Subject]
  {
    let scores = quality.map { Recount.Subject.quality($0, profile ?? QualityProfile(.signals)) }
    switch name {
    case "all":
      try requireAny()
      try check(declarations)
      return declarations.map { .count($0) } + (estimating ? [] : [scores].compactMap(\.self))
    case "quality":
      guard let scores else {
        throw CommandFailure.usage("the container's schema has no feeds with a quality score")
      }
      return [scores]
    default: return [.count(try declaration(named: name))]
    }
  }

  private func declaration(named name: String) throws -> AggregateDeclaration {
    if let declaration = declarations.first(where: { $0.name == name }) {
      try check([declaration])
      return declaration
    }
    try requireAny()
    throw CommandFailure.usage(
      "there is no aggregate '\(name)' for this container; there are \(names.joined(separator: ", "))",
      hint: SpellingSuggestion.question(name, among: names))
  }

  private func requireAny() throws(CommandFailure) {
    guard names.isEmpty else { return }
    throw CommandFailure(
      "the container's schema has nothing to recount", code: "no-aggregates",
      hint:
        "Import the schema first, in production deploy it, or declare an aggregate for its types in aggregates.json."
    )
  }

  /// Throws ``CommandFailure`` with all findings, each with the location of its declaration.
  private func check(_ declarations: [AggregateDeclaration]) throws(CommandFailure) {
    let findings = declarations.flatMap { $0.check(against: schema, at: places[$0.name]) }
    if findings.hasErrors { throw .invalidDeclaration(findings) }
  }
}

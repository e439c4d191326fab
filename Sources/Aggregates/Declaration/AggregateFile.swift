internal import CloudKitModel
package import Diagnostics
package import FeedState
package import RecordChanges
package import SchemaLanguage

/// `aggregates.json`: declarations in addition to the built-in ones.
package struct AggregateFile: Sendable {
  package typealias Entry = (declaration: AggregateDeclaration, place: SourceRange)

  package var entries: [Entry] = []
  package var quality: QualityProfile?
  /// Where it was read, or looked for, as a sentence.
  fileprivate var origin: String

  package init(missing path: String) { origin = "Declared ones are read from \(path), which does not exist." }

  private init(_ source: SourceText) { origin = "Declared ones are read from \(source.name)." }

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
    var file = AggregateFile(source)
    var written: [[String]: Entry] = [:]
    do {
      let root = try JSONNode(parsing: source.bytes)
      reader.keys(of: root, allowed: ["$schema", "aggregates", "quality"])
      for node in reader.list(root["aggregates"]) {
        guard let declaration = reader.declaration(node) else { continue }
        if AggregateCatalog.reservedNames.contains(declaration.name) {
          reader.report(
            .reservedName, "'\(declaration.name)' is a name that recount has a meaning for", at: node)
        }
        let entry: Entry = (declaration: declaration, place: source.range(of: node))
        if let first = file.entries.first(where: { $0.declaration.name == declaration.name }) {
          reader.report(
            .duplicate, "the aggregate '\(declaration.name)' is declared twice", at: node,
            note: .init("first declared here", at: first.place))
        }
        for target in declaration.targets {
          let field = [target.recordType, target.field]
          if let first = written[field] {
            let isOwn = first.place == entry.place
            reader.report(
              .duplicate,
              "'\(declaration.name)' writes \(target.recordType).\(target.field)"
                + (isOwn ? " twice" : ", as '\(first.declaration.name)' does"),
              at: node, note: isOwn ? nil : Diagnostic.Note("declared here", at: first.place))
          }
          written[field] = written[field] ?? entry
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
}

extension Recount.Subject {
  /// Fields whose values decide its results.
  fileprivate var reads: Set<[String]> {
    switch self {
    case .count(let aggregate):
      let source = aggregate.source
      let fields =
        [source.groupField] + [aggregate.operation.field].compactMap(\.self)
        + source.filters.map(\.field.storedName)
      let groups = aggregate.targets.compactMap { target in
        target.groupField.map { [target.recordType, $0] }
      }
      return Set(fields.map { [source.recordType, $0] } + groups)
    case .quality(let feeds, _):
      let states = feeds.stateType == nil ? feeds.stateFieldNames : FeedQualityScore.stateFields
      let fields = [feeds.subscriberCount, "isVerified"].map { [feeds.recordType, $0] }
      return Set(fields + states.map { [feeds.stateType ?? feeds.recordType, $0] })
    }
  }

  fileprivate var writes: Set<[String]> {
    switch self {
    case .count(let aggregate): Set(aggregate.targets.map { [$0.recordType, $0.field] })
    case .quality(let feeds, _): [[feeds.recordType, feeds.scoreField]]
    }
  }

  fileprivate func depends(on other: Recount.Subject) -> Bool {
    name != other.name && !reads.isDisjoint(with: other.writes)
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
  private let origin: String

  /// - Parameter feeds: the types and fields of the project's feeds, in place of those of the shipped schemas.
  package init(_ file: AggregateFile, schema: Schema, feeds: FeedRecordMapping? = nil) {
    self.schema = schema
    self.feeds = feeds
    declarations = file.entries.map(\.declaration) + AggregateDeclaration.builtIn(for: schema, feeds: feeds)
    quality = FeedRecordMapping.scored(in: schema, feeds: feeds)
    origin = file.origin
    places = Dictionary(file.entries.map { ($0.declaration.name, $0.place) }) { first, _ in first }
  }

  /// The names that `recount` accepts; empty when the container has nothing to count.
  package var names: [String] { single.isEmpty ? [] : single + ["all"] }

  private var single: [String] { declarations.map(\.name) + (quality == nil ? [] : ["quality"]) }

  package var leases: [LeaseName] { single.map { LeaseName("recount \($0)") } }

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

  /// All recounts, each after those that write a field it reads; otherwise as declared, then the built-in ones, then the
  /// scores. Throws ``CommandFailure`` for recounts that wait for one another.
  func ordered(profile: QualityProfile? = nil) throws(CommandFailure) -> [Recount.Subject] {
    var left = declarations.map { Recount.Subject.count($0) }
    if let quality { left.append(.quality(quality, profile ?? QualityProfile(.signals))) }
    var ordered: [Recount.Subject] = []
    while !left.isEmpty {
      guard let next = left.firstIndex(where: { subject in !left.contains { subject.depends(on: $0) } })
      else { throw Self.cycle(in: left) }
      ordered.append(left.remove(at: next))
    }
    return ordered
  }

  /// - Parameter subjects: each depends on another one of them.
  private static func cycle(in subjects: [Recount.Subject]) -> CommandFailure {
    var path = Array(subjects.prefix(1))
    while let last = path.last, let next = subjects.first(where: { last.depends(on: $0) }) {
      path.append(next)
      if let start = path.firstIndex(where: { $0.name == next.name }), start < path.count - 1 {
        path.removeFirst(start)
        break
      }
    }
    return CommandFailure(
      "no order is right for these aggregates, because each reads what the next one writes: "
        + path.map(\.name).joined(separator: ", "),
      code: "aggregate-cycle", hint: "Write one of the results to another field.")
  }

  /// What `recount NAME` recounts: one aggregate, or all in their order.
  ///
  /// - Throws: ``CommandFailure`` if nothing has the name, or a declaration names record types, fields or indexes that the
  ///   schema does not have.
  package func subjects(named name: String, profile: QualityProfile?, estimating: Bool) throws
    -> [Recount.Subject]
  {
    switch name {
    case "all":
      try requireAny()
      try check(declarations)
      return try ordered(profile: profile).filter { !estimating || $0.name != "quality" }
    case "quality":
      guard let quality else {
        throw CommandFailure.usage("the container's schema has no feeds with a quality score")
      }
      return [.quality(quality, profile ?? QualityProfile(.signals))]
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
      hint: [SpellingSuggestion.question(name, among: names), origin].compactMap(\.self).joined(
        separator: " "))
  }

  private func requireAny() throws(CommandFailure) {
    guard names.isEmpty else { return }
    throw CommandFailure(
      "the container's schema has nothing to recount", code: "no-aggregates",
      hint:
        "Import the schema first, in production deploy it, or declare an aggregate for its types in aggregates.json. \(origin)"
    )
  }

  private func check(_ declarations: [AggregateDeclaration]) throws(CommandFailure) {
    let findings = declarations.flatMap { $0.check(against: schema, at: places[$0.name]) }
    if findings.hasErrors { throw .invalidDeclaration(findings) }
  }
}

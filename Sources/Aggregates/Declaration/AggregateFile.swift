public import Diagnostics

/// `aggregates.json`: declarations in addition to, or in place of, the built-in ones.
public struct AggregateFile: Sendable {
  /// A declaration and where it was written.
  public struct Entry: Sendable {
    public var declaration: AggregateDeclaration
    public var place: SourceRange
  }

  public var entries: [Entry] = []
  /// The quality profile in force, when the file sets one.
  public var quality: QualityProfile?

  public init() {}

  /// Reads the file. Throws ``CommandFailure`` with the findings if there is an error among them.
  public init(validating source: SourceText) throws(CommandFailure) {
    let (file, diagnostics) = Self.load(source)
    guard !diagnostics.hasErrors else {
      throw CommandFailure(
        "the aggregates are not valid; nothing was read", code: "bad-aggregates", diagnostics: diagnostics)
    }
    self = file
  }

  /// Reads the file. What is wrong is reported, and several findings at once: with an error among them, nothing
  /// of the file may be used.
  public static func load(_ source: SourceText) -> (file: AggregateFile, diagnostics: [Diagnostic]) {
    let reader = AggregateDeclarationReader(source)
    var file = AggregateFile()
    do {
      let root = try JSONNode(parsing: source.bytes)
      reader.keys(of: root, allowed: ["$schema", "aggregates", "quality"])
      for node in reader.list(root["aggregates"]) {
        guard let declaration = reader.declaration(node) else { continue }
        let entry = Entry(declaration: declaration, place: source.range(node.range))
        if let first = file.entries.first(where: { $0.declaration.name == declaration.name }) {
          reader.report(
            .duplicate, "the aggregate '\(declaration.name)' is declared twice", at: node,
            note: .init("first declared here", at: first.place))
        }
        file.entries.append(entry)
      }
      file.quality = root["quality"].flatMap(reader.quality)
    } catch {
      reader.diagnostics.append(error.diagnostic(in: source, code: AggregateRule.invalidJSON.code))
    }
    return (file, reader.diagnostics)
  }

  /// The file's declarations, then the built-in ones whose names it does not use.
  public func merged(with builtIn: [AggregateDeclaration]) -> [AggregateDeclaration] {
    let own = entries.map(\.declaration)
    let names = Set(own.map(\.name))
    return own + builtIn.filter { !names.contains($0.name) }
  }
}

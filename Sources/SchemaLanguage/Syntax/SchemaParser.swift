public import Diagnostics

/// Reads a `.ckdb` text (Documentation/reference/schema-language.md#grammar) by recursive descent over its bytes. It
/// never gives up at the first mistake: after each it goes on where the next member or statement begins.
public enum SchemaParser {
  /// Parses what can be parsed and says what cannot. Time and memory are linear in the size of the text.
  public static func parse(_ source: SourceText) -> ParsedSchema {
    source.bytes.withUnsafeBufferPointer { bytes in
      if let refusal = SchemaDetection.refusal(of: bytes, in: source) {
        return ParsedSchema(
          source: source, roles: [], recordTypes: [], comments: [], diagnostics: [refusal], headerRange: 0..<0
        )
      }
      var parser = Parser(bytes, source)
      parser.parseSchema()
      return parser.finish()
    }
  }
}

/// Why a text is not a usable schema.
public struct SchemaError: Error, Sendable, CustomStringConvertible {
  /// At least one of them an error.
  public let diagnostics: [Diagnostic]

  public init(_ diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }

  public var description: String {
    diagnostics.filter { $0.severity == .error }.map { diagnostic in
      let start = diagnostic.range?.start
      return start.map { "line \($0.line), column \($0.column): \(diagnostic.message)" } ?? diagnostic.message
    }.joined(separator: "\n")
  }
}

extension Schema {
  /// The schema a text declares. Throws ``SchemaError`` when anything in it is wrong, by syntax or by
  /// meaning: what passes here can be imported.
  public init(parsing source: SourceText) throws(SchemaError) {
    let parsed = SchemaParser.parse(source)
    let diagnostics = SchemaValidator.diagnostics(parsed)
    guard !diagnostics.hasErrors else { throw SchemaError(diagnostics) }
    self = parsed.schema
  }

  /// The same for a text that has no file name.
  public init(parsing text: String, name: String = "<schema>") throws(SchemaError) {
    try self.init(parsing: SourceText(name: name, text))
  }
}

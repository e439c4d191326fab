package import Diagnostics

/// Reads a `.ckdb` text (Documentation/reference/schema-language.md#grammar) by recursive descent over its bytes.
/// After a syntax error it continues at the next member or statement.
package enum SchemaParser {
  /// Parses the text and reports all errors. Time and memory are linear in the size of the text.
  package static func parse(_ source: SourceText) -> ParsedSchema {
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

package struct SchemaError: Error, Sendable, CustomStringConvertible {
  /// The findings, of which at least one is an error.
  package let diagnostics: [Diagnostic]

  package init(_ diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }

  package var description: String {
    diagnostics.filter { $0.severity == .error }.map { diagnostic in
      let start = diagnostic.range?.start
      return start.map { "line \($0.line), column \($0.column): \(diagnostic.message)" } ?? diagnostic.message
    }.joined(separator: "\n")
  }
}

extension ParsedSchema {
  /// The code of the failure that ``init(checking:_:)`` throws.
  package static let invalid = "bad-schema"

  /// Parses a schema for a command. Throws ``CommandFailure`` with the findings of `check` if one is an error.
  package init(checking source: SourceText, _ check: (ParsedSchema) -> [Diagnostic]) throws(CommandFailure) {
    self = SchemaParser.parse(source)
    let diagnostics = check(self)
    guard !diagnostics.hasErrors else {
      throw CommandFailure(
        "\(source.name) is not a valid schema", code: Self.invalid, diagnostics: diagnostics)
    }
  }
}

extension Schema {
  /// Parses and validates a schema. Throws ``SchemaError`` for syntax and semantic errors.
  package init(parsing text: String, name: String = "<schema>") throws(SchemaError) {
    let parsed = SchemaParser.parse(SourceText(name: name, text))
    let diagnostics = SchemaValidator.diagnostics(parsed)
    guard !diagnostics.hasErrors else { throw SchemaError(diagnostics) }
    self = parsed.schema
  }
}

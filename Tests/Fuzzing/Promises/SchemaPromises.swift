internal import Diagnostics
internal import SchemaLanguage

/// What the parser of schemas promises for any bytes at all.
package enum SchemaPromises {
  /// The promise that these bytes break, in words; `nil` when all are kept.
  package static func broken(by bytes: [UInt8]) -> String? {
    let source = SourceText(name: "input.ckdb", bytes: bytes)
    let parsed = SchemaParser.parse(source)
    let found = SchemaLinter.diagnostics(parsed)
    return placesProblem(found, bytes.count) ?? (parsed.diagnostics.hasErrors ? nil : formatProblem(parsed))
  }

  /// All findings are within the text and can be rendered.
  private static func placesProblem(_ found: [Diagnostic], _ count: Int) -> String? {
    let ranges = found.flatMap { [$0.range, $0.fix?.range] + $0.notes.map(\.range) }
    for case let range? in ranges where range.offsets.lowerBound < 0 || range.offsets.upperBound > count {
      return "a finding points outside the text: \(range.offsets)"
    }
    return TextRenderer().render(found).isEmpty == found.isEmpty ? nil : "findings are shown as nothing"
  }

  /// Formatting does not change the meaning, and formatting twice gives the same text.
  private static func formatProblem(_ parsed: ParsedSchema) -> String? {
    let schema = parsed.schema
    let formatted = SchemaFormatter.format(parsed)
    let again = SchemaParser.parse(SourceText(name: "formatted.ckdb", formatted))
    if again.diagnostics.hasErrors { return "the formatted text does not parse:\n\(formatted)" }
    if again.schema.normalized != schema.normalized { return "formatting changed the meaning:\n\(formatted)" }
    if SchemaFormatter.format(again) != formatted { return "formatting is not stable:\n\(formatted)" }
    if again.comments.count != parsed.comments.count { return "formatting lost a comment:\n\(formatted)" }
    guard let canonical = try? Schema(parsing: schema.canonicalText) else {
      return SchemaValidator.diagnostics(parsed).hasErrors ? nil : "the canonical text is not valid"
    }
    return canonical.normalized == schema.normalized
      ? nil : "printing changed the meaning:\n\(schema.canonicalText)"
  }
}

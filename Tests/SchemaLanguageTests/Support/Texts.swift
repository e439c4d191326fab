import Diagnostics
import SchemaLanguage

func parse(_ text: String, name: String = "test.ckdb") -> ParsedSchema {
  SchemaParser.parse(SourceText(name: name, text))
}

/// A schema of one type with these members.
func schema(_ members: String) -> String { "DEFINE SCHEMA\nRECORD TYPE T (\n\(members)\n);\n" }

extension Diagnostic {
  /// The text the finding points at.
  var pointedAt: String { range.map { $0.source.text(in: $0.offsets) } ?? "" }
}

extension Sequence where Element == Diagnostic {
  var codes: [String] { map(\.code) }
}

/// The text after every fix was made, from the last to the first.
func applyingFixes(_ diagnostics: [Diagnostic], to source: SourceText) -> String {
  var bytes = source.bytes
  for fix in diagnostics.compactMap(\.fix).sorted(by: {
    $0.range.offsets.lowerBound > $1.range.offsets.lowerBound
  }) {
    bytes.replaceSubrange(fix.range.offsets, with: Array(fix.replacement.utf8))
  }
  return String(decoding: bytes, as: UTF8.self)
}

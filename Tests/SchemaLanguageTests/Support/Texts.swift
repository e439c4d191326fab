import Diagnostics

@testable import SchemaLanguage

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

/// What the parser makes of a text: each finding with what it points at, the text after all fixes, and what was read.
func reading(of text: String) -> [String] {
  let parsed = parse(text)
  let fixed = applyingFixes(parsed.diagnostics, to: parsed.source)
  let canonical = CanonicalSchemaText()
  return parsed.diagnostics.map { finding in
    "\(finding.pointedAt): \(finding.code) \(finding.message)" + (finding.help.map { " | \($0)" } ?? "")
  } + (fixed == text ? [] : ["fixed: \(fixed)"]) + parsed.roles.map { "role \($0.name)" }
    + parsed.recordTypes.map { type in
      let fields = type.fields.map { field in
        field.field.map { canonical.field($0) } ?? "\(field.name) ? \(field.indexes.map(\.rawValue).joined())"
      }
      return "type \(type.name): "
        + (fields + type.grants.map { canonical.grant($0.grant) }).joined(separator: ", ")
    }
}

/// As ``reading(of:)``, for the members of a record type `T` after a role `Mods`.
func reading(ofMembers members: String) -> [String] {
  let (before, after) = ("DEFINE SCHEMA\nCREATE ROLE Mods;\nRECORD TYPE T (\n", "\n);\n")
  return reading(of: before + members + after).map {
    $0.replacing(before, with: "").replacing(after, with: "")
  }
  .filter { $0 != "role Mods" }
}

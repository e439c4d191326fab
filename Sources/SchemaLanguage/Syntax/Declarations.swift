package import Diagnostics

/// A comment by byte offsets, including its marks, without the line end.
package struct Comment: Sendable, Hashable {
  package let range: Range<Int>
  /// `/* … */`; otherwise `// …` or `-- …`.
  package let isBlock: Bool
}

/// The result of parsing a `.ckdb` text: declarations with their places, comments and findings.
package struct ParsedSchema: Sendable {
  package let source: SourceText
  package let roles: [RoleDeclaration]
  package let recordTypes: [RecordTypeDeclaration]
  package let comments: [Comment]
  /// Syntax errors and warnings; see ``SchemaLinter`` for everything beyond syntax.
  package let diagnostics: [Diagnostic]
  /// The place of `DEFINE SCHEMA`; empty if it is missing.
  let headerRange: Range<Int>
  var miscasedKeywords: [Range<Int>] = []

  /// Whether all statements could be parsed. Errors within the header, a role or a closed record type are allowed.
  package var hasEveryStatement: Bool {
    let kept = [headerRange] + roles.map(\.range) + recordTypes.filter { isClosed($0) }.map(\.range)
    return diagnostics.allSatisfy { diagnostic in
      guard diagnostic.code != SyntaxCode.tooManyErrors.rawValue else { return false }
      guard diagnostic.severity == .error else { return true }
      guard let place = diagnostic.range?.offsets else { return false }
      return kept.contains { $0.lowerBound <= place.lowerBound && place.upperBound <= $0.upperBound }
    }
  }

  private func isClosed(_ type: RecordTypeDeclaration) -> Bool {
    type.end < source.bytes.count && source.bytes[type.end] == UInt8(ascii: ")")
  }

  /// The text without its errors and the record types that have some of `errors`.
  package func without(_ errors: [Diagnostic]) -> ParsedSchema {
    let places = errors.compactMap { $0.range?.offsets.lowerBound }
    let wrong = recordTypes.map(\.range).filter { range in places.contains { range.contains($0) } }
    return ParsedSchema(
      source: source, roles: roles, recordTypes: recordTypes.filter { !wrong.contains($0.range) },
      comments: comments.filter { comment in !wrong.contains { $0.contains(comment.range.lowerBound) } },
      diagnostics: diagnostics.filter { $0.severity != .error }, headerRange: headerRange)
  }

  /// The schema without places. Only valid if ``diagnostics`` has no errors; unreadable parts are left out.
  package var schema: Schema {
    Schema(roles: roles.map { Role($0.name) }, recordTypes: recordTypes.map(\.recordType))
  }
}

package struct RoleDeclaration: Sendable {
  package let name: String
  package let nameRange: Range<Int>
  /// The whole statement.
  package let range: Range<Int>
}

/// A record type in the schema text: `RECORD TYPE name ( … );` A class, because each rule visits all types of a schema:
/// a visit then counts one reference and not one for each of the stored arrays.
package final class RecordTypeDeclaration: Sendable {
  package let name: String
  package let nameRange: Range<Int>
  /// To the opening parenthesis.
  let opening: Range<Int>
  /// The whole statement.
  package let range: Range<Int>
  /// The offset of the closing parenthesis.
  package let end: Int
  package let fields: [FieldDeclaration]
  package let grants: [GrantDeclaration]

  init(
    name: String, nameRange: Range<Int>, opening: Range<Int>, range: Range<Int>, end: Int,
    fields: [FieldDeclaration], grants: [GrantDeclaration]
  ) {
    self.name = name
    self.nameRange = nameRange
    self.opening = opening
    self.range = range
    self.end = end
    self.fields = fields
    self.grants = grants
  }

  package var recordType: RecordType {
    var known: [Field] = []
    known.reserveCapacity(fields.count)
    for field in fields { field.field.map { known.append($0) } }
    return RecordType(name, fields: known, grants: grants.map(\.grant))
  }
}

/// A field in the schema text: `name TYPE OPTION…`
///
/// Kept small, because most of a schema is fields: offsets have 32 bits, which the size limit of
/// ``SchemaDetection`` allows, and the places of options are computed again if a finding needs them.
package struct FieldDeclaration: Sendable {
  package let name: String
  /// `nil` if the type could not be parsed.
  package let type: DataType?
  package let indexes: EnumSet<Index>
  let repeatsOption: Bool
  private let start, nameEnd, typeStart, typeEnd, end: UInt32

  init(
    name: String, nameRange: Range<Int>, type: DataType?, typeRange: Range<Int>, indexes: EnumSet<Index>,
    repeatsOption: Bool, end: Int
  ) {
    self.name = name
    self.type = type
    self.indexes = indexes
    self.repeatsOption = repeatsOption
    start = UInt32(nameRange.lowerBound)
    nameEnd = UInt32(nameRange.upperBound)
    typeStart = UInt32(typeRange.lowerBound)
    typeEnd = UInt32(typeRange.upperBound)
    self.end = UInt32(end)
  }

  package var nameRange: Range<Int> { Int(start)..<Int(nameEnd) }
  package var typeRange: Range<Int> { Int(typeStart)..<Int(typeEnd) }
  /// From the name to the last option.
  package var range: Range<Int> { Int(start)..<Int(end) }
  package var field: Field? { type.map { Field(name, $0, indexes) } }

  /// The options with their places in the text, without misspelled ones.
  func options(in source: SourceText) -> [(index: Index, range: Range<Int>)] {
    Token.all(in: source, Int(typeEnd)..<Int(end)).compactMap { token in
      token.keyword?.index.map { (index: $0, range: token.range) }
    }
  }
}

package struct GrantDeclaration: Sendable {
  package let grant: Grant
  package let roleRange: Range<Int>
  /// From `GRANT` to the role.
  package let range: Range<Int>
}

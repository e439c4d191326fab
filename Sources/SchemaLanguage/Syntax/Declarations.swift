public import Diagnostics

/// A comment by byte offsets, including its marks, without the line end.
public struct Comment: Sendable, Hashable {
  public let range: Range<Int>
  /// `/* … */`; otherwise `// …` or `-- …`.
  public let isBlock: Bool
}

/// The result of parsing a `.ckdb` text: declarations with their places, comments and findings.
public struct ParsedSchema: Sendable {
  public let source: SourceText
  public let roles: [RoleDeclaration]
  public let recordTypes: [RecordTypeDeclaration]
  /// In reading order.
  public let comments: [Comment]
  /// Syntax errors and warnings; see ``SchemaLinter`` for everything beyond syntax.
  public let diagnostics: [Diagnostic]
  /// The place of `DEFINE SCHEMA`; empty if it is missing.
  let headerRange: Range<Int>
  /// Keywords that are not in capitals, in reading order.
  var miscasedKeywords: [Range<Int>] = []

  /// Whether all statements could be parsed. Errors within the header, a role or a closed record type are allowed.
  var hasEveryStatement: Bool {
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

  /// The schema without places. Only valid if ``diagnostics`` has no errors; unreadable parts are left out.
  public var schema: Schema {
    Schema(roles: roles.map { Role($0.name) }, recordTypes: recordTypes.map(\.recordType))
  }
}

/// A role in the schema text: `CREATE ROLE name;`
public struct RoleDeclaration: Sendable {
  public let name: String
  public let nameRange: Range<Int>
  /// The whole statement.
  public let range: Range<Int>
}

/// A record type in the schema text: `RECORD TYPE name ( … );`
///
/// A class, because each rule visits all types of a schema: a visit then counts one reference and not one for each of
/// the stored arrays.
public final class RecordTypeDeclaration: Sendable {
  public let name: String
  public let nameRange: Range<Int>
  /// The whole statement.
  public let range: Range<Int>
  /// The offset of the closing parenthesis.
  public let end: Int
  public let fields: [FieldDeclaration]
  public let grants: [GrantDeclaration]

  init(
    name: String, nameRange: Range<Int>, range: Range<Int>, end: Int, fields: [FieldDeclaration],
    grants: [GrantDeclaration]
  ) {
    self.name = name
    self.nameRange = nameRange
    self.range = range
    self.end = end
    self.fields = fields
    self.grants = grants
  }

  public var recordType: RecordType {
    RecordType(name, fields: fields.compactMap(\.field), grants: grants.map(\.grant))
  }
}

/// A field in the schema text: `name TYPE OPTION…`
///
/// Kept small, because most of a schema is fields: offsets have 32 bits, which the size limit of
/// ``SchemaDetection`` allows, and the places of options are computed again if a finding needs them.
public struct FieldDeclaration: Sendable {
  public let name: String
  /// `nil` if the type could not be parsed.
  public let type: DataType?
  public let indexes: EnumSet<Index>
  /// Whether an option is repeated.
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

  public var nameRange: Range<Int> { Int(start)..<Int(nameEnd) }
  public var typeRange: Range<Int> { Int(typeStart)..<Int(typeEnd) }
  /// From the name to the last option.
  public var range: Range<Int> { Int(start)..<Int(end) }
  public var field: Field? { type.map { Field(name, $0, indexes) } }
  var isQuoted: Bool { nameRange.count > name.utf8.count }

  /// The options with their places in the text, without misspelled ones.
  public func options(in source: SourceText) -> [OptionDeclaration] {
    source.bytes.withUnsafeBufferPointer { bytes in
      var lexer = Lexer(
        UnsafeBufferPointer(rebasing: bytes[..<Int(end)]), from: Int(typeEnd), keepsTrivia: false)
      var options: [OptionDeclaration] = []
      while true {
        let token = lexer.next()
        if token.kind == .end { return options }
        if let index = token.keyword?.index {
          options.append(OptionDeclaration(index: index, range: token.range))
        }
      }
    }
  }
}

/// An index option of a field in the schema text: `QUERYABLE`, `SORTABLE` or `SEARCHABLE` on a field.
public struct OptionDeclaration: Sendable {
  public let index: Index
  public let range: Range<Int>
}

/// A grant in the schema text: `GRANT privileges TO role`
public struct GrantDeclaration: Sendable {
  public let grant: Grant
  public let roleRange: Range<Int>
  /// From `GRANT` to the role.
  public let range: Range<Int>
}

public import Diagnostics

/// A comment as written, by byte offsets, its marks included and its line end not.
public struct Comment: Sendable, Hashable {
  public let range: Range<Int>
  /// `/* … */`; otherwise `// …` or `-- …`.
  public let isBlock: Bool
}

/// What a `.ckdb` text says, with the place of everything it says.
public struct ParsedSchema: Sendable {
  public let source: SourceText
  public let roles: [RoleDeclaration]
  public let recordTypes: [RecordTypeDeclaration]
  /// In reading order.
  public let comments: [Comment]
  /// Syntax errors and warnings; see ``SchemaLinter`` for everything beyond syntax.
  public let diagnostics: [Diagnostic]
  /// `DEFINE SCHEMA`; empty where it is missing.
  let headerRange: Range<Int>
  /// Keywords that are not in capitals, in reading order.
  var miscasedKeywords: [Range<Int>] = []

  /// No statement is missing from the declarations: reading went on to the end, and each mistake lies within the
  /// header, a role or a closed record type, which stand here all the same.
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

  /// The declarations without their places. Meaningful only when ``diagnostics`` has no error; what could not
  /// be read is left out.
  public var schema: Schema {
    Schema(roles: roles.map { Role($0.name) }, recordTypes: recordTypes.map(\.recordType))
  }
}

/// `CREATE ROLE name;`
public struct RoleDeclaration: Sendable {
  public let name: String
  public let nameRange: Range<Int>
  /// The whole statement.
  public let range: Range<Int>
}

/// `RECORD TYPE name ( … );`
public struct RecordTypeDeclaration: Sendable {
  public let name: String
  public let nameRange: Range<Int>
  /// The whole statement.
  public let range: Range<Int>
  /// Where the closing parenthesis stands.
  public let end: Int
  public let fields: [FieldDeclaration]
  public let grants: [GrantDeclaration]

  public var recordType: RecordType {
    RecordType(name, fields: fields.compactMap(\.field), grants: grants.map(\.grant))
  }
}

/// `name TYPE OPTION…`
///
/// The bulk of any schema, therefore small: offsets take 32 bits each, which ``SchemaDetection`` makes enough, and
/// where its options stand is found again when a finding needs it.
public struct FieldDeclaration: Sendable {
  public let name: String
  /// Absent when the type could not be read.
  public let type: DataType?
  public let indexes: EnumSet<Index>
  /// An option is written twice.
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

  /// Its options where they stand in the text it was read from, without misspelt ones.
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

/// `QUERYABLE`, `SORTABLE` or `SEARCHABLE` on a field.
public struct OptionDeclaration: Sendable {
  public let index: Index
  public let range: Range<Int>
}

/// `GRANT privileges TO role`
public struct GrantDeclaration: Sendable {
  public let grant: Grant
  public let roleRange: Range<Int>
  /// From `GRANT` to the role.
  public let range: Range<Int>
}

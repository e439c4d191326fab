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
public struct FieldDeclaration: Sendable {
  public let name: String
  public let nameRange: Range<Int>
  /// Absent when the type could not be read.
  public let type: DataType?
  public let typeRange: Range<Int>
  public let options: [OptionDeclaration]
  /// From the name to the last option.
  public let range: Range<Int>
  public let indexes: Set<Index>

  public var field: Field? { type.map { Field(name, $0, indexes) } }
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

internal import Diagnostics

extension Schema {
  /// The schema as the service's own export prints it, byte for byte
  /// (Documentation/reference/schema-language.md#canonical-form). Comments are not part of a schema;
  /// ``SchemaFormatter`` keeps them.
  package var canonicalText: String { CanonicalSchemaPrinter.text(self) }
}

/// Formats a schema in canonical form and keeps comments with the declarations that they describe.
package enum SchemaFormatter {
  /// The formatted text. Without comments, and without words of the grammar as bare names, it is exactly
  /// ``Schema/canonicalText``. Formatting it again changes nothing. The text must have no errors: unreadable parts
  /// would be lost. A text whose first line ends with CRLF keeps these line ends.
  ///
  /// - Parameter keepsOrder: leaves the record types in the order of the text, which people choose for readers. All
  ///   else is in canonical form.
  package static func format(_ parsed: ParsedSchema, keepsOrder: Bool = false) -> String {
    CanonicalSchemaPrinter.text(
      parsed.schema, commentedIn: [parsed], keepsOrder: keepsOrder, for: parsed.source)
  }
}

/// Writes the layout of an export. Works on bytes, because a schema may have hundreds of thousands of lines.
struct CanonicalSchemaPrinter {
  private var bytes: [UInt8] = []
  private var comments: NamedComments

  /// A schema in canonical order, with the comments of the texts that have them.
  ///
  /// - Parameters:
  ///   - ancestor: the text that the two others come from: what one of them removed of its comments is left out.
  ///   - keepsOrder: leaves the record types in the order of the schema.
  ///   - file: the text that the result replaces, for its line ends.
  static func text(
    _ schema: Schema, commentedIn texts: [ParsedSchema] = [], ancestor: ParsedSchema? = nil,
    keepsOrder: Bool = false, for file: SourceText? = nil
  ) -> String {
    var printer = CanonicalSchemaPrinter(comments: NamedComments(texts, ancestor: ancestor))
    printer.print(schema, keepsOrder: keepsOrder)
    guard file?.endsLinesWithCRLF ?? false else { return String(decoding: printer.bytes, as: UTF8.self) }
    let bytes = printer.bytes.flatMap { $0 == UInt8(ascii: "\n") ? [UInt8(ascii: "\r"), $0] : [$0] }
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func print(_ schema: Schema, keepsOrder: Bool) {
    let header = comments.merged { _ in [.header] }
    print(header.leading, indent: 0)
    if comments.isHeaderApart, !header.leading.isEmpty { put("\n") }
    put("DEFINE SCHEMA")
    endLine(header.trailing)
    // Roles are one block without empty lines.
    if !schema.roles.isEmpty { put("\n") }
    for role in schema.roles { printLine(role.text, comments.of(role), indent: 4) }
    let types = keepsOrder ? schema.recordTypes : schema.recordTypes.sorted { $0.name < $1.name }
    for type in types {
      put("\n")
      print(type)
    }
    let footer = comments.merged { _ in [.end] }.leading
    guard !footer.isEmpty else { return }
    put("\n")
    print(footer, indent: 4)
  }

  private mutating func print(_ type: RecordType) {
    comments.enter(type)
    printLine(type.opening, comments.ofType { .opening($0) }, indent: 4)
    let fields = type.fields.sorted { $0.name < $1.name }
    let width = fields.columnWidth
    let grants = type.normalizedGrants
    var left = fields.count + grants.count
    func line(_ member: String) -> String {
      left -= 1
      return left > 0 ? member + "," : member
    }
    for field in fields { printLine(line(field.text(width: width)), comments.of(field), indent: 8) }
    for grant in grants { printLine(line(grant.text), comments.of(grant), indent: 8) }
    let closing = comments.ofType { .closing($0) }
    print(closing.leading, indent: 8)
    put("    );")
    endLine(closing.trailing)
  }

  private mutating func printLine(_ line: String, _ comments: AttachedComments, indent: Int) {
    print(comments.leading, indent: indent)
    put(indent)
    put(line)
    endLine(comments.trailing)
  }

  private mutating func print(_ comments: [AttachedComments.Line], indent: Int) {
    for comment in comments {
      if comment.isApart { put("\n") }
      put(indent)
      put(comment.text)
      put("\n")
    }
  }

  private mutating func endLine(_ comments: [AttachedComments.Line]) {
    for comment in comments {
      put(" ")
      put(comment.text)
    }
    put("\n")
  }

  private mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }
  private mutating func put(_ blanks: Int) {
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: blanks))
  }
}

extension Schema {
  /// The same declarations in canonical order, with one grant for each role: two schemas mean the same when
  /// their normalized forms are equal. Names are ordered by their bytes: upper case, then `_`, then lower case. They are
  /// ASCII, and for ASCII that is Swift's own order of strings.
  package var normalized: Schema {
    Schema(
      roles: roles.sorted { $0.name < $1.name },
      recordTypes: recordTypes.sorted { $0.name < $1.name }.map(\.normalized))
  }
}

extension RecordType {
  /// Fields by name, grants by role.
  var normalized: RecordType {
    RecordType(name, fields: fields.sorted { $0.name < $1.name }, grants: normalizedGrants)
  }

  /// One grant for each role that has any privilege, by the role's name.
  package var normalizedGrants: [Grant] {
    var merged: [String: EnumSet<Privilege>] = [:]
    for grant in grants { merged[grant.role, default: []].formUnion(grant.privileges) }
    return merged.filter { !$0.value.isEmpty }.map { Grant($0.value, to: $0.key) }.sorted {
      $0.role < $1.role
    }
  }
}

extension Role {
  var text: String { "CREATE ROLE \(Schema.spelled(name));" }
}

extension Field {
  /// The field as a schema declares it.
  ///
  /// - Parameters:
  ///   - width: that of the column of names.
  ///   - type: what stands in place of the type.
  package func text(width: Int = 0, type: String? = nil) -> String {
    var text = Schema.spelled(name)
    text.append(String(repeating: " ", count: max(0, width - text.utf8.count) + 1))
    text.append(type ?? self.type.description)
    for index in indexes {
      text.append(" ")
      text.append(index.rawValue)
    }
    return text
  }
}

extension [Field] {
  /// The width of the column of names: that of the longest, quotes included.
  var columnWidth: Int {
    reduce(0) { Swift.max($0, $1.name.utf8.count + (Schema.needsQuotes($1.name) ? 2 : 0)) }
  }
}

extension Grant {
  /// The line of the grant, without the comma.
  package var text: String { "GRANT \(privileges.list) TO \(Schema.spelled(role))" }
}

extension RecordType {
  var opening: String { "RECORD TYPE \(Schema.spelled(name)) (" }

  /// The type as a schema declares it, in one line.
  ///
  /// - Parameter types: what stands in place of the types of some fields.
  package func declaration(types: [String: String]) -> String {
    let type = normalized
    let members = type.fields.map { $0.text(type: types[$0.name]) } + type.grants.map(\.text)
    return "\(opening)\(members.joined(separator: ", ")));"
  }
}

extension EnumSet where Element: RawRepresentable<String> {
  /// `READ, WRITE`
  package var list: String { map(\.rawValue).joined(separator: ", ") }
}

extension Schema {
  static func spelled(_ name: String) -> String { needsQuotes(name) ? "\"\(name)\"" : name }

  /// Whether a name is written in quotes: one with a leading underscore or a dot, a reserved word, and a word of the grammar
  /// that no export has shown without quotes, because quotes change nothing
  /// (Documentation/reference/schema-language.md#names).
  fileprivate static func needsQuotes(_ name: String) -> Bool {
    guard let first = name.utf8.first, first.isASCIILetter else { return true }
    if !name.utf8.allSatisfy(\.isIdentifierByte) { return true }
    if let keyword = Keyword(name.utf8) { return !keyword.isSeenBare }
    // It is not in the published grammar. The one file that has it as a name has it in quotes.
    return name.utf8.count == 4 && name.lowercased() == "from"
  }
}

extension Keyword {
  /// Whether an export has shown it as a name without quotes.
  fileprivate var isSeenBare: Bool {
    switch self {
    case .timestamp, .type, .asset, .location, .role: true
    default: false
    }
  }
}

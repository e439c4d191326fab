internal import Diagnostics

extension Schema {
  /// The schema as the service's own export prints it, byte for byte
  /// (Documentation/reference/schema-language.md#canonical-form). Comments are not part of a schema;
  /// ``SchemaFormatter`` keeps them.
  package var canonicalText: String { CanonicalSchemaPrinter.text(SchemaLayout(self)) }
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
      SchemaLayout(parsed.schema, commentedIn: [parsed], keepsOrder: keepsOrder), for: parsed.source)
  }
}

/// Writes the layout of an export. Works on bytes, because a schema may have hundreds of thousands of lines.
struct CanonicalSchemaPrinter {
  private var bytes: [UInt8] = []

  /// - Parameter file: the text that the layout replaces, for its line ends.
  static func text(_ layout: SchemaLayout, for file: SourceText? = nil) -> String {
    var printer = CanonicalSchemaPrinter()
    printer.print(layout)
    guard file?.endsLinesWithCRLF ?? false else { return String(decoding: printer.bytes, as: UTF8.self) }
    let bytes = printer.bytes.flatMap { $0 == UInt8(ascii: "\n") ? [UInt8(ascii: "\r"), $0] : [$0] }
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func print(_ layout: SchemaLayout) {
    print(layout.header.leading, indent: 0)
    if layout.isHeaderApart { put("\n") }
    put("DEFINE SCHEMA")
    endLine(layout.header.trailing)
    var previous: SchemaLayout.Statement?
    for statement in layout.statements {
      // Roles are one block without empty lines.
      if previous == nil || previous?.body != nil || statement.body != nil { put("\n") }
      print(statement)
      previous = statement
    }
    guard !layout.footer.isEmpty else { return }
    put("\n")
    print(layout.footer, indent: 4)
  }

  private mutating func print(_ statement: SchemaLayout.Statement) {
    print(statement.comments.leading, indent: 4)
    put("    ")
    put(statement.text)
    endLine(statement.comments.trailing)
    guard let body = statement.body else { return }
    for (index, member) in body.members.enumerated() {
      print(member.comments.leading, indent: 8)
      put("        ")
      put(member.text)
      if index < body.members.count - 1 { put(",") }
      endLine(member.comments.trailing)
    }
    print(body.closing.leading, indent: 8)
    put("    );")
    endLine(body.closing.trailing)
  }

  private mutating func print(_ comments: [AttachedComments.Line], indent: Int) {
    for comment in comments {
      if comment.isApart { put("\n") }
      bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indent))
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
}

extension Schema {
  /// The same declarations in canonical order, with one grant for each role: two schemas mean the same when
  /// their normalized forms are equal.
  package var normalized: Schema {
    Schema(
      roles: roles.sorted { byteOrder($0.name, $1.name) },
      recordTypes: recordTypes.sorted { byteOrder($0.name, $1.name) }.map(\.normalized))
  }
}

extension RecordType {
  /// Fields by name, grants by role.
  var normalized: RecordType {
    RecordType(name, fields: fields.sorted { byteOrder($0.name, $1.name) }, grants: normalizedGrants)
  }

  /// One grant for each role that has any privilege, by the role's name.
  package var normalizedGrants: [Grant] {
    var merged: [String: EnumSet<Privilege>] = [:]
    for grant in grants { merged[grant.role, default: []].formUnion(grant.privileges) }
    return merged.filter { !$0.value.isEmpty }.map { Grant($0.value, to: $0.key) }.sorted {
      byteOrder($0.role, $1.role)
    }
  }
}

/// Names are ordered by their bytes: upper case, then `_`, then lower case. Names are ASCII, and for ASCII that is
/// Swift's own order of strings.
func byteOrder(_ a: String, _ b: String) -> Bool { a < b }

extension Schema {
  /// The schema as the service's own export prints it, byte for byte (schema-language.md section 1.6). Comments
  /// are not part of a schema; ``SchemaFormatter`` keeps them.
  public var canonicalText: String {
    var printer = CanonicalPrinter()
    printer.print(self)
    return printer.text
  }

  /// The same declarations in canonical order, with one grant for each role: two schemas mean the same when
  /// their normalised forms are equal.
  public var normalized: Schema {
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

  /// One grant for each role that has any privilege: the system's roles first, then the schema's own, each by
  /// name.
  var normalizedGrants: [Grant] {
    var merged: [String: Set<Privilege>] = [:]
    for grant in grants { merged[grant.role, default: []].formUnion(grant.privileges) }
    return merged.filter { !$0.value.isEmpty }.map { Grant($0.value, to: $0.key) }.sorted {
      grantOrder($0.role, $1.role)
    }
  }
}

/// Names are ordered by their bytes: upper case, then `_`, then lower case.
func byteOrder(_ a: String, _ b: String) -> Bool { a.utf8.lexicographicallyPrecedes(b.utf8) }

/// System roles before custom ones (section 1.6 rule 8).
func grantOrder(_ a: String, _ b: String) -> Bool {
  let aIsSystem = a.utf8.first == UInt8(ascii: "_")
  let bIsSystem = b.utf8.first == UInt8(ascii: "_")
  return aIsSystem == bIsSystem ? byteOrder(a, b) : aIsSystem
}

/// Writes the layout of an export. Bytes, because a schema may have hundreds of thousands of lines.
struct CanonicalPrinter {
  private var bytes: [UInt8] = []

  var text: String { String(decoding: bytes, as: UTF8.self) }

  mutating func print(_ schema: Schema) {
    put("DEFINE SCHEMA\n")
    for role in schema.roles.sorted(by: { byteOrder($0.name, $1.name) }) {
      put("\n    \(Self.role(role.name))\n")
    }
    for type in schema.recordTypes.sorted(by: { byteOrder($0.name, $1.name) }) {
      put("\n")
      print(type)
    }
  }

  private mutating func print(_ type: RecordType) {
    put("    \(Self.opening(type.name))\n")
    let fields = type.fields.sorted { byteOrder($0.name, $1.name) }
    let grants = type.normalizedGrants
    let width = Self.columnWidth(fields.map(\.name))
    for (index, field) in fields.enumerated() {
      line(Self.field(field, width: width), isLast: index == fields.count - 1 && grants.isEmpty)
    }
    for (index, grant) in grants.enumerated() {
      line(Self.grant(grant), isLast: index == grants.count - 1)
    }
    put("    );\n")
  }

  private mutating func line(_ member: String, isLast: Bool) {
    put("        ")
    put(member)
    put(isLast ? "\n" : ",\n")
  }

  private mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }

  // MARK: The pieces of a line

  static func role(_ name: String) -> String { "CREATE ROLE \(quoted(name));" }

  static func opening(_ name: String) -> String { "RECORD TYPE \(quoted(name)) (" }

  static func columnWidth(_ names: [String]) -> Int { names.map { quoted($0).utf8.count }.max() ?? 0 }

  static func field(_ field: Field, width: Int) -> String {
    var text = quoted(field.name)
    text.append(String(repeating: " ", count: width - text.utf8.count + 1))
    text.append(field.type.description)
    for index in Index.allCases where field.indexes.contains(index) {
      text.append(" ")
      text.append(index.rawValue)
    }
    return text
  }

  static func grant(_ grant: Grant) -> String {
    let privileges = Privilege.allCases.filter(grant.privileges.contains).map(\.rawValue)
    return "GRANT \(privileges.joined(separator: ", ")) TO \(quoted(grant.role))"
  }

  /// Quotes only where the grammar needs them.
  static func quoted(_ name: String) -> String {
    let isPlain = name.utf8.first?.isNameStart ?? false
    guard isPlain, name.utf8.allSatisfy(\.isNameByte), !ReservedWord.contains(name.utf8) else {
      return "\"\(name)\""
    }
    return name
  }
}

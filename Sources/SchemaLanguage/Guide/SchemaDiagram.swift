import Diagnostics

/// A schema's types and references as Mermaid entity relationship diagrams.
struct SchemaDiagram {
  /// The maximum number of types in a diagram; more do not fit on a page.
  static let maxTypes = 40

  private let types: [RecordTypeDeclaration]
  private let links: FieldRelations

  init(_ types: [RecordTypeDeclaration], _ links: FieldRelations) {
    self.types = types.filter { !SystemNames.isManaged($0.name) }
    self.links = links
  }

  /// The diagrams, each with at most ``maxTypes`` types. A reference is in the diagram of the type with the field.
  var texts: [String] {
    stride(from: 0, to: types.count, by: Self.maxTypes).map { start in
      diagram(types[start..<min(start + Self.maxTypes, types.count)])
    }
  }

  private func diagram(_ types: ArraySlice<RecordTypeDeclaration>) -> String {
    var text = "erDiagram\n"
    for type in types {
      let fields = type.fields.filter { !$0.isSystem }
      guard !fields.isEmpty else {
        text += "  \(Self.entity(type.name))\n"
        continue
      }
      text += "  \(Self.entity(type.name)) {\n"
      for field in fields { text += "    \(Self.attribute(field))\n" }
      text += "  }\n"
    }
    for link in types.flatMap({ links.of($0.name) }) {
      let end = link.isToMany ? "}o--o{" : "}o--||"
      text += "  \(Self.entity(link.type)) \(end) \(Self.entity(link.target)) : \"\(link.field)\"\n"
    }
    return text
  }

  /// In quotes, because `class`, `style`, `end`, `to`, `one` and other names are words of Mermaid's grammar.
  private static func entity(_ name: String) -> String { "\"\(name)\"" }

  /// A field of a type. Mermaid takes no quotes here. Words that it reads as keys, and names with other characters,
  /// are changed, with the name as comment.
  private static func attribute(_ field: FieldDeclaration) -> String {
    let isKey = ["PK", "FK", "UK"].contains(field.name.uppercased())
    guard isKey || !field.name.utf8.allSatisfy(\.isIdentifierByte) else {
      return "\(type(field.type)) \(field.name)"
    }
    let name = field.name.replacing(".", with: "_") + (isKey ? "_" : "")
    return "\(type(field.type)) \(name) \"\(field.name)\""
  }

  /// Mermaid's types are one word.
  private static func type(_ type: DataType?) -> String {
    let word = (type?.primitive.description ?? "unknown").replacing(" ", with: "_")
    if case .list? = type { return "\(word)[]" }
    return word
  }
}

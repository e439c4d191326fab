/// A schema's types and references as Mermaid entity relationship diagrams.
struct SchemaDiagram {
  /// The maximum number of types in a diagram; more do not fit on a page.
  static let maxTypes = 40

  private let types: [RecordTypeDeclaration]
  private let links: FieldReferenceTargets

  init(_ types: [RecordTypeDeclaration], _ links: FieldReferenceTargets) {
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
      for field in fields { text += "    \(Self.type(field.type)) \(Self.attribute(field.name))\n" }
      text += "  }\n"
    }
    for link in types.flatMap({ links.of($0.name) }) {
      text +=
        "  \(Self.entity(link.type)) }o--|| \(Self.entity(link.target)) : \(Self.attribute(link.field))\n"
    }
    return text
  }

  private static func entity(_ name: String) -> String {
    name.utf8.allSatisfy(\.isNameByte) ? name : "\"\(name)\""
  }

  private static func attribute(_ name: String) -> String { name.replacing(".", with: "_") }

  /// Mermaid's types are one word.
  private static func type(_ type: DataType?) -> String {
    let word = (type?.primitive.description ?? "unknown").replacing(" ", with: "_")
    if case .list? = type { return "\(word)[]" }
    return word
  }
}

import Diagnostics

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

extension ParsedSchema {
  /// The record types that fields refer to, as far as their names and comments show it.
  package var typeLinks: [(type: String, field: String, target: String)] {
    let comments = CommentAttachment(self)
    let links = FieldReferenceTargets(recordTypes) { CommentText.words(comments[.field($0, $1)]) }
    return links.all.map { ($0.type, $0.field, $0.target) }
  }
}

/// Finds the record types that fields refer to. The schema language does not declare them, so they are guessed: the
/// type that a field's comment names, or the type that the field is named after.
struct FieldReferenceTargets {
  /// A field that refers to another record type.
  struct Link: Hashable {
    let type: String
    let field: String
    let target: String
  }

  /// In the order of the schema.
  let all: [Link]
  private let byType: [String: [Link]]
  private let byTarget: [String: [Link]]

  func of(_ type: String) -> [Link] { byType[type] ?? [] }
  func to(_ target: String) -> [Link] { byTarget[target] ?? [] }

  /// - Parameter comments: the text of a field's comment.
  init(_ types: [RecordTypeDeclaration], comment: (_ type: Int, _ field: Int) -> String) {
    let names = TypeNames(types.map(\.name).filter { !SystemNames.isManaged($0) })
    var links: [Link] = []
    for (place, type) in types.enumerated() {
      for (index, field) in type.fields.enumerated() where !field.isSystem {
        let target =
          names.named(in: comment(place, index), except: type.name)
          ?? names.meant(by: Self.stem(of: field) ?? IdentifierWords(field.name).words)
        if let target, Self.canRefer(field) {
          links.append(Link(type: type.name, field: field.name, target: target))
        }
      }
    }
    all = links
    byType = Dictionary(grouping: links, by: \.type)
    byTarget = Dictionary(grouping: links, by: \.target)
  }

  /// Whether the field can refer to a record: a REFERENCE, or a text field whose name says that it has record
  /// names.
  private static func canRefer(_ field: FieldDeclaration) -> Bool {
    guard let primitive = field.type?.primitive else { return false }
    if primitive == .reference { return true }
    guard primitive == .plain(.string) || primitive == .encrypted(.string) else { return false }
    return stem(of: field) != nil
  }

  /// The words before `recordName` and similar endings: `feed` for `feedRecordNames`. `nil` if the name does not
  /// mention a record.
  private static func stem(of field: FieldDeclaration) -> [String]? {
    let words = IdentifierWords(field.name).words
    if words.suffix(2) == ["record", "name"] || words.suffix(2) == ["record", "id"] {
      return Array(words.dropLast(2))
    }
    guard let last = words.last, words.count > 1, ["reference", "ref", "id"].contains(last) else {
      return nil
    }
    return Array(words.dropLast())
  }
}

/// The names of a schema's types, found by their words without a search through all types.
private struct TypeNames {
  private let names: Set<String>
  /// The first type with these words.
  private let byWords: [[String]: String]
  /// The types whose names end with a word.
  private let byLastWord: [String: [String]]

  init(_ names: [String]) {
    self.names = Set(names)
    let words = names.map { (name: $0, words: IdentifierWords($0).words) }
    byWords = Dictionary(words.map { ($0.words, $0.name) }) { first, _ in first }
    byLastWord = Dictionary(grouping: words.filter { !$0.words.isEmpty }) { $0.words[$0.words.count - 1] }
      .mapValues { $0.map(\.name) }
  }

  /// The type that a comment names, if it names only one.
  func named(in comment: String, except own: String) -> String? {
    let words = Set(comment.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
    let found = words.filter { names.contains($0) && $0 != own }
    return found.count == 1 ? found.first : nil
  }

  /// The type with these words, or the only one that ends with the last of them: `category` is a `FeedCategory`.
  func meant(by words: [String]) -> String? {
    guard let last = words.last else { return nil }
    if let exact = byWords[words] { return exact }
    let candidates = byLastWord[last] ?? []
    return candidates.count == 1 ? candidates[0] : nil
  }
}

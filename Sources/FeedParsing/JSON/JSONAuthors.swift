internal import Diagnostics
internal import XMLReading

/// The authors of a JSON Feed or of an item: the list `authors` of version 1.1, else the object `author` of version 1.0, and
/// whatever publishers write in their place (Documentation/reference/feeds.md#authors).
struct JSONAuthors {
  private(set) var names: [String] = []
  /// What does not have the shape that the format asks for.
  private(set) var problems: [String] = []

  private static let maxCount = 64
  private static let maxDepth = 4

  init(of value: JSONValue) {
    let list = value["authors"]
    if let list, list.array == nil, list != .null { problems.append(Self.problem("authors", list, "a list")) }
    read(list, in: "authors")
    guard names.isEmpty else { return }
    let author = value["author"]
    if let author, author.object == nil, author != .null {
      problems.append(Self.problem("author", author, "an object"))
    }
    read(author, in: "author")
  }

  /// Whether an author is named, perhaps by nothing but an address.
  static func isDeclared(in value: JSONValue) -> Bool {
    ["authors", "author"].contains { key in
      switch value[key] {
      case nil, .null: false
      case .array(let authors): !authors.isEmpty
      default: true
      }
    }
  }

  private mutating func read(_ value: JSONValue?, in key: String, depth: Int = 0) {
    guard let value, depth < Self.maxDepth else { return }
    switch value {
    case .array(let authors):
      for author in authors.prefix(Self.maxCount) {
        if author.object == nil {
          problems.append("an element of '\(key)' is \(author.kindName), not an object")
        }
        read(author, in: key, depth: depth + 1)
      }
    case .object(let author) where author["name"] != nil: read(author["name"], in: key, depth: depth + 1)
    case .object(let author) where author["author"] != nil:
      problems.append("an author has 'author', not 'name'")
      read(author["author"], in: key, depth: depth + 1)
    case .object(let author) where Self.partedName(author) != nil:
      problems.append("an author has the parts of a name, not 'name'")
      if let name = Self.partedName(author).flatMap({ AuthorName.name($0) }) { names.append(name) }
    case .object(let authors):
      // Authors under keys, such as their numbers.
      for (_, author) in authors.members.prefix(Self.maxCount) where author.object != nil {
        read(author, in: key, depth: depth + 1)
      }
    default: if let name = value.text.flatMap({ AuthorName.name($0) }) { names.append(name) }
    }
  }

  /// A name in parts, such as `first` and `last`, in the order in which it is spoken.
  private static func partedName(_ author: JSONObject) -> String? {
    let parts = ["first", "given", "middle", "last", "family", "sur"].compactMap { part in
      author.members.first { key, _ in
        let key = key.lowercased().filter(\.isLetter)
        return key == part || key == part + "name"
      }?.value.text
    }
    return parts.joined(separator: " ").nonEmpty
  }

  private static func problem(_ key: String, _ value: JSONValue, _ expected: String) -> String {
    "'\(key)' is \(value.kindName), not \(expected)"
  }
}

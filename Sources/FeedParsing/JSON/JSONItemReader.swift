internal import Diagnostics
internal import XMLReading

struct JSONItemReader: ~Copyable {
  private let limits: FeedLimits
  private let base: BaseURL?
  private var items = ItemTable()
  private var texts = ByteBuffer()
  private var findings = FeedFindingList()
  /// The number of all elements, valid items or not.
  private var count = 0

  init(limits: FeedLimits, base: BaseURL?) {
    self.limits = limits
    self.base = base
  }

  mutating func take(_ element: JSONValue) {
    count += 1
    guard count <= limits.items else { return }
    guard element.object != nil else {
      return findings.add(.jsonShape, "an item is \(element.kindName), not an object")
    }
    add(element)
  }

  consuming func finish(_ list: JSONListReader, into feed: inout ParsedFeed) {
    let object = JSONValue.object(list.object)
    // A document that was cut off may have ended before its items.
    if object["items"]?.array == nil, list.error == nil {
      findings.add(.jsonShape, "'items' is \(object["items"]?.kindName ?? "missing"), not a list")
      feed.wellFormed = false
      feed.recovered = true
    }
    // JSON Feed 1.1: an item without authors has the authors of the feed.
    let names = authors(of: object)
    if let names, names.utf8.count <= ItemTable.maxInheritedAuthor { items.inherit(author: texts.add(names)) }
    if count > limits.items {
      feed.isComplete = false
      findings.add(
        .tooManyItems, "\(count - limits.items) items after the first \(limits.items) were not kept")
    }
    if list.isTextCut { findings.add(.textTruncated, "a text longer than \(limits.text) bytes was cut") }
    feed.diagnostics += findings.list
    let entry = BridgeErrorEntry(of: feed, authors: names, items: items.count)
    feed.bridgeErrors = items.removeBridgeErrors(entry, in: texts)
    feed.items = items.items(texts: texts)
  }

  private mutating func add(_ value: JSONValue) {
    var item = ItemRecord()
    let title = value["title"]?.text
    let url = value["url"]?.link(against: base) ?? value["external_url"]?.link(against: base)
    let summary = value["summary"]?.text
    item.title = texts.add(title)
    item.url = texts.add(url)
    item.published = date(value["date_published"])
    item.updated = date(value["date_modified"])
    item.author = texts.add(authors(of: value))
    item.declaresAuthor = JSONAuthors.isDeclared(in: value)
    if limits.keepsSummaries { item.summary = texts.add(summary) }
    let content = value["content_html"]?.string ?? value["content_text"]?.string ?? summary
    item.contentLength = content?.nonEmpty?.utf8.count ?? 0
    let file = self.file(of: value)
    item.enclosure = texts.add(file)
    let declared = identity(value["id"])
    item.idIsDeclared = declared != nil
    if declared == nil, url != nil {
      item.id = item.url
    } else {
      item.id = texts.add(declared ?? ItemTable.derivedID(title: title, summary: summary, enclosure: file))
    }
    items.append(item, limits.keepsArticles ? article(value) : nil)
  }

  /// The address of the first attached file, or of the first that is a picture.
  private func file(of value: JSONValue, isPicture: Bool = false) -> String? {
    for file in value["attachments"]?.array ?? [] {
      guard !isPicture || file["mime_type"]?.string?.hasPrefix("image/") ?? false else { continue }
      if let address = file["url"]?.link(against: base) { return address }
    }
    return nil
  }

  private mutating func authors(of value: JSONValue) -> String? {
    let authors = JSONAuthors(of: value)
    for problem in authors.problems { findings.add(.jsonShape, problem) }
    return AuthorName.joined(authors.names)
  }

  private mutating func article(_ value: JSONValue) -> ArticleRecord {
    var article = ArticleRecord()
    let html = value["content_html"]?.text
    article.content = texts.add(html ?? value["content_text"]?.text)
    article.contentIsPlain = html == nil
    article.titleIsPlain = true
    article.summaryIsPlain = true
    article.isCut = isCut(html ?? value["content_text"]?.text ?? value["summary"]?.text)
    article.image = texts.add(
      value["image"]?.link(against: base) ?? value["banner_image"]?.link(against: base)
        ?? self.file(of: value, isPicture: true))
    article.language = texts.add(value["language"]?.text)
    for tag in value["tags"]?.array ?? [] {
      guard let tag = tag.text else { continue }
      items.add(category: texts.add(tag), to: &article)
    }
    return article
  }

  /// A text of the parser's limit was cut there, at the end of a character.
  private func isCut(_ text: String?) -> Bool { text.map { $0.utf8.count > limits.text - 4 } ?? false }

  /// JSON Feed 1 asks readers to treat a number as its text, which the parser keeps of all but whole ones.
  private func identity(_ value: JSONValue?) -> String? {
    switch value {
    case .string(let text): text.nonEmpty
    case .integer(let number): String(number)
    default: nil
    }
  }

  private mutating func date(_ value: JSONValue?) -> FeedDate? {
    guard let text = value?.text else { return nil }
    let date = FeedDate(text)
    if date == nil { findings.add(.unreadableDate, "'\(text.prefix(60))' is not a date") }
    return date.flatMap { $0.isMissing ? nil : $0 }
  }
}

extension JSONValue {
  /// A string without white space at its ends; `nil` when nothing is left.
  var text: String? { string?.nonEmpty }

  func link(against base: BaseURL?) -> String? { text.map { URLResolver.resolve($0, against: base) } }
}

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

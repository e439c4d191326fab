internal import Cryptography
internal import XMLReading

/// The position of a text among the texts of its feed; an absent text is empty.
struct TextSpan {
  private let start: UInt32
  let count: UInt32

  static let none = TextSpan(0..<0)

  /// - Parameter range: below 4 GB, which ``FeedLimits`` ensures.
  init(_ range: Range<Int>) {
    start = UInt32(range.lowerBound)
    count = UInt32(range.count)
  }

  var isEmpty: Bool { count == 0 }
  var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
}

extension ByteBuffer {
  /// The bytes of a text, valid until the next change.
  subscript(span: TextSpan) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: bytes[span.range]) }

  mutating func add(_ text: String?) -> TextSpan {
    guard var text else { return .none }
    let start = count
    text.withUTF8 { append($0) }
    return TextSpan(start..<count)
  }
}

/// The stored values of an item. It contains no references, so that creating, moving and dropping thousands is cheap.
struct ItemRecord {
  var id = TextSpan.none
  var title = TextSpan.none
  var url = TextSpan.none
  var author = TextSpan.none
  var summary = TextSpan.none
  var published: FeedDate?
  var updated: FeedDate?
  var contentLength = 0
  var idIsDeclared = false
  /// The item names an author, perhaps by nothing but an address.
  var declaresAuthor = false
  /// The address of the first attached file.
  var enclosure = TextSpan.none
}

/// The values of an item that are kept for stored articles only.
struct ArticleRecord {
  var content = TextSpan.none
  var image = TextSpan.none
  var language = TextSpan.none
  var categories: Range<UInt32> = 0..<0
  var titleIsPlain = false
  var contentIsPlain = false
  var summaryIsPlain = false
  /// The content, or without one the summary, is longer than ``FeedLimits/text``.
  var isCut = false
}

final class ItemStorage: Sendable {
  private let texts: ByteBuffer
  /// One an item, or none.
  private let articles: [ArticleRecord]
  private let categories: [TextSpan]
  /// True when any of the texts contains U+0080...U+009F. Hardly any does, so all are checked at once.
  private let hasControls: Bool

  static let empty = ItemStorage(texts: ByteBuffer())

  init(texts: consuming ByteBuffer, articles: [ArticleRecord] = [], categories: [TextSpan] = []) {
    hasControls = texts.bytes.hasControls
    self.texts = texts
    self.articles = articles
    self.categories = categories
  }

  /// Valid as long as the storage exists.
  func bytes(_ span: TextSpan) -> UnsafeBufferPointer<UInt8> { texts[span] }

  func text(_ span: TextSpan) -> String? {
    if span.isEmpty { return nil }
    return hasControls ? texts[span].text : String(decoding: texts[span], as: UTF8.self)
  }

  /// `nil` unless the values were kept.
  func article(at position: Int) -> ArticleRecord? { articles.isEmpty ? nil : articles[position] }

  func categories(of article: ArticleRecord) -> [String] {
    categories[Int(article.categories.lowerBound)..<Int(article.categories.upperBound)].compactMap(text)
  }
}

/// The items of a feed while it is parsed. Their texts are stored elsewhere.
struct ItemTable {
  private(set) var records: [ItemRecord] = []

  /// Bytes of the longest author that items inherit: with many items, a longer one would make the output far larger
  /// than the document.
  static let maxInheritedAuthor = 256
  private static let maxCategories = 64

  private(set) var articles: [ArticleRecord] = []
  private(set) var categories: [TextSpan] = []

  var count: Int { records.count }

  mutating func append(_ record: ItemRecord, _ article: ArticleRecord? = nil) {
    records.append(record)
    if let article { articles.append(article) }
  }

  mutating func add(category: TextSpan, to article: inout ArticleRecord) {
    guard article.categories.count < Self.maxCategories else { return }
    categories.append(category)
    let end = UInt32(categories.count)
    article.categories = (article.categories.isEmpty ? end - 1 : article.categories.lowerBound)..<end
  }

  mutating func removeCategories(of article: ArticleRecord) {
    categories.removeLast(article.categories.count)
  }

  mutating func inherit(author: TextSpan) {
    for index in records.indices where !records[index].declaresAuthor { records[index].author = author }
  }

  /// Removes the entries that report an error of the program that makes the feed, and returns how many they were.
  mutating func removeBridgeErrors(_ entry: BridgeErrorEntry, in texts: borrowing ByteBuffer) -> Int {
    var others: [Int] = []
    for index in records.indices
    where !entry.matches(title: texts[records[index].title], url: texts[records[index].url]) {
      others.append(index)
    }
    let count = records.count - others.count
    guard count > 0 else { return 0 }
    if !articles.isEmpty { articles = others.map { articles[$0] } }
    records = others.map { records[$0] }
    return count
  }

  func items(texts: consuming ByteBuffer) -> FeedItems {
    FeedItems(records, in: ItemStorage(texts: texts, articles: articles, categories: categories))
  }

  static func derivedID(title: String?, summary: String?, enclosure: String?) -> String {
    "sha256:" + SHA256.hex("\(title ?? "")\n\(summary ?? "")\n\(enclosure ?? "")")
  }
}

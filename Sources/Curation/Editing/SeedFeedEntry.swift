internal import Catalog
public import Diagnostics
internal import FeedParsing
internal import HTTPTransport
internal import XMLReading

/// A feed as an entry of a seed file, with its known fields in the order in which editors read them.
public struct SeedFeedEntry: Sendable, Hashable {
  public var slug: String
  public var title: String
  public var feedURL: String
  public var siteURL: String?
  public var subtitle: String?
  public var imageURL: String?
  /// Left out where the file gives it.
  public var category: String?
  /// ISO 639-1.
  public var language: String?
  public var tags: [String] = []
  public var recordName: String?
  public var isFeatured = false
  public var isVerified = false
  /// More fields of the entry, by their keys.
  var extra: [String: JSONValue] = [:]

  public init(slug: String, title: String, feedURL: String) {
    self.slug = slug
    self.title = title
    self.feedURL = feedURL
  }

  /// The keys of a feed's entry in the order of the shipped seeds.
  public static let keys = [
    "slug", "recordName", "title", "feedURL", "siteURL", "subtitle", "imageURL", "category", "language",
    "tags",
    "isFeatured", "isVerified", "retired", "replacedBy", "differentFrom",
  ]

  public var json: JSONObject {
    var json: JSONObject = ["slug": .string(slug)]
    json["recordName"] = recordName.map(JSONValue.string)
    json["title"] = .string(title)
    json["feedURL"] = .string(feedURL)
    json["siteURL"] = siteURL.map(JSONValue.string)
    json["subtitle"] = subtitle.map(JSONValue.string)
    json["imageURL"] = imageURL.map(JSONValue.string)
    json["category"] = category.map(JSONValue.string)
    json["language"] = language.map(JSONValue.string)
    if !tags.isEmpty { json["tags"] = .array(tags.map(JSONValue.string)) }
    if isFeatured { json["isFeatured"] = true }
    if isVerified { json["isVerified"] = true }
    guard !extra.isEmpty else { return json }
    let members = Self.keys.compactMap { key -> (key: String, value: JSONValue)? in
      let value = json[key] ?? (key == "category" ? nil : extra[key])
      return value.map { (key, $0) }
    }
    return JSONObject(members)
  }
}

extension SeedFeedEntry {
  /// The entry of a found feed.
  ///
  /// - Parameter taken: slugs that other feeds have.
  init(_ found: FoundFeed, of result: FeedSearchResult, taken: Set<String>) {
    let title = TitleCleaner.best(feed: found.feed.title, page: result.pageTitle, url: found.feedURL)
    let url = TitleCleaner.address(found.feedURL) ?? found.feedURL
    self.init(slug: Slug.suggested(forTitle: title, url: url, taken: taken).slug, title: title, feedURL: url)
    let page = found.origin == .input || found.origin == .siteRule ? nil : result.page
    siteURL = found.feed.siteURL.flatMap(TitleCleaner.address) ?? page.flatMap(TitleCleaner.address)
    subtitle = found.feed.description.map(TitleCleaner.plain).flatMap { $0.isEmpty || $0 == title ? nil : $0 }
      .map { TitleCleaner.shortened($0, to: 200) }
    imageURL = result.imageURL.flatMap(TitleCleaner.address)
    language = found.language.flatMap(LanguageCodes.code)
  }
}

extension String.UTF8View {
  /// Whether the text surely is one line of plain words, as most titles are.
  fileprivate var isOnePlainLine: Bool {
    var previous = UInt8(ascii: " ")
    for byte in self {
      guard (0x20..<0x7F).contains(byte), byte != UInt8(ascii: "<"), byte != UInt8(ascii: "&"),
        byte != UInt8(ascii: " ") || previous != byte
      else { return false }
      previous = byte
    }
    return previous != UInt8(ascii: " ") || isEmpty
  }
}

/// Cleans titles from publishers for use in a catalog.
enum TitleCleaner {
  /// Titles without meaning.
  private static let empty: Set = [
    "rss", "feed", "atom", "rss feed", "home", "blog", "untitled", "index", "news feed",
  ]

  /// The feed's title; if that has no meaning, the page's title; otherwise the host name.
  static func best(feed: String?, page: String?, url: String) -> String {
    for title in [feed, page].compactMap(\.self).map(plain)
    where !title.isEmpty && !empty.contains(title.lowercased()) {
      return shortened(title, to: 150)
    }
    return WebAddress(url).map { KnownFeedSite.bare($0.host) } ?? url
  }

  /// One line without markup, references and control characters, composed as the catalog stores it.
  static func plain(_ text: String) -> String {
    if text.utf8.isOnePlainLine { return text }
    var pieces: [String] = []
    if text.contains("<") || text.contains("&") {
      HTMLReader().read(Array(text.utf8)) { event in
        if case .text(let piece) = event { pieces.append(piece) }
        return .read
      }
    } else {
      pieces = [text]
    }
    let scalars = pieces.joined(separator: " ").unicodeScalars.filter {
      let category = $0.properties.generalCategory
      return $0 == " " || $0 == "\n" || $0 == "\t"
        || (category != .control && !bidirectional.contains($0.value))
    }
    return String(String.UnicodeScalarView(scalars)).split(whereSeparator: \.isWhitespace).joined(
      separator: " "
    )
    .composed
  }

  /// Characters that change the direction of the text around them.
  private static let bidirectional: Set<UInt32> = Set(0x202A...0x202E).union(0x2066...0x2069)

  /// Cut after a word.
  static func shortened(_ text: String, to length: Int) -> String {
    guard text.count > length else { return text }
    let start = text.prefix(length - 1)
    return (start.lastIndex(of: " ").map { start[..<$0] } ?? start) + "…"
  }

  /// The address in the form that the catalog accepts; `nil` if it is not acceptable.
  static func address(_ text: String) -> String? {
    let url = URLNormalizer.encoded(text)
    return WebAddress.problem(with: url) == nil ? url : nil
  }
}

// The entries of the catalog's models as seed files have them: defaults are left out.

extension SeedCategory {
  var seedJSON: JSONObject {
    var json: JSONObject = ["slug": .string(slug), "name": .string(name)]
    if icon != SeedFieldDefaults.categoryIcon { json["icon"] = .string(icon) }
    if color != SeedFieldDefaults.categoryColor { json["color"] = .string(color) }
    if sortOrder != SeedFieldDefaults.categorySortOrder { json["sortOrder"] = .integer(sortOrder) }
    json["parentCategory"] = parentCategory.map(JSONValue.string)
    json["description"] = description.map(JSONValue.string)
    return json
  }
}

extension SeedFeed {
  /// The language is written even where it is the default: editors look for it.
  var seedJSON: JSONObject {
    var entry = SeedFeedEntry(slug: slug, title: title, feedURL: feedURL)
    entry.recordName = recordName
    entry.siteURL = siteURL
    entry.subtitle = subtitle
    entry.imageURL = imageURL
    entry.category = category
    entry.language = language
    entry.tags = tags
    entry.isFeatured = isFeatured
    entry.isVerified = isVerified
    return entry.json
  }
}

extension SeedCollection {
  var seedJSON: JSONObject {
    var json: JSONObject = ["slug": .string(slug), "title": .string(title)]
    json["description"] = description.map(JSONValue.string)
    json["coverImageURL"] = coverImageURL.map(JSONValue.string)
    json["curatorName"] = curatorName.map(JSONValue.string)
    if isFeatured { json["isFeatured"] = true }
    if !tags.isEmpty { json["tags"] = .array(tags.map(JSONValue.string)) }
    json["feeds"] = .array(feeds.map(JSONValue.string))
    return json
  }
}

/// Converts addresses to the form that the catalog accepts: ASCII, percent-encoded.
enum URLNormalizer {
  /// The address with everything encoded that needs it; unchanged when nothing does, or when it cannot be read.
  static func encoded(_ text: String) -> String {
    let needsEncoding = text.utf8.contains { $0 <= 0x20 || $0 > 0x7E || unsafe.contains($0) }
    guard needsEncoding else { return text }
    let trimmed = String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    var output = ""
    for byte in (URLParts(trimmed)?.text ?? trimmed).utf8 {
      if byte <= 0x20 || byte > 0x7E || unsafe.contains(byte) {
        let hex = String(byte, radix: 16, uppercase: true)
        output += "%" + (hex.utf8.count == 1 ? "0" : "") + hex
      } else {
        output.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    return output
  }

  private static let unsafe = Set("<>\"\\^`{|}".utf8)
}

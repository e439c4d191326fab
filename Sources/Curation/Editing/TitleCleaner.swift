internal import Catalog
internal import Diagnostics
internal import FeedParsing
internal import HTTPTransport
internal import XMLReading

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
    // A text of invisible characters counts as blank.
    guard scalars.contains(where: \.isVisible) else { return "" }
    return String(String.UnicodeScalarView(scalars)).split(whereSeparator: \.isWhitespace)
      .joined(separator: " ").composed
  }

  /// Characters that change the direction of the text around them.
  private static let bidirectional: Set<UInt32> = Set(0x202A...0x202E).union(0x2066...0x2069)

  /// Cut after a word.
  static func shortened(_ text: String, to length: Int) -> String {
    guard text.utf8.count > length, text.count > length else { return text }
    let start = text.prefix(length - 1)
    return (start.lastIndex(of: " ").map { start[..<$0] } ?? start) + "…"
  }

  /// The address in the form that the catalog accepts; `nil` if it is not acceptable.
  static func address(_ text: String) -> String? {
    let url = encoded(text)
    return WebAddress.problem(with: url) == nil ? url : nil
  }

  /// The address with everything encoded that needs it; unchanged when nothing does, or when it cannot be read.
  static func encoded(_ text: String) -> String {
    guard !text.utf8.allSatisfy(\.isOfAddress) else { return text }
    let trimmed = text.trimmingWhitespace
    return PercentEncoding.encode(URLParts(trimmed)?.text ?? trimmed, except: \.isOfAddress)
  }
}

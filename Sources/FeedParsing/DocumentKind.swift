package enum DocumentKind: String, Sendable, Hashable, CaseIterable {
  case webPage = "a web page"
  case subscriptionList = "an OPML subscription list; 'seed import' reads the feeds in it"
  case picture = "a picture"
  case archive = "a compressed archive"
  case pdf = "a PDF document"
  case media = "a sound or a film"
  case plainText = "plain text"
  case sitemap = "a sitemap"
  case otherXML = "XML, but no feed"
  case json = "JSON, but no JSON Feed"

  package var words: String { rawValue }

  /// `nil` for bytes that look like none of them.
  package init?(_ bytes: some Collection<UInt8>) {
    let head = Array(bytes.prefix(Self.searched))
    if let known = Self.signatures.first(where: { head.starts(with: $0.bytes) }) {
      self = known.kind
      return
    }
    if head.count > 12, head.starts(with: Array("RIFF".utf8)) {
      self = head[8..<12].elementsEqual("WEBP".utf8) ? .picture : .media
      return
    }
    guard !head.isEmpty, !head.contains(0) else { return nil }
    let text = String(decoding: head, as: UTF8.self).lowercased()
    let start = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    if start.hasPrefix("{") || start.hasPrefix("[") {
      self = .json
    } else if let root = Self.roots.first(where: { text.contains("<\($0.name)") }) {
      self = root.kind
    } else if start.hasPrefix("<?xml") {
      self = .otherXML
    } else if start.hasPrefix("<") {
      return nil
    } else {
      self = .plainText
    }
  }

  private static let searched = 1024

  private static let signatures: [(bytes: [UInt8], kind: DocumentKind)] = [
    ([0x89, 0x50, 0x4E, 0x47], .picture), ([0xFF, 0xD8, 0xFF], .picture), (Array("GIF8".utf8), .picture),
    ([0, 0, 1, 0], .picture), (Array("%PDF".utf8), .pdf), ([0x50, 0x4B, 3, 4], .archive),
    ([0x1F, 0x8B], .archive), (Array("ID3".utf8), .media), ([0xFF, 0xFB], .media),
    (Array("OggS".utf8), .media),
  ]

  /// Elements near the start of a document, the most decisive first.
  private static let roots: [(name: String, kind: DocumentKind)] = [
    ("opml", .subscriptionList), ("urlset", .sitemap), ("sitemapindex", .sitemap),
    ("!doctype html", .webPage),
    ("html", .webPage), ("svg", .picture),
  ]
}

internal import Catalog
internal import Diagnostics
internal import FeedParsing
internal import HTTPTransport
internal import XMLReading

/// The feeds and pictures that a web page declares (Documentation/reference/curation.md#feed-links).
struct WebPage {
  typealias FeedLink = (url: String, title: String?, language: String?)

  struct Icon {
    let url: String
    let kind: PageTags.Icon.Kind
    /// The largest declared side in pixels; `nil` when none is declared.
    let size: Int?
  }

  /// After redirects, or what `base` says.
  private(set) var base: String
  /// After redirects.
  let url: String
  /// With addresses as they are written.
  let tags: PageTags
  /// Each address once.
  private(set) var links: [FeedLink] = []
  /// The links in the page's text that may lead to a feed.
  private(set) var anchors: [(url: String, label: String)] = []
  private(set) var icons: [Icon] = []
  private(set) var manifest: String?
  /// Where `<meta http-equiv="refresh">` sends the browser.
  private(set) var refreshURL: String?

  /// Links of each kind that are kept: a page of ten thousand is not one that names its feeds.
  static let maxLinks = 200
  private static let maxAnchors = 5000

  init(_ body: [UInt8], contentType: String?, url: String) {
    self.url = url
    base = url
    tags = PageTags(body, contentType: contentType)
    // `base` also applies to links that come before it.
    if let href = tags.base, let absolute = URLParts(href, relativeTo: url) { base = absolute.text }
    for link in tags.links.prefix(Self.maxLinks) {
      guard let url = absolute(link.target), !links.contains(where: { $0.url == url }) else { continue }
      links.append((url, link.title, link.language))
    }
    anchors = tags.anchors.prefix(Self.maxAnchors).compactMap { anchor in
      absolute(anchor.href).map { (url: $0, label: anchor.label) }
    }
    icons = tags.icons.prefix(Self.maxLinks).compactMap { icon in
      absolute(icon.href).map { Icon(url: $0, kind: icon.kind, size: IconSizes.max(in: icon.sizes)) }
    }
    manifest = tags.manifest.flatMap(absolute)
    refreshURL = tags.refresh.flatMap(absolute)
  }

  /// The address that a link leads to; `nil` for anything but a web address, such as `javascript:` or an app's own scheme,
  /// and for addresses longer than any that is used.
  private func absolute(_ href: String) -> String? {
    let href = FeedURLComparisonKey.withoutFeedScheme(href).filter { !$0.isNewline && $0 != "\t" }
    guard !href.isEmpty, href.utf8.count <= 2048 else { return nil }
    return URLParts(href, relativeTo: base)?.text
  }
}

/// Chooses the links in a page's text that may lead to its feeds.
enum FeedLinkFilter {
  private static let labels: Set = [
    "rss", "feed", "atom", "rss feed", "atom feed", "subscribe", "syndicate", "json feed", "feeds", "rss 2.0",
    "web feed", "news feed", "subscribe via rss", "subscribe with rss", "rss-feed", "entries rss",
    "entries feed",
  ]
  /// Parts of addresses that usually lead to a feed.
  private static let marks = ["feed", "rss", "atom", ".xml", ".rdf", "feed.json", "format=xml"]
  /// Words that contain such a part but are not related to feeds.
  private static let masked = [
    "buzzfeed", "feedback", "feedly", "atomic", "anatom", "xml-sitemap", "sitemap", "feeder",
  ]
  /// Paths for programs and files, which are never a site's feed.
  private static let excluded = [
    "wp-json", "wp-includes", "wp-content", "wp-admin", "xmlrpc", "/amp/", "/share", "/intent/",
  ]
  private static let files = [
    ".png", ".jpg", ".jpeg", ".gif", ".svg", ".zip", ".pdf", ".mp3", ".mp4", ".js", ".css",
  ]

  /// Reading services whose addresses contain the address of the feed to subscribe to.
  private static let readers = [
    "feedly.com", "add.my.yahoo.com", "inoreader.com", "newsblur.com", "netvibes.com",
    "subtome.com", "theoldreader.com", "feedbin.com",
  ]

  /// The addresses to request, the likeliest first. Addresses on the page's own host come before others.
  static func candidates(in page: WebPage, limit: Int) -> [String] {
    let host = WebAddress(page.url)?.host ?? ""
    var ranked: [(rank: Int, url: String)] = []
    for anchor in page.anchors {
      let url = wanted(anchor.url)
      guard let address = WebAddress(url), url != page.url,
        let rank = rank(address, anchor.label, wanted: url != anchor.url)
      else { continue }
      let isForeign = KnownFeedSite.bare(address.host) != KnownFeedSite.bare(host)
      if !ranked.contains(where: { $0.url == url }) { ranked.append((rank + (isForeign ? 10 : 0), url)) }
    }
    return ranked.sorted { $0.rank < $1.rank }.prefix(limit).map(\.url)
  }

  /// 0 for the best; `nil` for a link that leads to no feed.
  private static func rank(_ address: WebAddress, _ label: String, wanted: Bool) -> Int? {
    let text = (address.path + "?" + address.query).lowercased()
    guard !excluded.contains(where: text.contains),
      !files.contains(where: address.path.lowercased().hasSuffix),
      !readers.contains(KnownFeedSite.bare(address.host))
    else { return nil }
    let cleaned = masked.reduce(text) { $0.replacing($1, with: "") }
    let hasMark = marks.contains(where: cleaned.contains)
    let words = label.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let isLabeled = labels.contains(words)
    if !hasMark && !isLabeled && !wanted && !namesFeed(words) { return nil }
    return (hasMark ? 0 : 2) + (isLabeled || wanted ? 0 : 1)
  }

  /// Whether a short label in any language has one of the words that all of them use: "RSS-Feed abonnieren", "RSS-лента".
  private static func namesFeed(_ label: String) -> Bool {
    label.count <= maxLabel
      && label.split { !$0.isASCII || !$0.isLetter }.contains {
        ["rss", "atom", "feed", "feeds"].contains($0)
      }
  }

  /// Characters of a label; a longer text is a sentence about something else.
  private static let maxLabel = 60

  /// The feed that a link of a reading service subscribes to; any other address as it is.
  static func wanted(_ url: String) -> String {
    guard let address = WebAddress(url),
      readers.contains(where: { KnownFeedSite.bare(address.host).hasSuffix($0) })
    else { return url }
    let rest = address.path + "?" + address.query
    let decoded = PercentEncoding.decodeAny(rest)
    guard let start = decoded.firstRange(of: "http://") ?? decoded.firstRange(of: "https://") else {
      return url
    }
    let found = String(decoded[start.lowerBound...].prefix { $0 != "&" })
    return URLParts(found)?.text ?? url
  }
}

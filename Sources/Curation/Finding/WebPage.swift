internal import Catalog
internal import FeedParsing
internal import HTTPTransport

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

internal import Catalog
internal import FeedParsing
internal import HTTPTransport

/// The feeds and pictures that a web page declares (Documentation/reference/curation.md#feed-links).
struct WebPage: Sendable, Equatable {
  struct FeedLink: Sendable, Equatable {
    let url: String
    var title: String?
    /// In lower case, without parameters; several when the page names the feed several times.
    var types: [String] = []
    var language: String?
  }

  /// A link in the page's text that may lead to a feed.
  struct Anchor: Sendable, Equatable {
    let url: String
    let label: String
  }

  struct Icon: Sendable, Equatable {
    let url: String
    let kind: PageTags.Icon.Kind
    /// The largest declared side in pixels; `nil` when none is declared.
    let size: Int?
  }

  /// After redirects, or what `base` says.
  private(set) var base: String
  /// After redirects.
  let url: String
  private(set) var title: String?
  private(set) var language: String?
  /// The program that made the page, in lower case.
  private(set) var generator: String?
  private(set) var channelID: String?
  private(set) var links: [FeedLink] = []
  private(set) var anchors: [Anchor] = []
  private(set) var icons: [Icon] = []
  /// The address of the web app manifest.
  private(set) var manifest: String?
  /// Where `<meta http-equiv="refresh">` sends the browser.
  private(set) var refreshURL: String?

  /// Links of each kind that are kept: a page of ten thousand is not one that names its feeds.
  static let maxLinks = 200
  private static let maxAnchors = 5000

  init(_ body: [UInt8], contentType: String?, url: String) {
    self.url = url
    base = url
    let tags = PageTags(body, contentType: contentType)
    // `base` also applies to links that come before it.
    if let href = tags.base, let absolute = URLParts(href, relativeTo: url) { base = absolute.text }
    title = tags.title
    language = tags.language
    generator = tags.generator
    channelID = tags.channelID
    links = merged(tags.links)
    anchors = tags.anchors.prefix(Self.maxAnchors).compactMap { anchor in
      absolute(anchor.href).map { Anchor(url: $0, label: anchor.label) }
    }
    icons = tags.icons.prefix(Self.maxLinks).compactMap { icon in
      absolute(icon.href).map { Icon(url: $0, kind: icon.kind, size: IconSizes.max(in: icon.sizes)) }
    }
    manifest = tags.manifest.flatMap(absolute)
    refreshURL = tags.refresh.flatMap(absolute)
    for url in StructuredData.addresses(in: body).prefix(Self.maxLinks) {
      if let url = absolute(url), !anchors.contains(where: { $0.url == url }) {
        anchors.append(Anchor(url: url, label: ""))
      }
    }
  }

  /// The address that a link leads to; `nil` for anything but a web address, such as `javascript:` or an app's own scheme,
  /// and for addresses longer than any that is used.
  private func absolute(_ href: String) -> String? {
    let href = FeedURLComparisonKey.withoutFeedScheme(href).filter { !$0.isNewline && $0 != "\t" }
    guard !href.isEmpty, href.utf8.count <= 2048 else { return nil }
    return URLParts(href, relativeTo: base)?.text
  }

  private func merged(_ found: [PageLink]) -> [FeedLink] {
    var links: [FeedLink] = []
    for link in found.prefix(Self.maxLinks) {
      guard let address = absolute(link.target) else { continue }
      if let index = links.firstIndex(where: { $0.url == address }) {
        if !link.type.isEmpty, !links[index].types.contains(link.type) {
          links[index].types.append(link.type)
        }
      } else {
        links.append(
          FeedLink(
            url: address, title: link.title, types: link.type.isEmpty ? [] : [link.type],
            language: link.language))
      }
    }
    return links
  }
}

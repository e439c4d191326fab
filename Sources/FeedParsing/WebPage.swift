internal import XMLReading

/// A web page at a feed's URL: its tags, its links to feeds, and its redirect.
package struct WebPage: Sendable {
  package struct FeedLink: Sendable, Hashable {
    /// Absolute, `http` or `https`.
    package var url: String
    package var title: String?
    /// The type is one of feeds alone, and not one that other documents have as well.
    package var hasFeedType: Bool
  }

  package let tags: PageTags
  /// In document order, each address once.
  package private(set) var feeds: [FeedLink] = []
  /// The address that `<meta http-equiv="refresh">` sends to.
  package private(set) var refreshURL: String?

  package init(
    _ page: some Sequence<UInt8>, contentType: String? = nil, linkHeaders: [String] = [], url: String
  ) {
    tags = PageTags(page, contentType: contentType, maxBytes: 1 << 20)
    let document = BaseURL(url)
    let base = tags.base.map { URLResolver.resolve($0, against: document) }.flatMap(BaseURL.init) ?? document
    refreshURL = tags.refresh.flatMap { Self.address($0, base, page: url) }
    for link in tags.links.prefix(Self.maxLinks) + linkHeaders.flatMap(LinkHeader.links) {
      add(link, base, page: url)
    }
  }

  /// The addresses to try as the feed's, the most likely first: feeds before documents of a common type, and feeds of
  /// comments last.
  package var candidates: [String] {
    feeds.sorted { $0.rank < $1.rank }.map(\.url) + (refreshURL.map { [$0] } ?? [])
  }

  private static let maxLinks = 100

  private mutating func add(_ link: PageLink, _ base: BaseURL?, page: String) {
    guard let kind = link.feedKind, let url = Self.address(link.target, base, page: page),
      !feeds.contains(where: { $0.url == url })
    else { return }
    feeds.append(FeedLink(url: url, title: link.title?.nonEmpty, hasFeedType: kind == .feed))
  }

  /// The absolute form of a web address other than the page's own.
  private static func address(_ target: String, _ base: BaseURL?, page: String) -> String? {
    guard let target = target.nonEmpty, !target.contains(where: \.isNewline) else { return nil }
    let url = URLResolver.resolve(target, against: base)
    let isOwn = url.prefix { $0 != "#" } == page.prefix { $0 != "#" }
    return URLResolver.isWebAddress(url) && !isOwn ? url : nil
  }
}

extension WebPage.FeedLink {
  fileprivate var rank: Int {
    let isAboutComments =
      url.lowercased().contains("comments") || title?.lowercased().contains("comment") == true
    return (isAboutComments ? 2 : 0) + (hasFeedType ? 0 : 1)
  }
}

/// What the tags of a web page say, with addresses as they are written. An empty attribute counts as absent.
package struct PageTags: Sendable {
  package struct Anchor: Sendable {
    package let href: String
    package fileprivate(set) var label: String
  }

  package struct Icon: Sendable {
    /// How the page declares it: `apple-touch-icon`, `icon`, or the preview image of social networks.
    package enum Kind: Sendable { case touchIcon, icon, preview }

    package let href: String
    package let kind: Kind
    /// The value of the attribute `sizes`.
    package let sizes: String
  }

  package private(set) var title: String?
  package private(set) var language: String?
  package private(set) var base: String?
  package private(set) var generator: String?
  package private(set) var channelID: String?
  /// Where `<meta http-equiv="refresh">` sends the browser.
  package private(set) var refresh: String?
  package private(set) var manifest: String?
  package private(set) var links: [PageLink] = []
  package private(set) var anchors: [Anchor] = []
  package private(set) var icons: [Icon] = []
  package private(set) var asksForPassword = false
  /// The first text that a browser with scripts shows, without the title; at most 4 KB.
  package private(set) var visibleText = ""
  private var openTitle: String?
  private var openAnchor: Anchor?
  private var isInNoScript = false

  private static let maxVisibleText = 4 << 10
  private static let maxLabel = 200

  /// - Parameter maxBytes: how much of the page is read; `nil` for as much as of any document.
  package init(_ bytes: some Sequence<UInt8>, contentType: String?, maxBytes: Int? = nil) {
    var tags = PageTags()
    let reader = HTMLReader(maxBytes: maxBytes ?? HTMLReader.maxBytes)
    reader.read(bytes, contentType: ContentType(contentType)) { tags.take($0) }
    self = tags
  }

  private init() {}

  private mutating func take(_ event: MarkupEvent) -> XMLElementDecision {
    switch event {
    case .start(let name, let attributes):
      start(name) { name in attributes.first { $0.name == name }?.value.nonEmpty }
    case .text(let text): take(text)
    case .end(let name): end(name)
    }
    return .read
  }

  private mutating func take(_ text: String) {
    if let label = openAnchor?.label, label.utf8.count < Self.maxLabel { openAnchor?.label.append(text) }
    if openTitle != nil {
      openTitle?.append(text)
    } else if !isInNoScript, visibleText.utf8.count < Self.maxVisibleText, let words = text.nonEmpty {
      visibleText += words + " "
    }
  }

  private mutating func start(_ name: String, _ value: (String) -> String?) {
    switch name {
    case "html": language = language ?? value("lang")
    case "base": base = base ?? value("href")
    case "title": if title == nil { openTitle = "" }
    case "noscript": isInNoScript = true
    case "input": asksForPassword = asksForPassword || value("type")?.lowercased() == "password"
    case "link": link(value)
    case "meta": meta(value)
    case "a", "area":
      if let href = value("href") {
        openAnchor = Anchor(href: href, label: (value("aria-label") ?? value("title")).map { "\($0) " } ?? "")
      }
    case "img": openAnchor?.label.append(" \(value("alt") ?? "")")
    default: break
    }
  }

  private mutating func end(_ name: String) {
    switch name {
    case "title":
      title = title ?? openTitle?.split(whereSeparator: \.isWhitespace).joined(separator: " ").nonEmpty
      openTitle = nil
    case "noscript": isInNoScript = false
    case "a", "area":
      if let anchor = openAnchor { anchors.append(anchor) }
      openAnchor = nil
    default: break
    }
  }

  private mutating func link(_ value: (String) -> String?) {
    guard let href = value("href") else { return }
    let link = PageLink(
      target: href, relation: value("rel") ?? "", type: value("type") ?? "", title: value("title"),
      language: value("hreflang"))
    if link.feedKind != nil { links.append(link) }
    if link.relations.contains("manifest") { manifest = manifest ?? href }
    if !link.relations.isDisjoint(with: ["apple-touch-icon", "apple-touch-icon-precomposed"]) {
      icons.append(Icon(href: href, kind: .touchIcon, sizes: value("sizes") ?? ""))
    } else if link.relations.contains("icon") {
      icons.append(Icon(href: href, kind: .icon, sizes: value("sizes") ?? ""))
    }
  }

  private mutating func meta(_ value: (String) -> String?) {
    guard let content = value("content") else { return }
    if value("http-equiv")?.lowercased() == "refresh" {
      refresh = refresh ?? Self.target(ofRefresh: content)
      return
    }
    switch (value("name") ?? value("property") ?? value("itemprop"))?.lowercased() {
    case "generator": generator = generator ?? content.lowercased()
    case "og:image", "og:image:url": icons.append(Icon(href: content, kind: .preview, sizes: ""))
    case "identifier", "channelid": channelID = channelID ?? content
    default: break
    }
  }

  /// The address in `0; url='/feed.xml'`.
  private static func target(ofRefresh content: String) -> String? {
    guard let mark = content.firstRange(of: /url/.ignoresCase()) else { return nil }
    let rest = content[mark.upperBound...].drop { " =\t'\"".contains($0) }
    return String(rest.prefix { !"'\"".contains($0) }).nonEmpty
  }
}

internal import XMLReading

/// A web page at a feed's URL: its title, its links to feeds, and its redirect.
package struct WebPage: Sendable, Hashable {
  package struct FeedLink: Sendable, Hashable {
    /// Absolute, `http` or `https`.
    package var url: String
    package var title: String?
    /// The type is one of feeds alone, and not one that other documents have as well.
    package var hasFeedType: Bool
  }

  package private(set) var title: String?
  /// In document order, each address once.
  package private(set) var feeds: [FeedLink] = []
  /// The address that `<meta http-equiv="refresh">` sends to.
  package private(set) var refreshURL: String?
  package private(set) var asksForPassword = false
  /// The first text that a browser with scripts shows, without the title; at most 4 KB.
  package private(set) var visibleText = ""
  /// How many links the page has for people.
  package private(set) var links = 0

  /// - Parameters:
  ///   - contentType: the value of the HTTP `Content-Type` header, if any.
  ///   - linkHeaders: the values of the HTTP `Link` headers.
  ///   - url: the address of the page, after redirects.
  package init(
    _ page: some Sequence<UInt8>, contentType: String? = nil, linkHeaders: [String] = [], url: String
  ) {
    var scan = PageScan()
    HTMLReader(limits: Self.limits).read(page, contentType: ContentType(contentType)) { scan.take($0) }
    title = scan.title?.nonEmpty
    asksForPassword = scan.asksForPassword
    visibleText = scan.visibleText
    links = scan.anchors
    let document = BaseURL(url)
    let base = scan.base.map { URLResolver.resolve($0, against: document) }.flatMap(BaseURL.init) ?? document
    refreshURL = scan.refresh.flatMap { Self.address($0, base, page: url) }
    for header in linkHeaders { scan.links += LinkHeader.links(in: header) }
    for link in scan.links { add(link, base, page: url) }
  }

  /// The addresses to try as the feed's, the most likely first: feeds before documents of a common type, and feeds of
  /// comments last.
  package var candidates: [String] {
    let ordered = feeds.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
    return ordered.map(\.element.url) + (refreshURL.map { [$0] } ?? [])
  }

  private static let limits = {
    var limits = HTMLReader.Limits()
    limits.bytes = 1 << 20
    return limits
  }()

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

private struct PageScan {
  var title: String?
  var base: String?
  var refresh: String?
  var links: [PageLink] = []
  var asksForPassword = false
  private(set) var visibleText = ""
  private(set) var anchors = 0
  private var isInTitle = false
  private var isInNoScript = false

  private static let maxVisibleText = 4 << 10
  private static let maxLinks = 100

  mutating func take(_ event: MarkupEvent) -> XMLElementDecision {
    switch event {
    case .start(let name, let attributes): start(name, attributes)
    case .text(let text):
      if isInTitle {
        title = (title ?? "") + text
      } else if !isInNoScript, visibleText.utf8.count < Self.maxVisibleText, let words = text.nonEmpty {
        visibleText += words + " "
      }
    case .end(let name):
      if name == "title" { isInTitle = false }
      if name == "noscript" { isInNoScript = false }
    }
    return .read
  }

  private mutating func start(_ name: String, _ attributes: [MarkupAttribute]) {
    let value = { (name: String) in attributes.first { $0.name == name }?.value }
    switch name {
    case "title": isInTitle = title == nil
    case "noscript": isInNoScript = true
    case "a": anchors += 1
    case "base": base = base ?? value("href")?.nonEmpty
    case "input": asksForPassword = asksForPassword || value("type")?.lowercased() == "password"
    case "meta":
      if value("http-equiv")?.lowercased() == "refresh", let content = value("content") {
        refresh = refresh ?? Self.target(ofRefresh: content)
      }
    case "link":
      guard let target = value("href"), links.count < Self.maxLinks else { return }
      links.append(
        PageLink(
          target: target, relation: value("rel") ?? "", type: value("type") ?? "", title: value("title")))
    default: break
    }
  }

  /// The address in `0; url='/feed.xml'`.
  private static func target(ofRefresh content: String) -> String? {
    guard let mark = content.firstRange(of: /url/.ignoresCase()) else { return nil }
    let rest = content[mark.upperBound...].drop { $0.isWhitespace || $0 == "=" }
    return String(rest).trimmingQuotes.nonEmpty
  }
}

extension String {
  fileprivate var trimmingQuotes: String {
    let marks: Set<Character> = ["\"", "'", " "]
    let start = drop { marks.contains($0) }
    return String(start.lastIndex { !marks.contains($0) }.map { start[...$0] } ?? "")
  }
}

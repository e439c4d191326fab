internal import Catalog
internal import FeedParsing
internal import HTTPTransport
internal import XMLReading

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
    /// How the page declares it: `apple-touch-icon`, `icon`, or the preview image of social networks.
    enum Kind: Sendable, Equatable { case touchIcon, icon, preview }

    let url: String
    let kind: Kind
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
    var reading = WebPageReader()
    HTMLReader().read(body, contentType: ContentType(contentType)) { reading.receive($0) }
    // `base` also applies to links that come before it.
    if let href = reading.base, let absolute = URLParts(href, relativeTo: url) { base = absolute.text }
    title = reading.title
    language = reading.language
    generator = reading.generator
    channelID = reading.channelID
    links = merged(reading.links)
    anchors = reading.anchors.prefix(Self.maxAnchors).compactMap { anchor in
      absolute(anchor.href).map { Anchor(url: $0, label: anchor.label) }
    }
    icons = reading.icons.prefix(Self.maxLinks).compactMap { icon in
      absolute(icon.href).map { Icon(url: $0, kind: icon.kind, size: icon.size) }
    }
    manifest = reading.manifest.flatMap(absolute)
    refreshURL = reading.refresh.flatMap(absolute)
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

  private func merged(_ found: [WebPageReader.Link]) -> [FeedLink] {
    var links: [FeedLink] = []
    for link in found.prefix(Self.maxLinks) {
      guard let address = absolute(link.href) else { continue }
      if let index = links.firstIndex(where: { $0.url == address }) {
        if let type = link.type, !links[index].types.contains(type) { links[index].types.append(type) }
      } else {
        links.append(
          FeedLink(
            url: address, title: link.title, types: link.type.map { [$0] } ?? [], language: link.language))
      }
    }
    return links
  }
}

/// Collects links, icons and the base URL from the tags of a page.
private struct WebPageReader {
  /// A link to another document, from a `link` or `a` element.
  struct Link {
    var href: String
    var title: String?
    var type: String?
    var language: String?
  }

  var base: String?
  var title: String?
  var language: String?
  var generator: String?
  var channelID: String?
  var links: [Link] = []
  var anchors: [(href: String, label: String)] = []
  var icons: [(href: String, kind: WebPage.Icon.Kind, size: Int?)] = []
  var manifest: String?
  var refresh: String?
  private var openTitle: String?
  private var openAnchor: (href: String, label: String)?

  mutating func receive(_ event: MarkupEvent) -> XMLElementDecision {
    switch event {
    case .start(let name, let attributes): start(name, TagAttributes(attributes))
    case .text(let text):
      openTitle?.append(text)
      if openAnchor != nil, (openAnchor?.label.utf8.count ?? 0) < 200 { openAnchor?.label.append(text) }
    case .end(let name): end(name)
    }
    return .read
  }

  private mutating func start(_ name: String, _ attributes: TagAttributes) {
    switch name {
    case "html": language = language ?? attributes["lang"]
    case "base": base = base ?? attributes["href"]
    case "title": if title == nil { openTitle = "" }
    case "link": link(attributes)
    case "meta": meta(attributes)
    case "a", "area":
      if let href = attributes["href"] {
        let label = attributes["aria-label"] ?? attributes["title"]
        openAnchor = (href, label.map { "\($0) " } ?? "")
      }
    case "img": openAnchor?.label.append(" \(attributes["alt"] ?? "")")
    default: break
    }
  }

  private mutating func end(_ name: String) {
    switch name {
    case "title":
      title = title ?? openTitle?.split(whereSeparator: \.isWhitespace).joined(separator: " ").nonEmpty
      openTitle = nil
    case "a", "area":
      if let anchor = openAnchor { anchors.append(anchor) }
      openAnchor = nil
    default: break
    }
  }

  private mutating func link(_ attributes: TagAttributes) {
    guard let href = attributes["href"] else { return }
    let relations = attributes.words("rel")
    let page = PageLink(
      target: href, relation: attributes["rel"] ?? "", type: attributes["type"] ?? "", title: nil)
    if page.feedKind != nil {
      links.append(
        Link(
          href: href, title: attributes["title"], type: attributes.mediaType, language: attributes["hreflang"]
        ))
    }
    if relations.contains("manifest") { manifest = manifest ?? href }
    if relations.contains("apple-touch-icon") || relations.contains("apple-touch-icon-precomposed") {
      icons.append((href, .touchIcon, attributes.maxSize))
    } else if relations.contains("icon") {
      icons.append((href, .icon, attributes.maxSize))
    }
  }

  /// The address in `0; url='/blog/'`.
  private static func target(ofRefresh content: String) -> String? {
    guard let mark = content.lowercased().firstRange(of: "url") else { return nil }
    // Lower case may have another length in other scripts; the mark is in front of the address.
    let start = content.utf8.index(
      content.startIndex, offsetBy: content.lowercased()[..<mark.upperBound].utf8.count,
      limitedBy: content.endIndex)
    let rest = (start.map { content[$0...] } ?? "").drop { " =\t'\"".contains($0) }
    return String(rest.prefix { !"'\"".contains($0) }).nonEmpty
  }

  private mutating func meta(_ attributes: TagAttributes) {
    guard let content = attributes["content"] else { return }
    if attributes["http-equiv"]?.lowercased() == "refresh" {
      refresh = refresh ?? Self.target(ofRefresh: content)
      return
    }
    switch (attributes["name"] ?? attributes["property"] ?? attributes["itemprop"])?.lowercased() {
    case "generator": generator = generator ?? content.lowercased()
    case "og:image", "og:image:url": icons.append((content, .preview, nil))
    case "identifier", "channelid": channelID = channelID ?? content
    default: break
    }
  }
}

/// The attributes of one tag; an empty value counts as absent.
private struct TagAttributes {
  private let list: [MarkupAttribute]

  init(_ list: [MarkupAttribute]) { self.list = list }

  subscript(name: String) -> String? { list.first { $0.name == name }.flatMap(\.value.nonEmpty) }

  func words(_ name: String) -> Set<String> {
    Set((self[name] ?? "").lowercased().split(whereSeparator: \.isWhitespace).map(String.init))
  }

  var mediaType: String? {
    self["type"].flatMap { String($0.prefix { $0 != ";" }).nonEmpty?.lowercased() }
  }

  var maxSize: Int? { IconSizes.max(in: self["sizes"] ?? "") }
}

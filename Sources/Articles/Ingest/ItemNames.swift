internal import CloudKitModel
internal import FeedParsing

/// The guids of a document's items.
struct ItemNames {
  /// In document order; `nil` for an item that nothing identifies.
  private(set) var guids: [String?] = []
  /// In document order; empty where another program decides about guids.
  private(set) var identities: [ItemIdentity] = []
  /// `nil` where another program decides about guids.
  private(set) var rule: ItemIDRule?
  /// The positions of items that another one of the document stands for.
  private(set) var repeated: Set<Int> = []

  /// - Parameter rule: of the feed so far.
  init(_ feed: ParsedFeed, after rule: ItemIDRule, isShared: Bool) {
    if isShared {
      nameShared(feed)
    } else {
      let site = ChannelLink(feed)
      let items = feed.items.map { ItemIdentity($0, site) }
      let named = DocumentIdentities(
        items, rule: rule, idsAreUnique: feed.format.demandsUniqueIDs, updated: feed.items.map(\.updated),
        content: { ArticleDraft.contentDigest(of: feed.items[$0], in: feed) })
      (identities, self.rule, repeated) = (named.items, named.rule, named.repeated)
      guids = named.items.map { $0.isEmpty ? nil : $0.guid(under: named.rule) }
    }
  }

  /// celestra-cloud knows one rule, and the first of several items with one guid counts.
  private mutating func nameShared(_ feed: ParsedFeed) {
    var seen: Set<String> = []
    for (index, item) in feed.items.enumerated() {
      let guid = ArticleIdentity.sharedGUID(of: item)
      guids.append(guid)
      if let guid, !seen.insert(guid).inserted { repeated.insert(index) }
    }
  }
}

extension FeedFormat {
  /// RFC 4287, section 4.2.6, and JSON Feed demand that no two items ever have one id.
  var demandsUniqueIDs: Bool {
    switch self {
    case .atom03, .atom10, .jsonFeed10, .jsonFeed11: true
    default: false
    }
  }
}

/// The addresses that say nothing about an item: the channel's link, and the root of a site.
struct ChannelLink: Sendable {
  private let key: String?

  init(_ feed: ParsedFeed) { key = feed.siteURL.map(Self.key) }

  /// The address without what says nothing about the item; `nil` if nothing is left.
  func identifying(_ address: String?) -> String? {
    guard let address, !ItemAddress.isRoot(address), Self.key(address) != key else { return nil }
    return ItemAddress.identifying(address)
  }

  /// Equal for the spellings of one page's address.
  private static func key(_ address: String) -> String {
    var rest = ItemAddress.identifying(address)[...]
    if let scheme = rest.firstRange(of: "://") { rest = rest[scheme.upperBound...] }
    if rest.hasPrefix("www.") { rest = rest.dropFirst(4) }
    if rest.hasSuffix("/") { rest = rest.dropLast() }
    return String(rest)
  }
}

extension ItemIdentity {
  init(_ item: FeedItem, _ site: ChannelLink) {
    let id = item.idIsDeclared ? item.id : ""
    declaresID = !id.isEmpty && id.utf8.count <= ArticleIdentity.maxID
    link = site.identifying(item.url)
    let named = link.flatMap { $0.utf8.count <= ArticleIdentity.maxID ? $0 : nil }
    self.id = declaresID ? id : named
    title = item.titleText
    date = item.published ?? item.updated
    enclosure = item.enclosures.first?.url
  }
}

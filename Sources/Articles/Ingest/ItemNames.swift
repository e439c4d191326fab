internal import Catalog
internal import CloudKitModel
internal import Cryptography
internal import FeedParsing

struct ItemNames {
  /// In document order; `nil` for an item that nothing identifies.
  private(set) var guids: [String?] = []
  /// In document order; empty where another program decides about guids.
  private(set) var identities: [ItemIdentity] = []
  /// The rule that tells the items apart; `nil` where another program decides about guids.
  private(set) var rule: ItemIDRule?
  /// The positions of items that another one of the document stands for.
  private(set) var repeated: Set<Int> = []

  /// - Parameter rule: of the feed so far.
  init(_ feed: ParsedFeed, after rule: ItemIDRule, isShared: Bool) {
    if isShared {
      nameShared(feed)
      return
    }
    let site = ChannelLink(feed)
    identities = feed.items.map { ItemIdentity($0, site) }
    let rule = separate(feed, after: rule)
    guids = identities.map { $0.isEmpty ? nil : $0.guid(under: rule) }
    self.rule = rule
  }

  /// The lowest rule under which items that meet have different guids.
  private mutating func separate(_ feed: ParsedFeed, after former: ItemIDRule) -> ItemIDRule {
    let content = { ArticleDraft.contentDigest(of: feed.items[$0], in: feed) }
    let groups = Dictionary(grouping: identities.indices) { identities[$0].id ?? "" }.values
      .filter { $0.count > 1 || former == .content || identities[$0[0]].id == nil }
    for index in groups.joined() { identities[index].content = content(index) }
    let idsAreUnique = feed.format.demandsUniqueIDs && former == .id
    let shared = groups.filter { $0.count > 1 }.map { ($0, trust(in: $0, idsAreUnique: idsAreUnique)) }
    var rule = former
    while rule != .content, shared.contains(where: { hasMeeting($0, under: rule, $1) }) {
      rule = ItemIDRule(rawValue: rule.rawValue + 1) ?? .content
    }
    let updated = shared.isEmpty ? [] : feed.items.map(\.updated)
    for (group, _) in shared { findRevisions(in: group, under: rule, updated) }
    for index in identities.indices where rule == .content && identities[index].content.isEmpty {
      identities[index].content = content(index)
    }
    return rule
  }

  /// An id that all items of a list have is none; where ids must be unique, only if the items have several titles.
  private func trust(in group: [Int], idsAreUnique: Bool) -> ItemIdentity.Trust {
    guard group.allSatisfy({ identities[$0].declaresID }) else { return .none }
    let isOfAll =
      group.count > 2 && group.count == identities.count
      && (!idsAreUnique || Set(group.map { identities[$0].title }).count > 1)
    return isOfAll ? .none : idsAreUnique ? .unique : .usual
  }

  /// Whether items of a group that meet have one guid.
  private func hasMeeting(_ group: [Int], under rule: ItemIDRule, _ trust: ItemIdentity.Trust) -> Bool {
    let trust = rule >= .title ? .none : trust
    var byGUID: [String: [ItemIdentity]] = [:]
    for index in group {
      let item = identities[index]
      let guid = item.guid(under: rule)
      let others = byGUID[guid, default: []]
      if others.contains(where: { item.meets($0, trust) }) { return true }
      // Two items stand for all: those that do not meet have one title or one date. The time does not grow with their number.
      let isMore =
        others.first.map { others.count == 1 && ($0.title != item.title || $0.date != item.date) } ?? true
      if isMore { byGUID[guid, default: []].append(item) }
    }
    return false
  }

  private mutating func findRevisions(in group: [Int], under rule: ItemIDRule, _ updated: [FeedDate?]) {
    var latest: [String: Int] = [:]
    for index in group {
      let guid = identities[index].guid(under: rule)
      guard let former = latest[guid] else {
        latest[guid] = index
        continue
      }
      let isLater = updated[index].map { date in updated[former].map { date > $0 } ?? true } ?? false
      repeated.insert(isLater ? former : index)
      if isLater { latest[guid] = index }
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
  var demandsUniqueIDs: Bool { [.atom03, .atom10, .jsonFeed10, .jsonFeed11].contains(self) }
}

/// The addresses that say nothing about an item: the channel's link, and the root of a site.
struct ChannelLink: Sendable {
  private let key: String?

  init(_ feed: ParsedFeed) { key = feed.siteURL.map(Self.key) }

  /// The address without what says nothing about the item; `nil` if nothing is left.
  func identifying(_ address: String?) -> String? {
    guard let address, WebAddress(address)?.isRoot != true, Self.key(address) != key else { return nil }
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
    enclosure = item.enclosure
  }
}

/// The rules by which an item keeps its article (Documentation/reference/articles.md#identity).
package enum ArticleIdentity {
  /// SHA-256 of title, address and text, each but the last followed by a line feed; `""` for an absent one. Dates are no
  /// part of it, because many feeds change them with each fetch.
  package static func contentHash(title: String?, url: String?, text: String) -> String {
    SHA256.hex("\(title ?? "")\n\(url ?? "")\n\(text)")
  }

  /// The form of celestra-cloud, which compares it with its own.
  static func sharedContentHash(title: String, url: String, guid: String) -> String {
    "\(title)|\(url)|\(guid)"
  }

  /// Bytes of the longest id that is used as declared.
  static let maxID = 4096

  /// The guid of an item where celestra-cloud writes too: its declared id, else its link as it is, else a digest of its title
  /// and date; `nil` if it has neither.
  static func sharedGUID(of item: FeedItem) -> String? {
    if item.idIsDeclared, case let id = item.id, !id.isEmpty, id.utf8.count <= maxID { return id }
    if let url = item.url, url.utf8.count <= maxID { return url }
    guard let title = item.titleText, let date = item.published ?? item.updated else { return nil }
    return "sha256:" + SHA256.hex("\(title)\n\(date.milliseconds)")
  }

  /// The first 64 bits of a record name, by which items without a usable date are remembered.
  static func digest(of recordName: String) -> Int64 {
    Int64(bitPattern: UInt64(recordName.prefix(16), radix: 16) ?? 0)
  }
}

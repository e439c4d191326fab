internal import Catalog
internal import CloudKitModel
internal import Diagnostics
internal import FeedParsing
internal import XMLReading

/// Sorts found feeds and gives the reasons for the rank of each (Documentation/reference/curation.md#ranking). The
/// signals are compared one after the other, never added up.
struct FeedRanking {
  let page: String?
  /// The language of the page, from its address or else as it declares it.
  let pageLanguage: String?
  let now: Timestamp
  let catalog: CatalogFeedURLs

  private static let freshDays: Int64 = 90
  private static let day: Int64 = 86_400_000

  func ranked(_ found: [FoundFeed]) -> [FoundFeed] {
    var feeds = found.map { feed in
      copy(of: feed) {
        $0.isCommentsFeed = Self.isCommentsFeed($0)
        $0.known =
          catalog.known(ComparableAddress($0.feedURL), trail: $0.trail.map(ComparableAddress.init))?.feed
      }
    }
    feeds.sort { signals($0).lexicographicallyPrecedes(signals($1)) }
    for index in feeds.indices {
      feeds[index].twinOf =
        feeds[..<index].first { $0.twinOf == nil && Self.areTwins($0, feeds[index]) }?.feedURL
      feeds[index].reasons = reasons(feeds[index])
    }
    return feeds.filter { $0.twinOf == nil } + feeds.filter { $0.twinOf != nil }
  }

  // MARK: Order

  /// Smaller is better.
  private func signals(_ found: FoundFeed) -> [Int] {
    [
      found.isCommentsFeed ? 1 : 0, found.feed.items.isEmpty ? 1 : 0, found.origin.rank,
      isBelowPage(found) ? 0 : 1, found.isMain ? 0 : 1, isOfPage(found) ? 0 : 1, languageRank(found),
      isFresh(found) ? 0 : 1, -fullItems(found), Self.formatRank(found.feed.format),
    ]
  }

  /// 0 for a feed in the page's language, 1 without a language of either, 2 for one in another language.
  private func languageRank(_ found: FoundFeed) -> Int {
    guard let pageLanguage, let language = found.language.flatMap(LanguageCodes.code) else { return 1 }
    return language == pageLanguage ? 0 : 2
  }

  private func isOfPage(_ found: FoundFeed) -> Bool {
    guard let page, let site = found.feed.siteURL else { return false }
    return FeedURLComparisonKey(site) == FeedURLComparisonKey(page)
  }

  /// The feed's address lies below the page's, as those of categories and authors do. Everything lies below a home page.
  private func isBelowPage(_ found: FoundFeed) -> Bool {
    guard found.origin != .input, let page = page.flatMap({ WebAddress($0) }),
      let feed = WebAddress(found.feedURL), feed.host == page.host
    else { return false }
    let path = page.path.split(separator: "/")
    let below = feed.path.split(separator: "/")
    guard let name = path.last, below.count >= path.count, below.starts(with: path.dropLast()) else {
      return false
    }
    // `/releases.atom` is the feed of `/releases`, and `/journal?format=rss` the one of `/journal`.
    return below[path.count - 1] == name || below[path.count - 1].hasPrefix("\(name).")
  }

  private func isFresh(_ found: FoundFeed) -> Bool {
    found.newestItem.map { now.milliseconds - $0.milliseconds <= Self.freshDays * Self.day } ?? false
  }

  /// The number of items with full articles, in steps of five, because one more item does not make a better feed.
  private func fullItems(_ found: FoundFeed) -> Int {
    found.feed.items.prefix(20).count { $0.contentLength >= 1500 } / 5
  }

  /// Atom and JSON Feed have more information about the same items than RSS.
  private static func formatRank(_ format: FeedFormat) -> Int {
    switch format {
    case .atom10, .jsonFeed11, .jsonFeed10: 0
    case .atom03, .rss20: 1
    default: 2
    }
  }

  // MARK: Kinds

  static func isCommentsFeed(_ found: FoundFeed) -> Bool {
    let address = WebAddress(found.feedURL)
    let segments = ((address?.path ?? "") + "/" + (address?.query ?? "")).lowercased()
      .split { "/&=.".contains($0) }.map(String.init)
    if segments.contains(where: commentWords.contains) { return true }
    let titles = [found.feed.title, found.linkTitle].compactMap { $0?.lowercased() }
    return titles.contains { title in
      let words = title.split { !$0.isLetter }.map(String.init)
      let ends = [words.first, words.last].compactMap(\.self)
      return ends.contains(where: commentWords.contains) || title.hasPrefix("comment on")
        || title.hasSuffix("comments feed")
    }
  }

  /// "Comments" in the languages of blogging programs. A title is about comments when it begins or ends with one.
  private static let commentWords: Set<String> = [
    "comments", "commentaires", "kommentare", "kommentar", "comentarios", "comentários", "commenti",
    "reacties",
    "komentarze", "komentáře", "kommentarer", "комментарии", "коментарі", "コメント", "评论", "評論", "댓글",
  ]

  /// The same items in another format or at another address.
  static func areTwins(_ a: FoundFeed, _ b: FoundFeed) -> Bool {
    guard a.isCommentsFeed == b.isCommentsFeed,
      a.language == b.language || a.language == nil || b.language == nil
    else { return false }
    return CommonFeedItems(a.feed, b.feed).areTwins
  }

  // MARK: Reasons

  private func reasons(_ found: FoundFeed) -> [String] {
    var reasons = ["found \(found.origin.phrase(found.otherPage ?? "the page"))"]
    if found.isCommentsFeed { reasons.append("contains comments, not articles") }
    if found.feed.items.isEmpty { reasons.append("has no items") }
    if isBelowPage(found) { reasons.append("has an address below the page's") }
    if found.isMain { reasons.append("is the main feed of the program that made the page") }
    if isOfPage(found) { reasons.append("gives the page as its site") }
    if let newest = found.newestItem {
      let days = max(0, (now.milliseconds - newest.milliseconds) / Self.day)
      reasons.append(days == 0 ? "newest item of today" : "newest item \(counted(days, "day")) ago")
    } else if !found.feed.items.isEmpty {
      reasons.append("its items have no dates")
    }
    if fullItems(found) > 0 { reasons.append("holds whole articles") }
    if let twin = found.twinOf { reasons.append("has the same items as \(twin)") }
    return reasons
  }
}

struct CommonFeedItems {
  /// By id or by link.
  let common: Int
  let smaller: Int

  init(_ a: ParsedFeed, _ b: ParsedFeed) {
    let (left, right) = (Self.names(a), Self.names(b))
    common = left.reduce(0) { count, names in count + (right.contains { !$0.isDisjoint(with: names) } ? 1 : 0)
    }
    smaller = min(left.count, right.count)
  }

  /// At least five items, making at least four of five of the smaller feed.
  var areSameFeed: Bool { common >= 5 && common * 5 >= smaller * 4 }

  /// For two feeds of one page, less evidence is needed.
  var areTwins: Bool { smaller > 0 && common * 5 >= smaller * 4 }

  /// Of each of the first items: its declared id, its link and its title with its day.
  private static func names(_ feed: ParsedFeed) -> [Set<String>] {
    feed.items.prefix(50).map { item in
      var names: Set<String> = []
      if item.idIsDeclared { names.insert(item.id) }
      if let url = item.url { names.insert(FeedURLComparisonKey(url)?.key ?? url) }
      return names
    }.filter { !$0.isEmpty }
  }
}

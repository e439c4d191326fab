internal import CloudKitModel

/// Finds the articles that some items of a document have under another guid
/// (Documentation/reference/articles.md#the-same-article-under-another-id).
struct SameArticleSearch {
  private let document: ArticleDocument
  private let mapping: ArticleRecordMapping
  /// Articles of the tool's own keys whose guid is none of the document's, by title.
  private var candidates: [String?: [Record]]
  /// Parameters of the links that are new at each fetch, and those of the enclosures.
  private let ignored: Set<String>
  private let ignoredOfFiles: Set<String>
  private let datesItself: Bool
  /// How many items of the document have a link, by its ``ItemAddress/likeness(_:ignoring:)``.
  private let links: [String: Int]

  /// - Parameters:
  ///   - drafts: the items that no name finds.
  ///   - known: the articles that names find.
  init(
    _ drafts: [ArticleDraft], of document: ArticleDocument, candidates: [Record], known: [Record],
    _ mapping: ArticleRecordMapping
  ) {
    self.document = document
    self.mapping = mapping
    let articles = Dictionary(grouping: candidates, by: Self.title)
    self.candidates = articles
    let shared = Self.shared(drafts, articles, mapping)
    let ignored = Self.changingParameters(shared.map { ($0.url, $1["url"]?.string) })
    self.ignored = ignored
    ignoredOfFiles = Self.changingParameters(shared.map { ($0.enclosureURL, $1["enclosureURL"]?.string) })
    links = Dictionary(
      document.links.map { (ItemAddress.likeness($0, ignoring: ignored), 1) }, uniquingKeysWith: +)
    let stored = Dictionary(grouping: candidates + known, by: Self.title)
    datesItself =
      document.mayDateItself
      && document.drafts.contains { draft in
        guard let link = draft.identity?.link else { return false }
        let likeness = ItemAddress.likeness(link, ignoring: ignored)
        return stored[draft.title]?.contains { Self.likeness(of: $0, ignoring: ignored) == likeness } ?? false
      }
  }

  private static func title(_ record: Record) -> String? { record["title"]?.string }

  /// The article of an item, which is then no longer that of another; `nil` if nothing shows that there is one.
  mutating func take(_ draft: ArticleDraft) -> StoredArticles.Match? {
    guard let articles = candidates[draft.title], let match = match(draft, among: articles) else {
      return nil
    }
    return .otherGuid(
      candidates[draft.title, default: []].remove(at: match.index), hasEqualContent: match.hasEqualContent)
  }

  private func match(
    _ draft: ArticleDraft, among articles: [Record]
  ) -> (index: Int, hasEqualContent: Bool)? {
    if let index = articles.firstIndex(where: { hasEqualContent(draft, $0) }) { return (index, true) }
    if let index = articles.firstIndex(where: { hasFormerName(draft, $0) }) { return (index, false) }
    let alike = articles.indices.filter { isAlike(draft, articles[$0]) }
    guard alike.count == 1, isAloneWithLink(articles[alike[0]], among: articles) else { return nil }
    return (alike[0], false)
  }

  /// Text, enclosure and date are equal; for an undated item its own link in place of the date. A date without a time of
  /// day separates the items of two days, but not those of one.
  private func hasEqualContent(_ draft: ArticleDraft, _ record: Record) -> Bool {
    let isDated = draft.published != nil && !datesItself
    guard hasEqualEnclosure(draft, record),
      !isDated || draft.published == record[mapping.published]?.timestamp,
      !(datesItself || draft.isUndated) || hasOwnLink(draft, of: record)
    else { return false }
    return record["contentHash"]?.string
      == ArticleIdentity.contentHash(
        title: draft.wholeTitle, url: record["url"]?.string, text: draft.wholeText)
  }

  /// The article has the item's name under a rule that the feed had before, and nothing that the present rule adds differs.
  private func hasFormerName(_ draft: ArticleDraft, _ record: Record) -> Bool {
    guard let rule = document.rule, rule == .title || rule == .date, let identity = draft.identity,
      rule == .title || draft.published == record[mapping.published]?.timestamp,
      identity.link == nil || hasLink(draft, of: record),
      document.ruleToSeparate(draft, from: record, mapping) == nil
    else { return false }
    return ItemIDRule.allCases.contains {
      $0 < rule && $0 >= identity.lowestRule && identity.guid(under: $0) == record["guid"]?.string
    }
  }

  /// Title, link and enclosure are equal, the dates are near, and the ids are alike.
  private func isAlike(_ draft: ArticleDraft, _ record: Record) -> Bool {
    guard let rule = document.rule, rule <= .link, draft.title != nil, hasEqualEnclosure(draft, record),
      hasOwnLink(draft, of: record),
      let id = draft.identity?.id, let guid = record["guid"]?.string
    else { return false }
    return isNear(draft, record)
      && ItemAddress.likeness(id, ignoring: ignored) == ItemAddress.likeness(guid, ignoring: ignored)
  }

  /// Of an item without a date nothing is known, so that it is near to all. In a list of one item, another date may be that
  /// of the next item.
  private func isNear(_ draft: ArticleDraft, _ record: Record) -> Bool {
    guard let date = draft.published, !datesItself, let stored = record[mapping.published]?.timestamp else {
      return true
    }
    if document.isOneItem { return date == stored }
    return max(date.since(stored), stored.since(date)) <= Self.maxDateDifference
  }

  static let maxDateDifference = Duration.seconds(7 * 86_400)

  private func hasEqualEnclosure(_ draft: ArticleDraft, _ record: Record) -> Bool {
    let likeness = { (address: String) in ItemAddress.likeness(address, ignoring: ignoredOfFiles) }
    return mapping.absent.contains("enclosureURL")
      || draft.enclosureURL.map(likeness) == record["enclosureURL"]?.string.map(likeness)
  }

  /// The link is that of the article and of no other item of the document, and is not the channel's.
  private func hasOwnLink(_ draft: ArticleDraft, of record: Record) -> Bool {
    guard let link = draft.identity?.link else { return false }
    return links[ItemAddress.likeness(link, ignoring: ignored), default: 0] <= 1
      && hasLink(draft, of: record)
  }

  private func hasLink(_ draft: ArticleDraft, of record: Record) -> Bool {
    guard let link = draft.identity?.link else { return false }
    return Self.likeness(of: record, ignoring: ignored) == ItemAddress.likeness(link, ignoring: ignored)
  }

  /// Whether no other article of its title has its link.
  private func isAloneWithLink(_ record: Record, among articles: [Record]) -> Bool {
    let likeness = Self.likeness(of: record, ignoring: ignored)
    return articles.count { Self.likeness(of: $0, ignoring: ignored) == likeness } == 1
  }

  private static func likeness(of record: Record, ignoring ignored: Set<String>) -> String? {
    record["url"]?.string.map { ItemAddress.likeness($0, ignoring: ignored) }
  }

  /// The items that alone have their title among the document's and the stored ones, and have the article's date or none.
  private static func shared(
    _ drafts: [ArticleDraft], _ articles: [String?: [Record]], _ mapping: ArticleRecordMapping
  ) -> [(ArticleDraft, Record)] {
    Dictionary(grouping: drafts, by: \.title).compactMap { title, drafts in
      guard title != nil, drafts.count == 1, let records = articles[title], records.count == 1,
        drafts[0].isUndated || drafts[0].published == records[0][mapping.published]?.timestamp
      else { return nil }
      return (drafts[0], records[0])
    }
  }

  /// The parameters whose values differ in all pairs of an item's address and that of its article. Two pairs are needed.
  private static func changingParameters(_ addresses: [(String?, String?)]) -> Set<String> {
    let changed = addresses.compactMap { address, stored in
      address.flatMap { address in stored.map { ItemAddress.changedParameters(address, $0) } }
    }
    guard changed.count >= 2, let first = changed.first else { return [] }
    return changed.reduce(first) { $0.intersection($1) }
  }
}

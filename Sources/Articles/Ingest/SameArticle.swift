internal import Catalog
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
  /// The titles of items whose addresses have changed with the site's.
  private var movedTitles: Set<String> = []
  /// The host of most links of the document. Of an item on another one, the host says which item it is.
  private let mainHost: String?
  /// How many items of the document have a link, by its ``ItemAddress/likeness(_:ignoring:)``.
  private let links: [String: Int]
  /// Of the links that are compared: each may be compared with thousands.
  private let known: [String: ArticleLink]

  /// - Parameters:
  ///   - drafts: the items that no name finds.
  ///   - named: the other items, each with the article of its name.
  init(
    _ drafts: [ArticleDraft], of document: ArticleDocument, candidates: [Record],
    named: [(draft: ArticleDraft, record: Record)], _ mapping: ArticleRecordMapping
  ) {
    self.document = document
    self.mapping = mapping
    let articles = Dictionary(grouping: candidates, by: Self.title)
    self.candidates = articles
    let isNew = named.isEmpty && document.counts.same == 0
    let shared =
      Self.shared(drafts, articles, of: document, isNew, mapping) + named.map { ($0.draft, [$0.record]) }
    let ignored = Self.changingParameters(shared, of: document, "url", \.url)
    self.ignored = ignored
    ignoredOfFiles = Self.changingParameters(shared, of: document, "enclosureURL", \.enclosureURL)
    links = Dictionary(
      document.links.map { (ItemAddress.likeness($0.key, ignoring: ignored), $0.value) },
      uniquingKeysWith: +)
    let compared = candidates.compactMap { $0["url"]?.string } + drafts.compactMap { $0.identity?.link }
    known = Dictionary(Set(compared).map { ($0, ArticleLink($0, ignoring: ignored)) }) { first, _ in first }
    let hosts = Dictionary(grouping: document.links.keys.compactMap(Self.host), by: \.self)
    mainHost = hosts.first { $1.count * 2 > document.links.count }?.key
    let stored = Dictionary(grouping: candidates + named.map(\.record), by: Self.title)
    datesItself =
      document.mayDateItself
      && document.drafts.contains { draft in
        guard let link = draft.identity?.link else { return false }
        let likeness = ItemAddress.likeness(link, ignoring: ignored)
        return stored[draft.title]?.contains { Self.likeness(of: $0, ignoring: ignored) == likeness } ?? false
      }
    movedTitles = titlesOfMoved(drafts)
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
    if let index = articles.firstIndex(where: { hasEqualContent(draft, $0) }) {
      // A corrected address is written.
      return (index, draft.identity?.link == nil || hasAddress(draft, of: articles[index]))
    }
    if let index = articles.firstIndex(where: { hasFormerName(draft, $0) }) { return (index, false) }
    // In the part that is missing of a document, another item may have the link.
    guard document.isComplete else { return nil }
    let alike = articles.indices.filter { isAlike(draft, articles[$0]) }
    guard alike.count == 1, isAloneWithLink(articles[alike[0]], among: articles) else { return nil }
    return (alike[0], false)
  }

  /// Text, enclosure and date are equal; for an undated item its own link in place of the date. A date without a time of
  /// day separates the items of two days, but not those of one, and a date of several items does not separate these: if it
  /// has a link, the link must be equal. Of an item without a declared id that has the article's
  /// link, too, nothing else is left that could be another's; in a list of one, a new date alone makes no other item.
  private func hasEqualContent(_ draft: ArticleDraft, _ record: Record) -> Bool {
    // Hashing the text costs most.
    hasEqualEnclosure(draft, record) && mayHaveEqualContent(draft, record) && draft.hasText(of: record)
  }

  private func mayHaveEqualContent(_ draft: ArticleDraft, _ record: Record) -> Bool {
    let hasDate = draft.published == nil || draft.published == record[mapping.published]?.timestamp
    if hasDate, draft.published != nil, draft.title.map(movedTitles.contains) ?? false { return true }
    let hasFile = draft.enclosureURL == nil || !mapping.absent.contains("enclosureURL")
    if let identity = draft.identity, !identity.declaresID, hasFile, hasDate || document.isOneItem,
      identity.link == nil || hasLink(draft, of: record)
    {
      return true
    }
    if let date = draft.published, document.sharedDates.contains(date), draft.identity?.link != nil,
      !hasLink(draft, of: record)
    {
      return false
    }
    return (hasDate || datesItself) && (!(datesItself || draft.isUndated) || hasOwnLink(draft, of: record))
  }

  /// Items and articles that are alone with their title, and equal but for id and link. The site has new addresses if these
  /// have several dates, no item is as before, and most that are as old have changed so: of jobs at several places, or of
  /// cases of one court, a few are equal by chance.
  private func titlesOfMoved(_ drafts: [ArticleDraft]) -> Set<String> {
    let moved = Dictionary(grouping: drafts, by: \.title).values.compactMap { drafts -> ArticleDraft? in
      guard drafts.count == 1, let date = drafts[0].published, let articles = candidates[drafts[0].title],
        articles.count == 1, articles[0][mapping.published]?.timestamp == date,
        hasEqualEnclosure(drafts[0], articles[0]), drafts[0].hasText(of: articles[0])
      else { return nil }
      return drafts[0]
    }
    let dates = Set(moved.compactMap(\.published))
    guard document.isComplete, document.counts.same == 0, dates.count > 1, let newest = dates.max() else {
      return []
    }
    let old = document.drafts.count { $0.published.map { $0 <= newest } ?? false }
    return moved.count * 2 > old ? Set(moved.compactMap(\.title)) : []
  }

  /// The article has the item's name under a rule that the feed had before, and nothing that the present rule adds differs.
  private func hasFormerName(_ draft: ArticleDraft, _ record: Record) -> Bool {
    guard let rule = document.rule, let identity = draft.identity,
      ItemIDRule.allCases.contains(where: {
        $0 < rule && $0 >= identity.lowestRule && identity.guid(under: $0) == record["guid"]?.string
      }),
      identity.link == nil || hasLink(draft, of: record),
      rule < .date || draft.published == nil || draft.published == record[mapping.published]?.timestamp,
      rule < .content || hasEqualEnclosure(draft, record) && draft.hasText(of: record)
    else { return false }
    return document.ruleToSeparate(draft, from: record, mapping) == nil
  }

  /// Title, link and enclosure are equal, the dates are near, and the ids are alike, or an earlier run found the article.
  private func isAlike(_ draft: ArticleDraft, _ record: Record) -> Bool {
    guard let rule = document.rule, rule <= .link, let identity = draft.identity, let id = identity.id,
      let guid = record["guid"]?.string, hasEqualEnclosure(draft, record), hasOwnLink(draft, of: record),
      isNear(draft, record)
    else { return false }
    if document.remembers(record, of: draft)
      || ItemAddress.likeness(id, ignoring: ignored) == ItemAddress.likeness(guid, ignoring: ignored)
    {
      return true
    }
    guard rule == .link, let link = identity.link else { return false }
    // The guid is made of the link that the item had.
    let links = ItemAddress.spellings(of: link) + [document.identifyingLink(of: record)]
    return links.contains { link in
      var former = identity
      former.link = link
      return former.guid(under: .link) == guid
    }
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
    guard let link = link(draft.identity?.link) else { return false }
    return links[link.likeness, default: 0] <= 1 && hasLink(draft, of: record)
  }

  private func hasLink(_ draft: ArticleDraft, of record: Record) -> Bool {
    guard let link = link(draft.identity?.link), let stored = self.link(record["url"]?.string) else {
      return false
    }
    return link.likeness == stored.likeness && [mainHost, stored.host].contains(link.host)
  }

  private func link(_ address: String?) -> ArticleLink? {
    address.map { known[$0] ?? ArticleLink($0, ignoring: ignored) }
  }

  fileprivate static func host(_ address: String) -> String? { WebAddress(address)?.host.withoutWWW }

  /// The article has the item's link on the item's host. Rule 2 finds the article by the link that it has.
  private func hasAddress(_ draft: ArticleDraft, of record: Record) -> Bool {
    hasLink(draft, of: record)
      && (document.rule == .link
        || draft.url.flatMap(Self.host) == record["url"]?.string.flatMap(Self.host))
  }

  /// Whether no other article of its title has its link.
  private func isAloneWithLink(_ record: Record, among articles: [Record]) -> Bool {
    let likeness = link(record["url"]?.string)?.likeness
    return articles.count { link($0["url"]?.string)?.likeness == likeness } == 1
  }

  private static func likeness(of record: Record, ignoring ignored: Set<String>) -> String? {
    record["url"]?.string.map { ItemAddress.likeness($0, ignoring: ignored) }
  }

  /// The items that no name finds, each with the articles that may be its own because of title and date. If a date is
  /// absent or has no time of day, item and article must be alone with their title; if dates say nothing, the texts must be
  /// equal, too: a title may return. Several articles may be one item's where no item of the list is as before.
  private static func shared(
    _ drafts: [ArticleDraft], _ articles: [String?: [Record]], of document: ArticleDocument, _ isNew: Bool,
    _ mapping: ArticleRecordMapping
  ) -> [(draft: ArticleDraft, records: [Record])] {
    struct Key: Hashable {
      var title: String?
      var date: Timestamp?
    }
    let date = { (draft: ArticleDraft) in document.mayDateItself || draft.isUndated ? nil : draft.published }
    return Dictionary(grouping: drafts) { Key(title: $0.title, date: date($0)) }.compactMap { key, drafts in
      guard let draft = drafts.first, drafts.count == 1, key.title != nil || key.date != nil else {
        return nil
      }
      let records = (articles[key.title] ?? []).filter { record in
        guard let date = draft.published else { return draft.hasText(of: record) }
        if !document.mayDateItself { return date == record[mapping.published]?.timestamp }
        return draft.identity?.declaresID == false && draft.hasText(of: record)
      }
      return records.isEmpty || key.date == nil && records.count > 1 && !isNew ? nil : (draft, records)
    }
  }

  /// The parameters whose values differ between each item's address and those of its articles. Two items are needed, or
  /// one that its date shows to be the article's.
  private static func changingParameters(
    _ shared: [(draft: ArticleDraft, records: [Record])], of document: ArticleDocument, _ field: String,
    _ address: (ArticleDraft) -> String?
  ) -> Set<String> {
    var all: Set<String>?
    var count = 0
    for (draft, records) in shared {
      guard let address = address(draft) else { continue }
      let stored = records.compactMap { $0[field]?.string }
      guard !stored.isEmpty else { continue }
      count += draft.isUndated || document.mayDateItself ? 1 : 2
      for other in stored {
        let changed = ItemAddress.changedParameters(address, other)
        all = all?.intersection(changed) ?? changed
      }
    }
    return count < 2 ? [] : all ?? []
  }
}

private struct ArticleLink {
  let likeness: String
  let host: String?

  init(_ address: String, ignoring ignored: Set<String>) {
    likeness = ItemAddress.likeness(address, ignoring: ignored)
    host = SameArticleSearch.host(address)
  }
}

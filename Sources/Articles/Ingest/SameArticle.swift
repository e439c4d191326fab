internal import CloudKitModel

/// Finds the articles that some items of a document have under another guid
/// (Documentation/reference/articles.md#the-same-article-under-another-id).
struct SameArticleSearch {
  private let document: ArticleDocument
  private let mapping: ArticleRecordMapping
  /// Articles of the tool's own keys whose guid is none of the document's.
  private var candidates: [Record]
  /// Parameters of the links that are new at each fetch.
  private let ignored: Set<String>
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
    self.candidates = candidates
    let ignored = Self.changingParameters(drafts, candidates, mapping)
    self.ignored = ignored
    links = Dictionary(
      document.links.map { (ItemAddress.likeness($0, ignoring: ignored), 1) }, uniquingKeysWith: +)
    datesItself =
      document.mayDateItself
      && document.drafts.contains { draft in
        guard let link = draft.identity?.link else { return false }
        let likeness = ItemAddress.likeness(link, ignoring: ignored)
        return (candidates + known).contains {
          $0["title"]?.string == draft.title && Self.likeness(of: $0, ignoring: ignored) == likeness
        }
      }
  }

  /// The article of an item, which is then no longer that of another; `nil` if nothing shows that there is one.
  mutating func take(_ draft: ArticleDraft) -> StoredArticles.Match? {
    if let index = candidates.firstIndex(where: { hasEqualContent(draft, $0) }) {
      return .otherGuid(candidates.remove(at: index), hasEqualContent: true)
    }
    let alike = candidates.indices.filter { isAlike(draft, candidates[$0]) }
    guard alike.count == 1 else { return nil }
    return .otherGuid(candidates.remove(at: alike[0]), hasEqualContent: false)
  }

  /// Text, enclosure and date are equal; for an undated item its own link in place of the date.
  private func hasEqualContent(_ draft: ArticleDraft, _ record: Record) -> Bool {
    guard draft.title == record["title"]?.string, hasEqualEnclosure(draft, record),
      datesItself || draft.isUndated
        ? hasOwnLink(draft, of: record) : draft.published == record[mapping.published]?.timestamp
    else { return false }
    return record["contentHash"]?.string
      == ArticleIdentity.contentHash(
        title: draft.wholeTitle, url: record["url"]?.string, text: draft.wholeText)
  }

  /// Title, link and enclosure are equal, the dates are near, and the ids are alike.
  private func isAlike(_ draft: ArticleDraft, _ record: Record) -> Bool {
    guard let rule = document.rule, rule <= .link, draft.title == record["title"]?.string,
      draft.title != nil, hasEqualEnclosure(draft, record), hasOwnLink(draft, of: record),
      let id = draft.identity?.id, let guid = record["guid"]?.string
    else { return false }
    return isNear(draft, record) && hasLinkAlone(record)
      && ItemAddress.likeness(id, ignoring: ignored) == ItemAddress.likeness(guid, ignoring: ignored)
  }

  /// Of an item without a date nothing is known, so that it is near to all.
  private func isNear(_ draft: ArticleDraft, _ record: Record) -> Bool {
    guard let date = draft.published, !datesItself, let stored = record[mapping.published]?.timestamp else {
      return true
    }
    return max(date.since(stored), stored.since(date)) <= Self.maxDateDifference
  }

  static let maxDateDifference = Duration.seconds(7 * 86_400)

  private func hasEqualEnclosure(_ draft: ArticleDraft, _ record: Record) -> Bool {
    mapping.absent.contains("enclosureURL") || draft.enclosureURL == record["enclosureURL"]?.string
  }

  /// The link is that of the article and of no other item of the document, and is not the channel's.
  private func hasOwnLink(_ draft: ArticleDraft, of record: Record) -> Bool {
    guard let link = draft.identity?.link else { return false }
    let likeness = ItemAddress.likeness(link, ignoring: ignored)
    return links[likeness, default: 0] <= 1 && Self.likeness(of: record, ignoring: ignored) == likeness
  }

  /// Whether an article alone has its title and link.
  private func hasLinkAlone(_ record: Record) -> Bool {
    let likeness = Self.likeness(of: record, ignoring: ignored)
    return candidates.count {
      $0["title"] == record["title"] && Self.likeness(of: $0, ignoring: ignored) == likeness
    } == 1
  }

  private static func likeness(of record: Record, ignoring ignored: Set<String>) -> String? {
    record["url"]?.string.map { ItemAddress.likeness($0, ignoring: ignored) }
  }

  /// The parameters whose values differ for each item that the document shares with the stored articles. Shared is what
  /// alone has its title, and has the same date or none; two such items are needed.
  private static func changingParameters(
    _ drafts: [ArticleDraft], _ candidates: [Record], _ mapping: ArticleRecordMapping
  ) -> Set<String> {
    let articles = Dictionary(grouping: candidates) { $0["title"]?.string ?? "" }
    let items = Dictionary(grouping: drafts) { $0.title ?? "" }
    var changed: [Set<String>] = []
    for (title, drafts) in items where !title.isEmpty && drafts.count == 1 {
      guard let records = articles[title], records.count == 1, let url = drafts[0].url,
        let stored = records[0]["url"]?.string,
        drafts[0].isUndated || drafts[0].published == records[0][mapping.published]?.timestamp
      else { continue }
      changed.append(ItemAddress.changedParameters(url, stored))
    }
    guard changed.count >= 2, let first = changed.first else { return [] }
    return changed.reduce(first) { $0.intersection($1) }
  }
}

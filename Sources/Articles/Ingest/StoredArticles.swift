internal import Catalog
internal import CloudKitModel
internal import RecordChanges
internal import SchemaLanguage

/// Finds the articles that are stored for the items of documents.
struct StoredArticles: Sendable {
  enum Match: Sendable {
    case record(Record)
    /// The same article under a guid that the document does not list, as with feeds whose guids change.
    case otherGuid(Record, hasEqualContent: Bool)
  }

  /// The matches by feed and guid, and the documents with the guids of these matches: what is stored can show that a feed
  /// needs a stricter rule.
  struct Result: Sendable {
    var documents: [ArticleDocument]
    var matches: [String: [String: Match]] = [:]
  }

  let container: any Container
  let options: ArticleOptions
  let owner: ArticleOwner

  private var mapping: ArticleRecordMapping { options.mapping }
  private var keys: [String] {
    let compared = mapping.isShared ? [] : ["title", "url", "enclosureURL", mapping.published]
    return ["guid", "contentHash", mapping.fetched] + compared.filter { !mapping.absent.contains($0) }
  }
  /// The values of one IN filter.
  static let valuesPerQuery = 150

  /// An item that is looked for, and the document that lists it.
  private typealias Wanted = (document: ArticleDocument, draft: ArticleDraft)

  /// One lookup for each 200 items. For each 150 that this does not find, one query by guid if others write articles too,
  /// and up to three by title or content.
  func find(_ documents: [ArticleDocument]) async throws -> Result {
    var result = Result(documents: documents)
    guard !mapping.isShared else {
      try await findGuids(&result)
      return result
    }
    try await findNames(&result)
    let known = try await feedsWithArticles(result)
    try await adoptStoredRules(of: known, &result)
    if options.otherWriters { try await findGuids(&result) }
    try await findSameArticles(of: known, &result)
    return result
  }

  private func missing(_ result: Result) -> [Wanted] {
    result.documents.flatMap { document in
      let found = result.matches[document.feedRecordName]
      return document.drafts.filter { found?[$0.guid] == nil }.map { (document, $0) }
    }
  }

  /// Every item has an article of its name, with its content.
  private func isSame(_ document: ArticleDocument, _ result: Result) -> Bool {
    let found = result.matches[document.feedRecordName]
    return document.drafts.allSatisfy { draft in
      guard case .record(let record)? = found?[draft.guid] else { return false }
      return record["contentHash"]?.string == draft.contentHash
    }
  }

  // MARK: Names and rules

  /// Looks up the names, again for a document whose items are found to need a stricter rule.
  private func findNames(_ result: inout Result) async throws {
    var pending = Array(result.documents.indices)
    while !pending.isEmpty {
      try await lookUp(pending, &result)
      var renamed: [Int] = []
      for index in pending {
        let document = result.documents[index]
        guard let rule = stricterRule(of: document, result) else { continue }
        result.documents[index] = document.named(by: rule)
        result.matches[document.feedRecordName] = nil
        renamed.append(index)
      }
      pending = renamed
    }
  }

  private func lookUp(_ pending: [Int], _ result: inout Result) async throws {
    let items = pending.flatMap { index in
      let document = result.documents[index]
      return document.drafts.map { (document.feedRecordName, $0) }
    }
    let outcomes = try await container.lookupAll(
      items.map(\.1.recordName), desiredKeys: keys, of: CatalogRecordType.publicArticle)
    for (item, outcome) in zip(items, outcomes) {
      guard let record = try outcome.found else { continue }
      result.matches[item.0, default: [:]][item.1.guid] = .record(record)
    }
  }

  /// The rule that an item needs because the article of its name is that of another item.
  private func stricterRule(of document: ArticleDocument, _ result: Result) -> ItemIDRule? {
    guard let found = result.matches[document.feedRecordName] else { return nil }
    return document.drafts.compactMap { draft in
      guard case .record(let record)? = found[draft.guid], owner.owns(record) else { return nil }
      return document.ruleToSeparate(draft, from: record, mapping)
    }.max()
  }

  /// The feeds that have articles, as far as a search for them may find any: of a feed without a state, one query says so.
  private func feedsWithArticles(_ result: Result) async throws -> Set<String> {
    let documents = result.documents.filter { !isSame($0, result) }
    var known = Set(documents.filter(\.hasState).map(\.feedRecordName))
    let unknown = Set(documents.filter { !$0.hasState }.map(\.feedRecordName)).sorted()
    for feeds in unknown.chunks(of: Self.valuesPerQuery) {
      let query = Query(mapping.recordType, filters: [feedFilter(feeds)])
      let first = try await container.firstRecords(query, desiredKeys: [], limit: 1)
      if !first.records.isEmpty { known.formUnion(feeds) }
    }
    return known
  }

  /// Of a feed whose state does not say its rule, the articles do.
  private func adoptStoredRules(of known: Set<String>, _ result: inout Result) async throws {
    var undecided = Set(
      result.documents.filter { !$0.hasRule && known.contains($0.feedRecordName) && !isSame($0, result) }
        .map(\.feedRecordName))
    var rules: [String: ItemIDRule] = [:]
    for rule in ItemIDRule.allCases.reversed() where rule > .id && !undecided.isEmpty {
      for feeds in undecided.sorted().chunks(of: Self.valuesPerQuery) {
        let query = Query(
          mapping.recordType,
          filters: [feedFilter(feeds), Filter("guid", .beginsWith, .string(rule.prefix))])
        for record in try await container.allRecords(query, desiredKeys: ["guid", mapping.feed])
        where owner.owns(record) && ItemIDRule(guid: record["guid"]?.string ?? "") == rule {
          if let feed = mapping.feedName(of: record), undecided.remove(feed) != nil { rules[feed] = rule }
        }
      }
    }
    var isChanged = false
    for (index, document) in result.documents.enumerated() {
      guard let stored = rules[document.feedRecordName], let rule = document.rule, stored > rule else {
        continue
      }
      result.documents[index] = document.named(by: stored)
      result.matches[document.feedRecordName] = nil
      isChanged = true
    }
    if isChanged { try await findNames(&result) }
  }

  // MARK: Other names

  /// The articles that others stored under names of their own.
  private func findGuids(_ result: inout Result) async throws {
    let wanted = missing(result)
    let guids = { (draft: ArticleDraft) in
      ([draft.guid] + [draft.otherGuid].compactMap(\.self)).map(FieldValue.string)
    }
    let records = try await records(where: "guid", of: wanted, values: guids)
    let byGUID = Dictionary(grouping: records) { $0.record["guid"]?.string ?? "" }
    for (document, draft) in wanted {
      let feed = document.feedRecordName
      if let match = byGUID[draft.guid]?.last(where: { $0.feed == feed }) {
        result.matches[feed, default: [:]][draft.guid] = .record(match.record)
      } else if let other = draft.otherGuid,
        // Several items have this id, and only date and content show whose article it is. Ours have other names.
        let match = byGUID[other]?.first(where: {
          $0.feed == feed && !owner.owns($0.record)
            && $0.record["contentHash"]?.string == draft.contentHash
            && (draft.published == nil || $0.record[mapping.published]?.timestamp == draft.published)
        })
      {
        result.matches[feed, default: [:]][draft.guid] = .record(match.record)
      }
    }
  }

  private func findSameArticles(of known: Set<String>, _ result: inout Result) async throws {
    let wanted = missing(result).filter { known.contains($0.document.feedRecordName) }
    guard !wanted.isEmpty else { return }
    let candidates = try await candidates(for: wanted)
    let drafts = Dictionary(grouping: wanted) { $0.document.feedRecordName }
    for document in result.documents {
      let feed = document.feedRecordName
      guard let drafts = drafts[feed]?.map(\.draft), let articles = candidates[feed] else { continue }
      let others = articles.filter { !document.lists($0["guid"]?.string ?? "") }
      // A purged item has no article, and must not take that of another.
      let sought = drafts.filter { draft in
        !draft.wasStored || others.contains { document.remembers($0, of: draft) }
      }
      let named = result.matches[feed] ?? [:]
      var search = SameArticleSearch(
        sought, of: document, candidates: others,
        named: document.drafts.compactMap { draft in
          if case .record(let record)? = named[draft.guid] { (draft, record) } else { nil }
        }, mapping)
      for draft in sought {
        if let match = search.take(draft) { result.matches[feed, default: [:]][draft.guid] = match }
      }
    }
  }

  /// The articles of the tool's keys that some items may have, by feed.
  private func candidates(for wanted: [Wanted]) async throws -> [String: [Record]] {
    let dated = wanted.filter { !$0.draft.isUndated && !$0.document.mayDateItself }
    let undated = wanted.filter { $0.draft.isUndated || $0.document.mayDateItself }
    let title = { (draft: ArticleDraft) in draft.title.map { [FieldValue.string($0)] } ?? [] }
    var found = try await records(
      where: "title", of: dated, near(dated.compactMap(\.draft.published)), values: title)
    found += try await records(where: "title", of: undated, values: title)
    // An article without a title is found by its date, else by its content.
    let untitled = wanted.filter { $0.draft.title == nil }
    found += try await records(where: mapping.published, of: untitled) { draft in
      draft.published.map { [.timestamp($0)] } ?? []
    }
    found += try await records(
      where: "contentHash", of: untitled.filter { $0.draft.published == nil || $0.document.mayDateItself }
    ) { $0.contentHashes.map(FieldValue.string) }
    var names: Set<String> = []
    return Dictionary(
      grouping: found.filter { names.insert($0.record.recordName).inserted && owner.owns($0.record) },
      by: \.feed
    ).mapValues { $0.map(\.record).sorted { $0.recordName < $1.recordName } }
  }

  /// A title that many articles have is not read for all time.
  private func near(_ dates: [Timestamp]) -> [Filter] {
    guard let first = dates.min(), let last = dates.max() else { return [] }
    let room = SameArticleSearch.maxDateDifference
    return [
      Filter(FieldName(mapping.published), .greaterThanOrEquals, .timestamp(first - room)),
      Filter(FieldName(mapping.published), .lessThanOrEquals, .timestamp(last + room)),
    ]
  }

  private func feedFilter(_ feeds: some Sequence<String>) -> Filter {
    Filter(
      FieldName(mapping.feed), .in,
      .list(of: mapping.feedIsReference ? .reference : .string, feeds.map(mapping.feedValue)))
  }

  /// The articles that have a value of a wanted item in a field. Items of several feeds share a query, so an article may
  /// also be that of another item: the caller compares.
  private func records(
    where field: String, of wanted: [Wanted], _ filters: [Filter] = [],
    values: (ArticleDraft) -> [FieldValue]
  ) async throws -> [(feed: String, record: Record)] {
    var records: [(feed: String, record: Record)] = []
    let valued = wanted.map { ($0, values($0.draft)) }.filter { !$0.1.isEmpty }
    // An item has two guids where its feed has a stricter rule.
    let valuesPerItem = valued.map(\.1.count).max() ?? 1
    for some in valued.chunks(of: Self.valuesPerQuery / valuesPerItem) {
      let feeds = Set(some.map(\.0.document.feedRecordName)).sorted()
      let query = Query(
        mapping.recordType,
        filters: [Filter(FieldName(field), .in, Self.list(some.flatMap(\.1))), feedFilter(feeds)] + filters)
      records += try await container.allRecords(query, desiredKeys: keys + [mapping.feed]).compactMap {
        record in
        mapping.feedName(of: record).map { ($0, record) }
      }
    }
    return records
  }

  /// Each value once.
  private static func list(_ values: [FieldValue]) -> FieldValue {
    if case .timestamp = values.first {
      return .list(of: .timestamp, Set(values.compactMap(\.timestamp)).sorted().map(FieldValue.timestamp))
    }
    return .list(of: .string, Set(values.compactMap(\.string)).sorted().map(FieldValue.string))
  }
}

/// Tells the articles of the tool's keys from those of others.
struct ArticleOwner: Sendable {
  /// The key that writes; `nil` in a dry run, and where it is not known.
  let author: RunAuthor?
  /// Digests of the tool's keys, as the lease records show them; `nil` without leases, where every article counts as the
  /// tool's own.
  let keys: Set<String>?

  func owns(_ record: Record) -> Bool {
    guard let keys, let created = record.created else { return true }
    return author?.created(record) ?? false
      || keys.contains(CreatorNames.keyDigest(of: created.userRecordName))
  }
}

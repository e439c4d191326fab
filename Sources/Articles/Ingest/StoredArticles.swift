internal import CloudKitModel
internal import SchemaLanguage

/// Finds the articles that are stored for the items of documents.
struct StoredArticles: Sendable {
  /// What is stored for an item.
  enum Match: Sendable {
    case record(Record)
    /// The same content under another guid, as with feeds whose guids change at each fetch.
    case otherGuid
  }

  private let container: any Container
  private let options: ArticleOptions

  init(container: any Container, options: ArticleOptions) {
    self.container = container
    self.options = options
  }

  private var mapping: ArticleRecordMapping { options.mapping }
  private var keys: [String] { ["guid", "contentHash", mapping.fetched] }
  /// The values of one IN filter.
  static let valuesPerQuery = 150

  /// An item that is looked for, and the feed that lists it.
  private typealias Wanted = (feed: String, draft: ArticleDraft)

  /// The matches by feed and guid. One lookup for each 200 items, and one query for each 150 that this does not find.
  func find(_ documents: [ArticleDocument]) async throws -> [String: [String: Match]] {
    var found = try await byName(documents)
    if options.otherWriters || mapping.isShared {
      for match in try await records(where: "guid", of: missing(of: documents, in: found), value: \.guid) {
        guard let guid = match.record["guid"]?.string else { continue }
        found[match.feed, default: [:]][guid] = .record(match.record)
      }
    }
    // Not one item is known: then the guids have probably changed.
    let strange = documents.filter {
      $0.isKnownFeed && !$0.recognizesItems && found[$0.feedRecordName]?.isEmpty ?? true
    }
    let wanted = missing(of: strange, in: found)
    let stored = try await records(where: "contentHash", of: wanted, value: \.contentHash)
    let hashes = Dictionary(grouping: stored, by: \.feed).mapValues { articles in
      Set(articles.compactMap { $0.record["contentHash"]?.string })
    }
    for item in wanted where hashes[item.feed]?.contains(item.draft.contentHash) ?? false {
      found[item.feed, default: [:]][item.draft.guid] = .otherGuid
    }
    return found
  }

  private func missing(
    of documents: [ArticleDocument], in found: [String: [String: Match]]
  ) -> [Wanted] {
    documents.flatMap { document in
      let feed = document.feedRecordName
      return document.drafts.filter { found[feed]?[$0.guid] == nil }.map { (feed, $0) }
    }
  }

  private func byName(_ documents: [ArticleDocument]) async throws -> [String: [String: Match]] {
    guard !mapping.isShared else { return [:] }
    let items = documents.flatMap { document in document.drafts.map { (document.feedRecordName, $0) } }
    let outcomes = try await container.lookupAll(items.map(\.1.recordName), desiredKeys: keys)
    var found: [String: [String: Match]] = [:]
    for (item, outcome) in zip(items, outcomes) {
      if let error = outcome.error, error.code != .notFound { throw error }
      if let record = outcome.record { found[item.0, default: [:]][item.1.guid] = .record(record) }
    }
    return found
  }

  /// The articles that have the value of a wanted item in a field. Items of several feeds share a query, so an article may
  /// also be that of another item: the caller compares.
  private func records(
    where field: String, of wanted: [Wanted], value: (ArticleDraft) -> String
  ) async throws -> [(feed: String, record: Record)] {
    var records: [(feed: String, record: Record)] = []
    for start in stride(from: 0, to: wanted.count, by: Self.valuesPerQuery) {
      let some = wanted[start...].prefix(Self.valuesPerQuery)
      let feeds = Set(some.map(\.feed)).sorted().map(mapping.feedValue)
      let values = Set(some.map { value($0.draft) }).sorted().map(FieldValue.string)
      let query = Query(
        mapping.recordType,
        filters: [
          Filter(FieldName(field), .in, .list(of: .string, values)),
          Filter(
            FieldName(mapping.feed), .in, .list(of: mapping.feedIsReference ? .reference : .string, feeds)),
        ])
      records += try await container.allRecords(query, desiredKeys: keys + [mapping.feed]).compactMap {
        record in
        mapping.feedName(of: record).map { ($0, record) }
      }
    }
    return records
  }
}

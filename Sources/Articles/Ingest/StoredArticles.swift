internal import CloudKitModel
internal import SchemaLanguage

/// Finds the articles that are stored for the items of documents.
struct StoredArticles: Sendable {
  /// What is stored for an item.
  enum Match: Sendable {
    case record(Record)
    /// The same content under a guid that the document no longer lists, as with feeds whose guids change.
    case otherGuid(Record)
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

  /// The matches by feed and guid. One lookup for each 200 items, and one query for each 150 that this does not find. New
  /// items need no other query: only those that an earlier document may have listed are looked for by their content.
  func find(_ documents: [ArticleDocument]) async throws -> [String: [String: Match]] {
    var found = try await byName(documents)
    if options.otherWriters || mapping.isShared {
      for match in try await records(where: "guid", of: missing(of: documents, in: found), value: \.guid) {
        guard let guid = match.record["guid"]?.string else { continue }
        found[match.feed, default: [:]][guid] = .record(match.record)
      }
    }
    // The hash of a shared container has the guid in it.
    let wanted = mapping.isShared ? [] : documents.flatMap { listedBefore($0, in: found) }
    var others = try await storedContents(of: wanted, in: documents)
    for item in wanted {
      guard let record = others[item.feed]?[item.draft.contentHash]?.popLast() else { continue }
      found[item.feed, default: [:]][item.draft.guid] = .otherGuid(record)
    }
    return found
  }

  /// The items that are not found although an earlier document may have listed them under other guids: all of a document
  /// of which not one item is known, and those that are not newer than the last document.
  private func listedBefore(
    _ document: ArticleDocument, in found: [String: [String: Match]]
  ) -> [Wanted] {
    guard let lastFetch = document.lastFetch else { return [] }
    let isStrange = !document.recognizesItems && found[document.feedRecordName]?.isEmpty ?? true
    return missing(of: [document], in: found).filter { item in
      isStrange || item.draft.published.map { $0 <= lastFetch } ?? true
    }
  }

  /// The articles with the content of wanted items, by feed and hash. An article whose guid the document lists is that of
  /// another item.
  private func storedContents(
    of wanted: [Wanted], in documents: [ArticleDocument]
  ) async throws -> [String: [String: [Record]]] {
    let guids = Dictionary(documents.map { ($0.feedRecordName, $0.guids) }) { $0.union($1) }
    var names: Set<String> = []
    var contents: [String: [String: [Record]]] = [:]
    for (feed, record) in try await records(where: "contentHash", of: wanted, value: \.contentHash) {
      guard let hash = record["contentHash"]?.string, names.insert(record.recordName).inserted,
        guids[feed]?.contains(record["guid"]?.string ?? "") != true
      else { continue }
      contents[feed, default: [:]][hash, default: []].append(record)
    }
    return contents
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

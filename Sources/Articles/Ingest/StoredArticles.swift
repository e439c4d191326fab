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
  private static let valuesPerQuery = 150

  /// The matches by feed and guid. One lookup for each 200 items, and one query for each feed with items that this does
  /// not find.
  func find(_ documents: [ArticleDocument]) async throws -> [String: [String: Match]] {
    var found = try await byName(documents)
    for document in documents {
      let feed = document.feedRecordName
      let missing = document.drafts.filter { found[feed]?[$0.guid] == nil }
      guard !missing.isEmpty else { continue }
      if options.otherWriters || mapping.isShared {
        found[feed, default: [:]].merge(try await byGuid(missing, of: feed)) { $1 }
      }
      // Not one item is known: then the guids have probably changed.
      if document.isKnownFeed, found[feed]?.isEmpty ?? true {
        found[feed, default: [:]].merge(try await byContent(missing, of: feed)) { $1 }
      }
    }
    return found
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

  private func byGuid(_ drafts: [ArticleDraft], of feed: String) async throws -> [String: Match] {
    var found: [String: Match] = [:]
    for record in try await records(where: "guid", isAmong: drafts.map(\.guid), of: feed) {
      if let guid = record["guid"]?.string { found[guid] = .record(record) }
    }
    return found
  }

  private func byContent(_ drafts: [ArticleDraft], of feed: String) async throws -> [String: Match] {
    let records = try await records(where: "contentHash", isAmong: drafts.map(\.contentHash), of: feed)
    let hashes = Set(records.compactMap { $0["contentHash"]?.string })
    let known = drafts.filter { hashes.contains($0.contentHash) }
    return known.reduce(into: [:]) { $0[$1.guid] = .otherGuid }
  }

  private func records(
    where field: String, isAmong values: [String], of feed: String
  ) async throws -> [Record] {
    var records: [Record] = []
    for start in stride(from: 0, to: values.count, by: Self.valuesPerQuery) {
      let some = values[start...].prefix(Self.valuesPerQuery).map(FieldValue.string)
      let query = Query(
        mapping.recordType,
        filters: [
          Filter(FieldName(field), .in, .list(of: .string, some)),
          Filter(FieldName(mapping.feed), equals: mapping.feedValue(feed)),
        ])
      records += try await container.allRecords(query, desiredKeys: keys)
    }
    return records
  }
}

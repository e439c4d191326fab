package import CloudKitModel
internal import Diagnostics
internal import FeedFetching
package import RecordChanges
internal import SchemaLanguage

/// Deletes articles whose time is over (Documentation/reference/articles.md#retention).
///
/// An article is deleted when it has expired, or when it was created a lifetime ago, whatever its expiry says. It reads
/// and deletes page by page, so that a run that was stopped is continued by the next.
package struct ArticlePurge: Purge {
  package struct Options: Sendable {
    /// Delete what expired before this moment; `nil` for now.
    package var before: TimeOrAge?
    /// How many of the newest articles of each feed stay, expired or not.
    package var keepNewest = 0
    /// As ``ArticleOptions/lifetime``.
    package var lifetime: Duration

    package init(lifetime: Duration) { self.lifetime = lifetime }
  }

  private let container: any Container
  private let mapping: ArticleRecordMapping
  private let options: Options

  package init(container: any Container, mapping: ArticleRecordMapping, options: Options) {
    self.container = container
    self.mapping = mapping
    self.options = options
  }

  package func check() async throws {
    _ = try await mapping.matching(container)
    _ = try await cutoff
  }

  private var cutoff: Timestamp {
    get async throws { try await container.clock.certainTime(before: options.before ?? .age(.zero)) }
  }

  /// Also throws `UncertainServiceTime`, and a usage error for a moment in the future.
  package func run(through writer: JobWriter?, limit: Int?) async throws -> PurgeResult {
    let mapping = try await mapping.matching(container)
    let cutoff = try await cutoff
    var purge = RecordPurge("article", in: container, limit: limit, through: writer)
    var newest = NewestArticles(container: container, mapping: mapping, count: options.keepNewest)
    func deleteAll(_ field: String, before moment: Timestamp) async throws {
      let filter = Filter(FieldName(field), .lessThan, .timestamp(moment))
      try await purge.deleteAll(
        Query(mapping.recordType, filters: [filter]), desiredKeys: [mapping.feed]
      ) { try await newest.names(among: $0) }
    }
    try await deleteAll(mapping.expires, before: cutoff)
    let creation = SystemField.createdTimestamp.storedName
    do {
      try await deleteAll(creation, before: cutoff - options.lifetime)
    } catch let error as ServerError where error.refusesFilter(on: [creation]) {
      purge.noteMissingIndex("\"\(creation)\" TIMESTAMP QUERYABLE in \(mapping.recordType)")
    }
    return purge.result
  }
}

/// The newest articles of each feed, which stay.
private struct NewestArticles {
  let container: any Container
  let mapping: ArticleRecordMapping
  let count: Int
  var known: [String: Set<String>] = [:]

  mutating func names(among records: [Record]) async throws -> Set<String> {
    guard count > 0 else { return [] }
    var kept: Set<String> = []
    for record in records {
      guard let feed = mapping.feedName(of: record) else { continue }
      if try await newest(of: feed).contains(record.recordName) { kept.insert(record.recordName) }
    }
    return kept
  }

  private mutating func newest(of feed: String) async throws -> Set<String> {
    if let names = known[feed] { return names }
    let query = Query(
      mapping.recordType, filters: [Filter(FieldName(mapping.feed), equals: mapping.feedValue(feed))],
      sorts: [Sort(FieldName(mapping.published), ascending: false)])
    let newest = try await container.firstRecords(query, desiredKeys: [], limit: count).records
    known[feed] = Set(newest.map(\.recordName))
    return known[feed] ?? []
  }
}

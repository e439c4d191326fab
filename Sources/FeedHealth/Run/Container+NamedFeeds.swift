package import CloudKitModel
internal import FeedFetching
package import FeedState

extension Container {
  /// The record name of a feed that people call by its record name, its address or its slug. Throws
  /// ``HealthCheckError/unknownFeeds(_:)`` for one that the container does not have.
  ///
  /// - Parameter aliases: the feed URLs of slugs that seeds declare.
  package func feedRecordName(
    of name: String, _ mapping: FeedRecordMapping, aliases: [String: String]
  ) async throws -> String {
    if let record = try await lookup(LookupRequest([name], desiredKeys: [])).first?.record,
      record.recordType == mapping.recordType
    {
      return name
    }
    var wanted = RequestedFeeds([name], aliases: aliases)
    var found: String?
    try await HealthCheckError.namingMissingType(mapping) {
      let request = QueryRequest(Query(mapping.recordType), desiredKeys: mapping.feedFields)
      try await walkPages(of: request) { page in
        found = page.records.first { wanted.take($0, mapping) }?.recordName
        return found == nil
      }
    }
    guard let found else { throw HealthCheckError.unknownFeeds([name]) }
    return found
  }
}

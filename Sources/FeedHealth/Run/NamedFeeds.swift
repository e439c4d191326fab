public import CloudKitModel
internal import FeedFetching
public import FeedState

/// Finds feeds by what people call them: record names, addresses and slugs.
public struct NamedFeeds: Sendable {
  private let container: any Container
  private let mapping: FeedRecordMapping
  private let aliases: [String: String]

  /// - Parameter aliases: the feed URLs of slugs that seeds declare.
  public init(container: any Container, mapping: FeedRecordMapping, aliases: [String: String]) {
    self.container = container
    self.mapping = mapping
    self.aliases = aliases
  }

  /// The record name of a feed. Throws ``HealthCheckError/unknownFeeds(_:)`` for one that the container does not have.
  public func recordName(of name: String) async throws -> String {
    if let record = try await container.lookup(LookupRequest([name], desiredKeys: [])).first?.record,
      record.recordType == mapping.recordType
    {
      return name
    }
    var wanted = RequestedFeeds([name], aliases: aliases)
    var found: String?
    try await HealthCheckError.namingMissingType(mapping) {
      let request = QueryRequest(Query(mapping.recordType), desiredKeys: mapping.feedFields)
      try await container.walkPages(of: request) { page in
        found = page.records.first { wanted.take($0, mapping) }?.recordName
        return found == nil
      }
    }
    guard let found else { throw HealthCheckError.unknownFeeds([name]) }
    return found
  }
}

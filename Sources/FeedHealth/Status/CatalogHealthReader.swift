internal import Catalog
public import CloudKitModel
public import FeedState
internal import RecordChanges

/// Reads ``CatalogHealth`` from a container: the feeds, the records with their state, and the categories.
public struct CatalogHealthReader: Sendable {
  private let container: any Container
  private var mapping: FeedRecordMapping
  private static let qualityScore = "qualityScore"
  private static let isVerified = "isVerified"

  public init(container: any Container, mapping: FeedRecordMapping = .celestra) {
    self.container = container
    self.mapping = mapping
  }

  /// Throws errors of reading the container, and ``HealthCheckError`` when it has no feeds' type.
  public func read(at now: Timestamp) async throws -> CatalogHealth {
    var reader = self
    reader.mapping = try await mapping.matching(container)
    return try await reader.readWithMapping(at: now)
  }

  /// Reads when the mapping has the names of the container's fields.
  private func readWithMapping(at now: Timestamp) async throws -> CatalogHealth {
    let categories = try await categoryNames()
    var health = CatalogHealth(asOf: now)
    let keys =
      mapping.feedFields + [mapping.category, mapping.subscriberCount, Self.qualityScore, Self.isVerified]
    try await HealthCheckError.namingMissingType(mapping) {
      try await container.forEachPage(of: Query(mapping.recordType), desiredKeys: keys) { page in
        health.feeds += try await entries(of: page.records.filter { !mapping.isRetired($0) }, categories)
      }
    }
    let memory = try await HealthRunMemory.read(in: container)
    health.lastRun = memory?.lastComplete
    health.articlesWritten = memory?.articlesWritten
    health.articlesInDay = memory?.articlesByHour?.lastDay(at: now)
    let recounts = try await LastJobRun.lastOfEachShard(of: LeaseName("recount subscribers"), in: container)
    health.lastRecount = recounts.map(\.finishedAt).min()
    health.readersAsOf = recounts.countedAsOf
    return health
  }

  private func entries(of feeds: [Record], _ categories: [String: String]) async throws -> [CatalogHealth
    .Entry]
  {
    let states = try await FeedStateReader(container: container, mapping: mapping).states(of: feeds)
    return zip(feeds, states).map { entry($0, $1, categories) }
  }

  private func entry(_ feed: Record, _ metadata: FeedMetadata, _ categories: [String: String])
    -> CatalogHealth.Entry
  {
    let category = feed[mapping.category]
    let readers = feed[mapping.subscriberCount]?.int64
    return CatalogHealth.Entry(
      recordName: feed.recordName, feedURL: feed[mapping.feedURL]?.string ?? "",
      title: feed[mapping.title]?.string,
      category: category?.string ?? (category?.reference?.recordName).map { categories[$0] ?? $0 },
      readers: readers,
      status: metadata.status, statusSince: metadata.statusSince, lastCheck: metadata.lastHealthCheck,
      reasons: metadata.recordedReasons,
      suggestedURL: metadata.status.isTroubled ? metadata.suggestedURL ?? metadata.redirectURL : nil,
      quality: feed[Self.qualityScore]?.number, isVerified: feed[Self.isVerified]?.flag ?? false,
      metadata: metadata)
  }

  /// The slugs of categories by record name; empty where categories are words.
  private func categoryNames() async throws -> [String: String] {
    guard mapping.categoryField == .reference else { return [:] }
    do {
      let records = try await container.allRecords(
        Query(CatalogRecordType.feedCategory), desiredKeys: ["slug"])
      return records.reduce(into: [:]) { $0[$1.recordName] = $1["slug"]?.string }
    } catch let error as ServerError where error.code == .notFound {
      return [:]
    }
  }

}

extension FeedMetadata {
  /// The reasons for the recorded status, as far as the record knows them: those of the last failure, or of the stored
  /// facts about the document.
  var recordedReasons: [HealthReason] {
    guard status.isTroubled, let lastHealthCheck else { return [] }
    if !reasons.isEmpty { return reasons }
    if lastCheckFailed { return lastReason.map { [$0] } ?? [] }
    let observation = FetchObservation(time: lastHealthCheck, outcome: .notModified)
    return HealthAssessor(thresholds: HealthThresholds()).assess(observation, self, after: self).reasons
      .filter { $0 != .recovering }
  }
}

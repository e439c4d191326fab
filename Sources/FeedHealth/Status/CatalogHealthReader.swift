internal import Catalog
package import CloudKitModel
package import FeedState
internal import RecordChanges

/// Reads ``CatalogHealth`` from a container: the feeds, the records with their state, and the categories.
package struct CatalogHealthReader: Sendable {
  private let container: any Container
  private let profile: FeedRecordMapping
  private static let qualityScore = "qualityScore"
  private static let isVerified = "isVerified"

  package init(container: any Container, mapping: FeedRecordMapping = .celestra) {
    self.container = container
    profile = mapping
  }

  /// Throws errors of reading the container, and ``HealthCheckError`` when it has no feeds' type.
  package func read(at now: Timestamp) async throws -> CatalogHealth {
    let mapping = try await profile.matching(container)
    let categories = try await categoryNames(mapping)
    var health = CatalogHealth(asOf: now)
    let keys =
      mapping.feedFields + [mapping.category, mapping.subscriberCount, Self.qualityScore, Self.isVerified]
    var owners: [String: KnownFeed] = [:]
    try await HealthCheckError.namingMissingType(mapping) {
      try await container.forEachPage(of: Query(mapping.recordType), desiredKeys: keys) { page in
        for record in page.records {
          let url = WebAddress.normalized(record[mapping.feedURL]?.string ?? "")
          if owners[url]?.isRetired ?? true { owners[url] = KnownFeed(record, mapping) }
        }
        let feeds = page.records.filter { !mapping.isRetired($0) }
        health.retired += page.records.count - feeds.count
        let states = try await container.states(of: feeds, mapping)
        health.feeds += zip(feeds, states).map { Self.entry($0, $1, categories, mapping) }
      }
    }
    for index in health.feeds.indices {
      guard let url = health.feeds[index].suggestedURL, let owner = owners[WebAddress.normalized(url)],
        owner.recordName != health.feeds[index].recordName
      else { continue }
      health.feeds[index].suggestedFeed = owner
    }
    do {
      let memory = try await LastJobRun.last(of: .health, in: container).map(HealthRunMemory.init)
      health.lastRun = memory?.lastComplete
      health.unaskedInLastRun = memory?.unasked ?? 0
      health.lastIncompleteRun = memory?.incomplete
      health.articlesWritten = memory?.articlesWritten
      health.articlesInDay = memory?.articlesByHour?.lastDay(at: now)
      let recounts = try await LastJobRun.lastOfEachShard(of: LeaseName("recount subscribers"), in: container)
      health.lastRecount = recounts.map(\.finishedAt).min()
      health.readersAsOf = recounts.countedAsOf
    } catch let refusal as ServerError where refusal.code == .accessDenied {
      health.unread = UnreadType(LeaseRecord.recordType, refusal)
    }
    return health
  }

  private static func entry(
    _ feed: Record, _ metadata: FeedMetadata, _ categories: [String: String], _ mapping: FeedRecordMapping
  ) -> CatalogHealth.Entry {
    let category = feed[mapping.category]
    return CatalogHealth.Entry(
      recordName: feed.recordName, slug: mapping.slug.flatMap { feed[$0]?.string },
      feedURL: feed[mapping.feedURL]?.string ?? "",
      title: feed[mapping.title]?.string,
      category: category?.string ?? (category?.reference?.recordName).map { categories[$0] ?? $0 },
      readers: feed[mapping.subscriberCount]?.int64, status: metadata.status,
      statusSince: metadata.statusSince, lastCheck: metadata.lastHealthCheck,
      reasons: metadata.recordedReasons,
      quality: feed[qualityScore]?.number, isVerified: feed[isVerified]?.flag ?? false,
      metadata: metadata)
  }

  /// The slugs of categories by record name; empty where categories are words.
  private func categoryNames(_ mapping: FeedRecordMapping) async throws -> [String: String] {
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
    let assessor = HealthAssessor(
      thresholds: HealthThresholds(), observation: observation, metadata: self, previous: self)
    return assessor.assess().reasons.filter { $0 != .recovering }
  }
}

internal import Catalog
package import CloudKitModel
package import FeedState
internal import RecordChanges

extension CatalogHealth {
  /// Reads a container: the feeds, the records with their state, and the categories.
  ///
  /// Throws errors of reading the container, and ``HealthCheckError`` when it has no feeds' type.
  package init(
    of container: any Container, mapping: FeedRecordMapping = .celestra, at now: Timestamp
  ) async throws {
    self.init(asOf: now)
    let mapping = try await mapping.matching(container)
    let categories = try await Self.categoryNames(mapping, in: container)
    let keys = mapping.feedFields + [mapping.category, mapping.subscriberCount, "qualityScore", "isVerified"]
    var owners: [String: KnownFeed] = [:]
    try await HealthCheckError.namingMissingType(mapping) {
      try await container.forEachPage(of: Query(mapping.recordType), desiredKeys: keys) { page in
        for record in page.records {
          let url = WebAddress.normalized(record[mapping.feedURL]?.string ?? "")
          if owners[url]?.isRetired ?? true { owners[url] = KnownFeed(record, mapping) }
        }
        let states = try await container.states(of: page.records, mapping)
        let entries = zip(page.records, states).map { Entry($0, $1, categories, mapping) }
        feeds += entries.filter { !$0.isRetired }
        retired += entries.filter(\.isRetired)
      }
    }
    for index in feeds.indices {
      guard let url = feeds[index].suggestedURL, let owner = owners[WebAddress.normalized(url)],
        owner.recordName != feeds[index].recordName
      else { continue }
      feeds[index].suggestedFeed = owner
    }
    do {
      memory = try await LastJobRun.last(of: .health, in: container).map(HealthRunMemory.init)
      let recounts = try await LastJobRun.lastOfEachShard(of: LeaseName("recount subscribers"), in: container)
      lastRecount = recounts.map(\.finishedAt).min()
      readersAsOf = recounts.countedAsOf
    } catch let refusal as ServerError where refusal.code == .accessDenied {
      unread = UnreadType(LeaseRecord.recordType, refusal)
    }
  }

  /// The slugs of categories by record name; empty where categories are words.
  private static func categoryNames(_ mapping: FeedRecordMapping, in container: any Container) async throws
    -> [String: String]
  {
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

extension CatalogHealth.Entry {
  fileprivate init(
    _ feed: Record, _ metadata: FeedMetadata, _ categories: [String: String], _ mapping: FeedRecordMapping
  ) {
    let category = feed[mapping.category]
    self.init(
      recordName: feed.recordName, slug: mapping.slug.flatMap { feed[$0]?.string },
      feedURL: feed[mapping.feedURL]?.string ?? "",
      title: feed[mapping.title]?.string,
      category: category?.string ?? (category?.reference?.recordName).map { categories[$0] ?? $0 },
      readers: feed[mapping.subscriberCount]?.int64, reasons: metadata.recordedReasons(mapping.thresholds),
      quality: feed["qualityScore"]?.number, isVerified: feed["isVerified"]?.flag ?? false,
      isRetired: mapping.isRetired(feed), metadata: metadata, thresholds: mapping.thresholds)
  }
}

extension FeedMetadata {
  /// The reasons for the recorded status, as far as the record knows them: those of the last failure, or of the stored
  /// facts about the document.
  func recordedReasons(_ thresholds: HealthThresholds) -> [HealthReason] {
    guard status.isTroubled, let lastHealthCheck else { return [] }
    if !reasons.isEmpty { return reasons }
    if lastCheckFailed { return lastReason.map { [$0] } ?? [] }
    let observation = FetchObservation(time: lastHealthCheck, outcome: .notModified)
    let assessor = HealthAssessor(
      thresholds: thresholds, observation: observation, metadata: self, previous: self)
    return assessor.assess().reasons.filter { $0 != .recovering }
  }
}

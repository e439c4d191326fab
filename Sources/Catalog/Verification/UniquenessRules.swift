import CloudKitModel
import Diagnostics

/// Nothing but the record name is unique in CloudKit, so two records with one feed URL can only be found
/// afterwards (Documentation/reference/catalog.md#uniqueness).
struct FeedURLRule: VerificationRule {
  private let recordType: String
  private var names: [ExactText: [String]] = [:]

  init(recordType: String) { self.recordType = recordType }

  var keys: [String: [String]] { [recordType: ["feedURL"]] }

  mutating func visit(_ record: Record) {
    guard record.recordType == recordType, let url = record["feedURL"]?.string else { return }
    names[ExactText(WebAddress.normalized(url)), default: []].append(record.recordName)
  }

  func findings(_ existence: ExistenceCheck) -> [Diagnostic] {
    names.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map { url, names in
      VerificationCode.duplicateFeedURL.finding(
        "\(names.count) \(recordType) records have the feedURL \(url.text): \(names.sorted().joined(separator: ", "))",
        help: "keep the one that subscriptions name, and delete the others")
    }
  }
}

/// One FeedMetadata for each feed (Documentation/reference/catalog.md#uniqueness).
struct MetadataRule: VerificationRule {
  private var names: [String: [String]] = [:]

  var keys: [String: [String]] { [CatalogRecordType.feedMetadata: ["feedReference"]] }

  mutating func visit(_ record: Record) {
    guard record.recordType == CatalogRecordType.feedMetadata,
      let feed = record["feedReference"]?.reference?.recordName
    else { return }
    names[feed, default: []].append(record.recordName)
  }

  func findings(_ existence: ExistenceCheck) -> [Diagnostic] {
    names.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map { feed, names in
      VerificationCode.duplicateMetadata.finding(
        "feed \(feed) has \(names.count) FeedMetadata records: \(names.sorted().joined(separator: ", "))",
        help: "jobs write \(RecordNames.metadata(feed: feed)); delete the others")
    }
  }
}

/// No feed stands twice in a collection (Documentation/reference/catalog.md#links).
struct RepeatedFeedRule: VerificationRule {
  private var found: [Diagnostic] = []

  var keys: [String: [String]] { [CatalogRecordType.feedCollection: ["feeds"]] }

  mutating func visit(_ record: Record) {
    guard record.recordType == CatalogRecordType.feedCollection else { return }
    let feeds = (record["feeds"]?.elements ?? []).compactMap(\.reference?.recordName)
    var seen: Set<String> = []
    let repeated = Set(feeds.filter { !seen.insert($0).inserted })
    guard !repeated.isEmpty else { return }
    found.append(
      VerificationCode.repeatedFeed.finding(
        "collection \(record.recordName) lists \(repeated.sorted().joined(separator: ", ")) more than once",
        help: "apply the seeds again"))
  }

  func findings(_ existence: ExistenceCheck) -> [Diagnostic] { found }
}

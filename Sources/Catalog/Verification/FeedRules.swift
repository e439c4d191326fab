import CloudKitModel
import Diagnostics
import RecordChanges

/// Finds feeds with the same URL. In CloudKit only record names are unique.
struct UniqueFeedURLRule: VerificationRule {
  private let recordType: String
  private var records: [BytewiseText: [ReadFeed]] = [:]

  init(recordType: String) { self.recordType = recordType }

  var keys: [String: [String]] { [recordType: ["feedURL", "subscriberCount"]] }

  mutating func visit(_ record: Record) {
    guard record.recordType == recordType, let url = record["feedURL"]?.string else { return }
    records[BytewiseText(WebAddress.normalized(url)), default: []].append(
      ReadFeed(record))
  }

  func findings(_ existence: RecordExistenceCheck) -> [Diagnostic] {
    records.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map { url, records in
      let names = records.map(\.name).sorted().joined(separator: ", ")
      return VerificationCode.duplicateFeedURL.finding(
        "\(records.count) \(recordType) records have the feedURL \(url.text): \(names)", help: help(records))
    }
  }

  /// A record with readers must not be deleted, because their subscriptions refer to it.
  private func help(_ records: [ReadFeed]) -> String {
    let ranked = records.mostReadFirst
    let unread = ranked.dropFirst().filter { $0.readers == 0 }.map(\.name)
    let kept = "keep \(ranked[0].name) with \(counted(ranked[0].readers, "reader"))"
    return unread.count == ranked.count - 1
      ? "\(kept), and after a recount delete those without readers: \(VerificationHelp.delete(unread))"
      : "\(kept), and give the others \"replacedBy\" in the seeds: celestra-admin seed duplicates"
  }
}

/// A feed record with its published readers.
private struct ReadFeed {
  let name: String
  let readers: Int64

  init(_ record: Record) {
    name = record.recordName
    readers = record["subscriberCount"]?.int64 ?? 0
  }
}

extension [ReadFeed] {
  fileprivate var mostReadFirst: [ReadFeed] {
    sorted { ($1.readers, $0.name) < ($0.readers, $1.name) }
  }
}

/// Finds feeds with the same slug.
struct UniqueFeedSlugRule: VerificationRule {
  private var records: [String: [ReadFeed]] = [:]

  var keys: [String: [String]] { [CatalogRecordType.publicFeed: ["slug", "subscriberCount"]] }

  mutating func visit(_ record: Record) {
    guard record.recordType == CatalogRecordType.publicFeed, let slug = record["slug"]?.string, !slug.isEmpty
    else { return }
    records[slug, default: []].append(ReadFeed(record))
  }

  func findings(_ existence: RecordExistenceCheck) -> [Diagnostic] {
    records.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map { slug, records in
      let ranked = records.mostReadFirst
      return VerificationCode.duplicateFeedSlug.finding(
        "\(records.count) feed records have the slug '\(SanitizedText.line(slug))': "
          + records.map(\.name).sorted().joined(separator: ", "),
        help: "keep it on one of them, and remove it from the others, for example: "
          + VerificationHelp.clear("slug", of: CatalogRecordType.publicFeed, ranked[1].name))
    }
  }
}

/// Finds feeds with more than one FeedMetadata record.
struct UniqueMetadataRule: VerificationRule {
  private var names: [String: [String]] = [:]

  var keys: [String: [String]] { [CatalogRecordType.feedMetadata: ["feedReference"]] }

  mutating func visit(_ record: Record) {
    guard record.recordType == CatalogRecordType.feedMetadata,
      let feed = record["feedReference"]?.reference?.recordName
    else { return }
    names[feed, default: []].append(record.recordName)
  }

  func findings(_ existence: RecordExistenceCheck) -> [Diagnostic] {
    names.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map { feed, names in
      VerificationCode.duplicateMetadata.finding(
        "feed \(feed) has \(names.count) FeedMetadata records: \(names.sorted().joined(separator: ", "))",
        help: "jobs write \(CatalogRecordNames.metadata(feed: feed)); delete the others: "
          + VerificationHelp.delete(names.sorted().filter { $0 != CatalogRecordNames.metadata(feed: feed) }))
    }
  }
}

/// Finds feeds that a collection lists twice.
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
        help: "keep the first of each: \(VerificationHelp.fix)"))
  }

  func findings(_ existence: RecordExistenceCheck) -> [Diagnostic] { found }
}

/// Finds subscriptions whose record name is not 64 lowercase hexadecimal digits; recounts ignore them. Messages do
/// not quote the names, which may contain a user's name.
struct SubscriptionNameRule: VerificationRule {
  private var count = 0

  var keys: [String: [String]] { [CatalogRecordType.feedSubscription: []] }

  mutating func visit(_ record: Record) {
    guard record.recordType == CatalogRecordType.feedSubscription else { return }
    if !RecordNameRule.sha256.accepts(record.recordName) { count += 1 }
  }

  func findings(_ existence: RecordExistenceCheck) -> [Diagnostic] {
    guard count > 0 else { return [] }
    let records = CatalogRecordType.feedSubscription.counted(count)
    return [
      VerificationCode.malformedSubscription.finding(
        "the name of \(records) is not 64 lowercase hexadecimal digits",
        help: "recounts do not count them; find the client that creates them: "
          + VerificationHelp.export(CatalogRecordType.feedSubscription))
    ]
  }
}

import CloudKitModel
import Diagnostics
import RecordChanges

/// Collects what can be corrected without a decision: FeedMetadata without a feed, and feeds that a collection lists
/// more than once. Nothing that has readers is changed: metadata of a feed that subscriptions still name stays,
/// because that feed can be restored.
struct VerificationFixes: VerificationRule {
  private var feeds: Set<String> = []
  private var metadata: [(record: Record, feed: String?)] = []
  /// The record names that subscriptions name.
  private var subscribed: Set<String> = []
  private var collections: [RecordChange] = []

  var keys: [String: [String]] {
    [
      CatalogRecordType.publicFeed: [], CatalogRecordType.feedMetadata: ["feedReference"],
      CatalogRecordType.feedSubscription: ["feedRecordName"],
      CatalogRecordType.feedCollection: ["feeds", "title"],
    ]
  }

  mutating func visit(_ record: Record) {
    switch record.recordType {
    case CatalogRecordType.publicFeed: feeds.insert(record.recordName)
    case CatalogRecordType.feedMetadata:
      metadata.append((record, record["feedReference"]?.reference?.recordName))
    case CatalogRecordType.feedSubscription:
      if let name = record["feedRecordName"]?.string { subscribed.insert(name) }
    case CatalogRecordType.feedCollection:
      if let change = withoutRepetitions(record) { collections.append(change) }
    default: break
    }
  }

  func findings(_ existence: RecordExistenceCheck) -> [Diagnostic] { [] }

  /// The changes, collections first.
  func changes(_ existence: RecordExistenceCheck) async throws -> [RecordChange] {
    let unknown = Set(metadata.compactMap(\.feed)).subtracting(feeds)
    let missing = Set(try await existence.missing(among: unknown))
    let deletions = metadata.filter { entry in
      entry.feed.map { missing.contains($0) && !subscribed.contains($0) } ?? true
    }
    return collections.sorted { $0.recordName < $1.recordName }
      + deletions.map(\.record).sorted { $0.recordName < $1.recordName }.map {
        RecordChange(.delete, recordType: $0.recordType, recordName: $0.recordName, changeTag: $0.changeTag)
      }
  }

  /// Keeps the first of equal feeds, in the order of the list.
  private func withoutRepetitions(_ collection: Record) -> RecordChange? {
    guard case .list(let type, let feeds)? = collection["feeds"] else { return nil }
    var seen: Set<String> = []
    let distinct = feeds.filter { feed in feed.reference.map { seen.insert($0.recordName).inserted } ?? true }
    guard distinct.count < feeds.count else { return nil }
    return .toward(
      ["feeds": FieldValue.list(of: type, distinct)], recordType: collection.recordType,
      recordName: collection.recordName, existing: collection, label: collection["title"]?.string)
  }
}

import CloudKitModel

/// The record names of the feeds that subscriptions name.
struct SubscribedFeeds {
  static let recordType = CatalogRecordType.feedSubscription
  static let keys = ["feedRecordName"]
  private var names: Set<String> = []

  mutating func visit(_ record: Record) {
    guard record.recordType == Self.recordType, let name = record["feedRecordName"]?.string else { return }
    names.insert(name)
  }

  func contains(_ feed: String) -> Bool { names.contains(feed) }
}

internal import Catalog
internal import CloudKitModel

/// A feed that is in the seeds and not yet in the container.
public struct SeedOnlyFeed: Sendable, Hashable {
  /// The seed's slug; reports show it as the record name.
  public var slug: String
  public var feedURL: String
  public var title: String?

  public init(slug: String, feedURL: String, title: String?) {
    self.slug = slug
    self.feedURL = feedURL
    self.title = title
  }

  /// - Parameter known: the container's feeds by normalized address.
  func isNew(among known: [String: String]) -> Bool { known[WebAddress.normalized(feedURL)] == nil }

  var target: FeedCheckTarget {
    var fields: [String: FieldValue] = ["feedURL": .string(feedURL)]
    fields["title"] = title.map(FieldValue.string)
    let record = Record(recordType: CatalogRecordType.publicFeed, recordName: slug, fields: fields)
    return FeedCheckTarget(
      record, metadata: FeedMetadata(feed: slug), mapping: SharedMapping(.celestra))
  }
}

/// An ordered list of feeds, as declared in the seeds.
public struct SeedCollection: Sendable, Hashable {
  public var slug: String
  /// The record name, which ties the entry to one record even if its slug changes.
  public var recordName: String?
  public var title: String
  public var description: String?
  public var coverImageURL: String?
  public var curatorName: String?
  /// The feeds' slugs, in editorial order.
  public var feeds: [String]
  public var tags: [String]
  public var isFeatured: Bool

  public init(
    slug: String, title: String, description: String? = nil, coverImageURL: String? = nil,
    curatorName: String? = nil, feeds: [String], tags: [String] = [], isFeatured: Bool = false
  ) {
    self.slug = slug
    self.title = title
    self.description = description
    self.coverImageURL = coverImageURL
    self.curatorName = curatorName
    self.feeds = feeds
    self.tags = tags
    self.isFeatured = isFeatured
  }
}

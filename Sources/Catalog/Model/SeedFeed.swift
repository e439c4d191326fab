/// A feed of the catalog, as declared in the seeds.
public struct SeedFeed: Sendable, Hashable {
  /// The name by which other seeds refer to the feed. Not stored in the container.
  public var slug: String
  /// The record name, which ties the feed to one record even if its URL changes. Without it, the record is found by
  /// the URL.
  public var recordName: String?
  public var title: String
  /// As declared; compare with ``WebAddress/normalized(_:)``.
  public var feedURL: String
  public var siteURL: String?
  public var subtitle: String?
  public var imageURL: String?
  /// The category's slug.
  public var category: String
  /// ISO 639-1, lower case.
  public var language: String
  public var tags: [String]
  public var isFeatured: Bool
  public var isVerified: Bool
  /// Whether the feed has ended or was replaced: apps then only show it to its subscribers.
  public var isRetired = false
  /// The slug of the feed that took its place.
  public var replacedBy: String?
  /// Slugs of feeds with similar addresses that an editor has compared with this one. It is not stored in the
  /// container.
  public var differentFrom: [String] = []

  public init(
    slug: String, recordName: String? = nil, title: String, feedURL: String, siteURL: String? = nil,
    subtitle: String? = nil, imageURL: String? = nil, category: String,
    language: String = SeedFieldDefaults.language, tags: [String] = [], isFeatured: Bool = false,
    isVerified: Bool = false
  ) {
    self.slug = slug
    self.recordName = recordName
    self.title = title
    self.feedURL = feedURL
    self.siteURL = siteURL
    self.subtitle = subtitle
    self.imageURL = imageURL
    self.category = category
    self.language = language
    self.tags = tags
    self.isFeatured = isFeatured
    self.isVerified = isVerified
  }
}

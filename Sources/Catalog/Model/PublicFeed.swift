/// A feed as an editor declares it.
public struct PublicFeed: Sendable, Hashable {
  /// What other seeds call the feed. It is not stored in the container.
  public var slug: String
  /// Ties the feed to one record whatever becomes of its URL. Without one the record is found by the URL.
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
  /// The publisher stopped, or another feed took its place: apps show it only to the readers who have it.
  public var isRetired = false
  /// The slug of the feed that took its place.
  public var replacedBy: String?
  /// Slugs of feeds with similar addresses that an editor has compared with this one. It is not stored in the
  /// container.
  public var differentFrom: [String] = []

  public init(
    slug: String, recordName: String? = nil, title: String, feedURL: String, siteURL: String? = nil,
    subtitle: String? = nil, imageURL: String? = nil, category: String,
    language: String = CatalogDefaults.language, tags: [String] = [], isFeatured: Bool = false,
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

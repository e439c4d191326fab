/// The record types of the Celestra schema, by their names in it.
public enum CatalogRecordType {
  public static let feedCategory = "FeedCategory"
  public static let publicFeed = "PublicFeed"
  public static let feedCollection = "FeedCollection"
  public static let feedMetadata = "FeedMetadata"
  public static let feedSubscription = "FeedSubscription"
  public static let publicArticle = "PublicArticle"
  public static let adminLease = "AdminLease"
  public static let users = "Users"

  /// The types whose records come from seeds, in the order they are written
  /// (Documentation/reference/catalog.md#catalog-types).
  public static let seeded = [feedCategory, publicFeed, feedCollection]
}

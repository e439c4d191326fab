/// What a field has when a seed leaves it out (Documentation/reference/catalog.md#defaults).
///
/// Seeding writes these values, so that an app can filter and sort by them without knowing the rule; leaving a
/// field out of a seed again therefore puts the default back.
public enum CatalogDefaults {
  public static let categoryColor = "#007AFF"
  /// An SF Symbol.
  public static let categoryIcon = "newspaper"
  public static let categorySortOrder: Int64 = 0
  /// ISO 639-1.
  public static let language = "en"
}

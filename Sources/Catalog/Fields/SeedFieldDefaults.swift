/// The default values of fields that a seed leaves out (Documentation/reference/catalog.md#defaults).
///
/// Seeding writes the defaults to the records, so that apps can filter and sort by the fields. Removing a field
/// from a seed therefore restores its default.
public enum SeedFieldDefaults {
  public static let categoryColor = "#007AFF"
  /// An SF Symbol.
  public static let categoryIcon = "newspaper"
  public static let categorySortOrder: Int64 = 0
  /// ISO 639-1.
  public static let language = "en"
}

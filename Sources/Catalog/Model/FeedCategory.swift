/// A category as an editor declares it.
public struct FeedCategory: Sendable, Hashable {
  public var slug: String
  /// Ties the entry to one record whatever becomes of its slug.
  public var recordName: String?
  public var name: String
  /// An SF Symbol's name.
  public var icon: String
  /// `#RRGGBB`.
  public var color: String
  /// Categories are listed in ascending order.
  public var sortOrder: Int64
  /// The slug of the category this one belongs under.
  public var parentCategory: String?
  public var description: String?

  public init(
    slug: String, name: String, icon: String = CatalogDefaults.categoryIcon,
    color: String = CatalogDefaults.categoryColor, sortOrder: Int64 = CatalogDefaults.categorySortOrder,
    parentCategory: String? = nil, description: String? = nil
  ) {
    self.slug = slug
    self.name = name
    self.icon = icon
    self.color = color
    self.sortOrder = sortOrder
    self.parentCategory = parentCategory
    self.description = description
  }
}

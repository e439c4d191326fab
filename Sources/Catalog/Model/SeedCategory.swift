/// A category of feeds, as declared in the seeds.
public struct SeedCategory: Sendable, Hashable {
  public var slug: String
  /// The record name, which ties the entry to one record even if its slug changes.
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
    slug: String, name: String, icon: String = SeedFieldDefaults.categoryIcon,
    color: String = SeedFieldDefaults.categoryColor, sortOrder: Int64 = SeedFieldDefaults.categorySortOrder,
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

internal import Catalog
internal import Diagnostics

// The entries of the catalog's models as seed files have them: defaults are left out.

extension SeedCategory {
  var seedJSON: JSONObject {
    var json: JSONObject = ["slug": .string(slug), "name": .string(name)]
    if icon != SeedFieldDefaults.categoryIcon { json["icon"] = .string(icon) }
    if color != SeedFieldDefaults.categoryColor { json["color"] = .string(color) }
    if sortOrder != SeedFieldDefaults.categorySortOrder { json["sortOrder"] = .integer(sortOrder) }
    json["parentCategory"] = parentCategory.map(JSONValue.string)
    json["description"] = description.map(JSONValue.string)
    return json
  }
}

extension SeedFeed {
  /// The language is written even where it is the default: editors look for it.
  var seedJSON: JSONObject {
    var entry = SeedFeedEntry(slug: slug, title: title, feedURL: feedURL)
    entry.recordName = recordName
    entry.siteURL = siteURL
    entry.subtitle = subtitle
    entry.imageURL = imageURL
    entry.category = category
    entry.language = language
    entry.tags = tags
    entry.isFeatured = isFeatured
    entry.isVerified = isVerified
    return entry.json
  }
}

extension SeedCollection {
  var seedJSON: JSONObject {
    var json: JSONObject = ["slug": .string(slug), "title": .string(title)]
    json["description"] = description.map(JSONValue.string)
    json["coverImageURL"] = coverImageURL.map(JSONValue.string)
    json["curatorName"] = curatorName.map(JSONValue.string)
    if isFeatured { json["isFeatured"] = true }
    if !tags.isEmpty { json["tags"] = .array(tags.map(JSONValue.string)) }
    json["feeds"] = .array(feeds.map(JSONValue.string))
    return json
  }
}

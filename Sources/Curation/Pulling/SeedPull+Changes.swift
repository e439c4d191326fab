internal import Catalog
internal import CloudKitModel
internal import Diagnostics

extension SeedPull {
  mutating func take(
    _ field: SeedField, _ value: JSONValue?, of entry: ContainerCatalog.Entry, _ seeds: inout SeedWorkspace
  ) throws(CommandFailure) {
    var value = value == field.usual ? nil : value
    let (slug, kind) = (entry.slug, entry.kind)
    switch field.key {
    case "category" where seeds.fileCategory(ofFeed: slug) == value?.string: value = nil
    case "isFeatured" where entry.values["retired"] == true: return
    case "retired":
      if value == true { retired.insert(slug) } else { retired.remove(slug) }
      if entry.values["replacedBy"] != nil { value = value ?? false }
      // While the feed was retired, its 'isFeatured' in the file had no effect. It must not get one now.
      if value != true, entry.values["isFeatured"] == nil, !entry.unusable.contains("isFeatured") {
        try seeds.set("isFeatured", of: slug, kind: kind, to: nil)
      }
    case "replacedBy":
      let isTaken = seeds.changes.contains {
        $0.kind == kind && $0.slug == slug && $0.fields["retired"] != nil
      }
      let isRetired = seeds.catalog.feeds.first { $0.slug == slug }?.isRetired == true
      // Without 'retired', a feed with 'replacedBy' is retired, and one without it is not.
      if !isTaken, isRetired == (value == nil) {
        try seeds.set("retired", of: slug, kind: kind, to: .bool(isRetired))
      }
    case "title" where kind == .feed && Slug.derived(fromTitle: value?.string ?? "") != slug:
      // A feed without a slug in the files has the one of its title. Others name it so.
      try seeds.set("slug", of: slug, kind: kind, to: .string(slug))
    case "feeds":
      value = withoutRetired(value, slug)
      listsTaken.insert(slug)
    case "feedURL" where entry.needsRecordName:
      try seeds.set("recordName", of: slug, kind: kind, to: .string(entry.recordName))
    default: break
    }
    try seeds.set(field.key, of: slug, kind: kind, to: value)
    taken.add(field.recordField.flatMap { entry.record[$0] }, field, of: entry.recordName, .pulled)
  }

  /// A list of a collection without the feeds that are retired in the files after this pull, which no collection may list.
  mutating func withoutRetired(_ list: JSONValue?, _ collection: String) -> JSONValue? {
    guard let list, !retired.isDisjoint(with: list.strings) else { return list }
    for slug in list.strings where retired.contains(slug) {
      diagnostics.report(
        CurationRule.unusableValue,
        "the feed '\(slug)' is retired, so the pull leaves it out of the list of the collection '\(collection)'",
        help: "The next apply takes it out of the record's list.")
    }
    return .array(list.strings.filter { !retired.contains($0) }.map(JSONValue.string))
  }

  mutating func add(_ entry: ContainerCatalog.Entry, _ seeds: inout SeedWorkspace) throws(CommandFailure) {
    for field in SeedFields.celestra[entry.kind] {
      guard let name = field.recordField else { continue }
      taken.add(entry.record[name], field, of: entry.recordName, .pulled)
    }
    var values = entry.values
    if values["retired"] == true { retired.insert(entry.slug) }
    if entry.kind == .collection { values["feeds"] = withoutRetired(values["feeds"], entry.slug) }
    if values["replacedBy"] != nil { values["retired"] = values["retired"] ?? false }
    if entry.needsRecordName { values["recordName"] = .string(entry.recordName) }
    if entry.kind == .feed {
      try seeds.add(SeedFeed(values), category: values["category"]?.string ?? "")
    } else {
      try seeds.add(values.json(of: entry.kind), slug: entry.slug, kind: entry.kind)
    }
  }
}

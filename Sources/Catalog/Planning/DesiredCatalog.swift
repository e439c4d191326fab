import CloudKitModel
internal import RecordChanges

/// The records that a catalog declares, in the order in which they must be written.
struct DesiredCatalog {
  private(set) var records: [DesiredRecord] = []
  private(set) var conflicts: [PlanConflict]
  /// The records of all seeds, including those in conflict. They are never pruned.
  private(set) var mentioned: Set<String>
  /// Records that are part of a conflict, with the slug of a feed in the conflict.
  let disputed: [String: String]

  /// Feeds that keep their record although their URL changed.
  let moves: [MovedFeed]
  /// New feeds that may be feeds of the container under new URLs.
  let suspected: [MovedFeed]

  /// - Parameter acceptsLoss: create new records for feeds that probably exist in the container under another URL.
  init(_ catalog: SeedCatalog, existing: ExistingCatalogRecords, acceptsLoss: Bool = false) {
    let slugs = SlugRecordMatching(catalog, existing: existing)
    let matching = FeedRecordMatching(catalog.feeds, existing: existing, acceptsLoss: acceptsLoss)
    conflicts = slugs.conflicts + matching.conflicts
    disputed = matching.disputed.merging(slugs.disputed) { first, _ in first }
    moves = matching.moves
    suspected = matching.suspected
    mentioned = Set(disputed.keys)
    records = catalog.categoriesParentsFirst.filter { !slugs.conflicted.contains($0.slug) }.map {
      DesiredRecord($0, names: slugs.categories)
    }
    let retires = catalog.retiresFeeds || existing.retiresFeeds
    for feed in catalog.feeds {
      guard let name = matching.names[feed.slug] else { continue }
      let replacement = feed.replacedBy.flatMap { matching.names[$0] }
      records.append(
        DesiredRecord(
          feed, recordName: name, names: slugs.categories, replacement: retires ? .some(replacement) : nil))
    }
    for collection in catalog.collections {
      add(collection, slugs.collections[collection.slug], matching.names)
    }
    mentioned.formUnion(records.map(\.recordName))
  }

  /// A collection is only written once all its feeds have records; without one of them its order would be wrong.
  private mutating func add(_ collection: SeedCollection, _ name: String?, _ names: [String: String]) {
    guard let name else { return }
    let missing = collection.feeds.filter { names[$0] == nil }
    mentioned.insert(name)
    guard missing.isEmpty else {
      let reason = "it waits for feeds in conflict: \(missing.joined(separator: ", "))"
      conflicts.append(
        PlanConflict(
          recordType: CatalogRecordType.feedCollection, slug: collection.slug, reason: reason))
      return
    }
    records.append(
      DesiredRecord(collection, recordName: name, feedNames: collection.feeds.compactMap { names[$0] }))
  }
}

extension SeedCatalog {
  /// Whether any feed is retired: only then a container needs the fields for it.
  var retiresFeeds: Bool { feeds.contains { $0.isRetired || $0.replacedBy != nil } }
}

/// The record that a seed declares: all editorial fields, including absent ones, and the times that seeding sets.
struct DesiredRecord {
  let recordType: String
  let recordName: String
  /// The slug.
  let label: String
  /// `nil` clears the field.
  let fields: [(key: String, value: FieldValue?)]

  subscript(field: String) -> FieldValue? { fields.first { $0.key == field }?.value }

  /// Bytes of its values and their names.
  var size: Int { fields.reduce(0) { $0 + $1.key.utf8.count + ($1.value?.size ?? 0) } }

  /// The change that turns `existing` into the desired record; `nil` if it is equal.
  ///
  /// Times owned by seeding are set when the record is created, and those of kind ``FieldOwner/seedAtChange`` again
  /// when an editorial field changes. A time alone does not cause a change.
  func change(from existing: Record?, at now: Timestamp) -> RecordChange? {
    guard
      var change = RecordChange.toward(
        fields, recordType: recordType, recordName: recordName, existing: existing, label: label)
    else { return nil }
    var stamped = FieldOwnership.fields(of: recordType, ownedBy: .seedAtChange)
    if existing == nil { stamped += FieldOwnership.fields(of: recordType, ownedBy: .seedAtCreation) }
    for field in stamped { change.fields[field] = FieldChange(from: existing?[field], to: .timestamp(now)) }
    return change
  }
}

extension DesiredRecord {
  init(_ category: SeedCategory, names: CategoryRecordNames) {
    recordType = CatalogRecordType.feedCategory
    recordName = names[category.slug]
    label = category.slug
    fields = [
      ("name", .string(category.name)), ("slug", .string(category.slug)), ("icon", .string(category.icon)),
      ("color", .string(category.color)), ("sortOrder", .int64(category.sortOrder)),
      ("parentCategory", category.parentCategory.map { .reference(Reference(names[$0])) }),
      ("description", category.description.map(FieldValue.string)),
    ]
  }

  /// - Parameter replacement: the record name of the feed that replaces it. Outer `nil` leaves both fields about
  ///   retirement alone.
  init(_ feed: SeedFeed, recordName: String, names: CategoryRecordNames, replacement: String?? = nil) {
    recordType = CatalogRecordType.publicFeed
    self.recordName = recordName
    label = feed.slug
    var fields: [(key: String, value: FieldValue?)] = [
      ("feedURL", .string(feed.feedURL)), ("title", .string(feed.title)),
      ("subtitle", feed.subtitle.map(FieldValue.string)), ("siteURL", feed.siteURL.map(FieldValue.string)),
      ("imageURL", feed.imageURL.map(FieldValue.string)),
      ("category", .reference(Reference(names[feed.category]))),
      // Apps that do not know `isRetired` then stop featuring the feed.
      ("language", .string(feed.language)), ("isFeatured", .flag(feed.isFeatured && !feed.isRetired)),
      ("isVerified", .flag(feed.isVerified)), ("tags", .strings(feed.tags)),
    ]
    if let replacement {
      fields.append(("isRetired", .flag(feed.isRetired)))
      fields.append(("replacedBy", replacement.map { .reference(Reference($0)) }))
    }
    self.fields = fields
  }

  /// `feedNames` are the record names of the collection's feeds, in its order.
  init(_ collection: SeedCollection, recordName: String, feedNames: [String]) {
    recordType = CatalogRecordType.feedCollection
    self.recordName = recordName
    label = collection.slug
    fields = [
      ("title", .string(collection.title)), ("description", collection.description.map(FieldValue.string)),
      ("coverImageURL", collection.coverImageURL.map(FieldValue.string)),
      ("curatorName", collection.curatorName.map(FieldValue.string)), ("feeds", .references(feedNames)),
      ("isFeatured", .flag(collection.isFeatured)), ("tags", .strings(collection.tags)),
    ]
  }
}

/// The record names of categories by slug.
struct CategoryRecordNames {
  private var names: [String: String] = [:]

  /// A category that has no other name is named by its slug.
  subscript(slug: String) -> String {
    get { names[slug] ?? CatalogRecordNames.category(slug: slug) }
    set { names[slug] = newValue }
  }
}

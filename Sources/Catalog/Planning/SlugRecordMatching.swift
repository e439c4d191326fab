import CloudKitModel
import RecordChanges

/// Finds the records of the categories and collections in the seeds: the one that an entry names, else the one with
/// its slug, else a new one. A new entry with the title of an existing record without a seed is a conflict: its slug
/// was probably changed, and a new record would lose the feeds and readers of the old one.
struct SlugRecordMatching {
  /// Categories in conflict have a name, because their feeds stay with the record as it is. Collections in conflict
  /// have none.
  private(set) var names = SeedRecordNames()
  private(set) var conflicts: [PlanConflict] = []
  private(set) var disputed: [String: String] = [:]
  private(set) var conflicted: Set<String> = []

  init(_ catalog: SeedCatalog, existing: ExistingCatalogRecords) {
    let records = existing.records.values
    let bySlug = Dictionary(
      records.filter { $0.recordType == CatalogRecordType.feedCategory }
        .compactMap { record in record["slug"]?.string.map { ($0, record.recordName) } },
      uniquingKeysWith: min)
    var mentioned: Set<String> = []
    for category in catalog.categories {
      let name =
        category.recordName ?? bySlug[category.slug] ?? CatalogRecordNames.category(slug: category.slug)
      names[.category, category.slug] = name
      mentioned.insert(name)
    }
    for collection in catalog.collections {
      let name = collection.recordName ?? CatalogRecordNames.collection(slug: collection.slug)
      names[.collection, collection.slug] = name
      mentioned.insert(name)
    }
    func isNew(_ entry: some SeedEntry) -> Bool {
      names[type(of: entry).kind, entry.slug].map { existing[$0] == nil } ?? false
    }
    for category in catalog.categories where isNew(category) {
      guard
        let rival = Self.rival(CatalogRecordType.feedCategory, category.name, existing, besides: mentioned)
      else { continue }
      report(CatalogRecordType.feedCategory, category.slug, rival)
      names[.category, category.slug] = rival.recordName
      conflicted.insert(category.slug)
    }
    for collection in catalog.collections where isNew(collection) {
      guard
        let rival = Self.rival(
          CatalogRecordType.feedCollection, collection.title, existing, besides: mentioned)
      else { continue }
      report(CatalogRecordType.feedCollection, collection.slug, rival)
      names[.collection, collection.slug] = nil
    }
  }

  private static func rival(
    _ recordType: String, _ title: String, _ existing: ExistingCatalogRecords, besides mentioned: Set<String>
  ) -> Record? {
    existing.records.values.filter {
      $0.recordType == recordType && !mentioned.contains($0.recordName)
        && $0.catalogLabel.lowercased() == title.lowercased()
    }.min { $0.recordName < $1.recordName }
  }

  private mutating func report(_ recordType: String, _ slug: String, _ rival: Record) {
    disputed[rival.recordName] = slug
    conflicts.append(
      PlanConflict(
        recordType: recordType, slug: slug,
        reason:
          "\(SanitizedText.quoted(rival.catalogLabel)) is in the container under another slug, and no seed mentions it",
        help: "If only the slug changed, add \"recordName\": \"\(rival.recordName)\" and it keeps its record"
          + (rival.publishedReaders.map { $0 > 0 ? " and its \($0) readers." : "." } ?? ".")))
  }
}

extension Record {
  /// The published number of subscribers; `nil` where none was counted.
  var publishedReaders: Int64? { self["subscriberCount"]?.int64.map { max(0, $0) } }
}

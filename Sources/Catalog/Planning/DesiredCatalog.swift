import CloudKitModel
import RecordChanges

/// The records that a catalog declares, in the order in which they must be written.
///
/// A category or collection has the record that it names, else the only one with its slug, else a new one.
struct DesiredCatalog {
  private(set) var records: [DesiredRecord] = []
  private(set) var conflicts: [PlanConflict] = []
  /// The records of all seeds, including those in conflict. They are never pruned.
  private(set) var mentioned: Set<String>
  /// Records that are part of a conflict, with the slug of an entry in the conflict.
  private(set) var disputed: [String: String]
  let matching: FeedRecordMatching
  private(set) var names = SeedRecordNames()

  /// - Parameter acceptsLoss: create new records for feeds that probably exist in the container under another URL.
  init(_ catalog: SeedCatalog, existing: ExistingCatalogRecords, acceptsLoss: Bool = false) {
    matching = FeedRecordMatching(catalog.feeds, existing: existing, acceptsLoss: acceptsLoss)
    disputed = matching.disputed
    mentioned = []
    let replaced = name(catalog, existing).union(refuse(catalog.categories, titled: \.name, existing))
    _ = refuse(catalog.collections, titled: \.title, existing)
    conflicts += matching.conflicts
    mentioned = Set(disputed.keys)
    names.names[.feed] = matching.names
    for category in catalog.categoriesParentsFirst where !replaced.contains(category.slug) {
      add(category, SeedFields.celestra.category)
    }
    let usesOptional = catalog.usesOptionalFields || existing.usesOptionalFields
    let rows = SeedFields.celestra.feed.filter { field in
      switch field.need {
      case .always: true
      case .onceUsed: usesOptional
      case .never: existing.storesSlugs
      }
    }
    for feed in catalog.feeds { add(feed, rows) }
    for collection in catalog.collections { add(collection) }
    mentioned.formUnion(records.map(\.recordName))
  }

  /// Returns the slugs of categories that several records have: which of them is the seed's is not known.
  private mutating func name(_ catalog: SeedCatalog, _ existing: ExistingCatalogRecords) -> Set<String> {
    var repeated: Set<String> = []
    let type = CatalogRecordType.feedCategory
    let bySlug = catalog.categories.holders(among: existing.records.values.filter { $0.recordType == type })
    for category in catalog.categories {
      let own = category.expectedRecordName
      let holders = bySlug[category.slug] ?? []
      let held = holders.map(\.recordName)
      names[.category, category.slug] = held.contains(own) ? own : held.min() ?? own
      guard held.count > 1 else { continue }
      repeated.insert(category.slug)
      for name in held { disputed[name] = category.slug }
      conflicts.append(.repeatedSlug(category.slug, of: type, holders.map(ReadRecord.init)))
    }
    for collection in catalog.collections {
      names[.collection, collection.slug] = collection.expectedRecordName
    }
    mentioned = Set(
      catalog.categories.compactMap { names[.category, $0.slug] }
        + catalog.collections.compactMap { names[.collection, $0.slug] })
    return repeated
  }

  /// A new entry with the title of an existing record without a seed is a conflict: its slug was probably changed, and a
  /// new record would lose the feeds and readers of the old one. Returns the slugs of such entries. The feeds of a
  /// category stay with the record as it is.
  private mutating func refuse<Entry: SeedEntry>(
    _ entries: [Entry], titled title: (Entry) -> String, _ existing: ExistingCatalogRecords
  ) -> Set<String> {
    var refused: Set<String> = []
    let type = Entry.kind.recordType
    for entry in entries {
      guard let name = names[Entry.kind, entry.slug], existing[name] == nil else { continue }
      let rivals = existing.records.values.filter {
        $0.recordType == type && !mentioned.contains($0.recordName)
          && $0.catalogLabel.lowercased() == title(entry).lowercased()
      }
      guard let rival = rivals.min(by: { $0.recordName < $1.recordName }) else { continue }
      refused.insert(entry.slug)
      names[Entry.kind, entry.slug] = Entry.kind == .category ? rival.recordName : nil
      disputed[rival.recordName] = disputed[rival.recordName] ?? entry.slug
      conflicts.append(
        PlanConflict(
          recordType: type, slug: entry.slug,
          reason:
            "\(rival.catalogLabel.quoted) is in the container under another slug, and no seed mentions it",
          help:
            "If only the slug changed, add \"recordName\": \"\(rival.recordName)\" to the \(Entry.kind.rawValue) '\(entry.slug)', and it keeps its record"
            + (rival.publishedReaders().map { $0 > 0 ? " and its \($0) readers." : "." } ?? ".")))
    }
    return refused
  }

  private mutating func add<Entry: SeedEntry>(_ entry: Entry, _ fields: [SeedField]) {
    guard let name = names[Entry.kind, entry.slug] else { return }
    records.append(DesiredRecord(entry, recordName: name, fields, names))
  }

  /// A collection is only written once all its feeds have records; without one of them its order would be wrong.
  private mutating func add(_ collection: SeedCollection) {
    guard let name = names[.collection, collection.slug] else { return }
    let missing = collection.feeds.filter { names[.feed, $0] == nil }
    mentioned.insert(name)
    guard missing.isEmpty else {
      let reason = "it waits for feeds in conflict: \(missing.joined(separator: ", "))"
      conflicts.append(
        PlanConflict(recordType: CatalogRecordType.feedCollection, slug: collection.slug, reason: reason))
      return
    }
    add(collection, SeedFields.celestra.collection)
  }
}

extension SeedCatalog {
  /// Whether a feed has a value of a field that containers need only then, such as `retired`.
  package var usesOptionalFields: Bool {
    let optional = SeedFields.celestra.feed.filter { $0.need == .onceUsed }
    return feeds.contains { feed in optional.contains { feed.values.published($0) != $0.usual } }
  }
}

/// The record that a seed declares: all editorial fields, including absent ones, and the times that seeding sets.
struct DesiredRecord {
  let recordType: String
  let recordName: String
  let label: String
  private let values: SeedValues
  private let rows: [SeedField]
  private let names: SeedRecordNames

  /// - Parameter rows: those that only files have are left out.
  init(_ entry: some SeedEntry, recordName: String, _ rows: [SeedField], _ names: SeedRecordNames) {
    recordType = type(of: entry).kind.recordType
    self.recordName = recordName
    label = entry.slug
    values = entry.values
    self.rows = rows
    self.names = names
  }

  /// The fields that a record does not have as declared; `nil` clears one.
  private func fields(besides existing: Record?) -> [(key: String, value: FieldValue?)] {
    rows.compactMap { row -> (key: String, value: FieldValue?)? in
      guard let name = row.recordField else { return nil }
      let value = value(of: row)
      return existing?[name].isSame(as: value) == true ? nil : (name, value)
    }
  }

  private func value(of row: SeedField) -> FieldValue? { row.stored(values.published(row), names) }

  subscript(field: String) -> FieldValue? { rows.first { $0.recordField == field }.flatMap(value) }

  /// Bytes of its values and their names.
  var size: Int { fields(besides: nil).reduce(0) { $0 + $1.key.utf8.count + ($1.value?.size ?? 0) } }

  /// The change that turns `existing` into the desired record; `nil` if it is equal.
  ///
  /// Times owned by seeding are set when the record is created, and those of kind ``FieldOwner/seedAtChange`` again
  /// when an editorial field changes. A time alone does not cause a change.
  func change(from existing: Record?, at now: Timestamp) -> RecordChange? {
    guard
      var change = RecordChange.toward(
        fields(besides: existing), recordType: recordType, recordName: recordName, existing: existing,
        label: label)
    else { return nil }
    var stamped = FieldOwnership.fields(of: recordType, ownedBy: .seedAtChange)
    if existing == nil { stamped += FieldOwnership.fields(of: recordType, ownedBy: .seedAtCreation) }
    for field in stamped { change.fields[field] = FieldChange(from: existing?[field], to: .timestamp(now)) }
    return change
  }
}

package struct SeedRecordNames: Sendable {
  fileprivate var names: [SeedKind: [String: String]] = [:]

  init() {}

  package init(of catalog: SeedCatalog, in existing: ExistingCatalogRecords) {
    self = DesiredCatalog(catalog, existing: existing).names
  }

  /// A category that has no other name is named by its slug.
  package subscript(kind: SeedKind, slug: String) -> String? {
    get { names[kind]?[slug] ?? (kind == .category ? slug : nil) }
    set { names[kind, default: [:]][slug] = newValue }
  }
}

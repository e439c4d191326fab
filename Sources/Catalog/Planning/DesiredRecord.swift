import CloudKitModel
import RecordChanges

/// The record a seed asks for: its editorial fields in full, absent ones included, and the moments that seeding
/// itself sets.
struct DesiredRecord {
  let recordType: String
  let recordName: String
  /// The slug.
  let label: String
  /// `nil` clears the field.
  let fields: [String: FieldValue?]

  /// Bytes of its values and their names.
  var size: Int { fields.reduce(0) { $0 + $1.key.utf8.count + ($1.value?.size ?? 0) } }

  /// What makes `existing` the desired record, or `nil` when it is that already.
  ///
  /// Moments owned by seeding are set when the record is made, and those of kind
  /// ``FieldOwner/seedAtChange`` again when an editorial field changes; on their own they are no change.
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
  init(_ category: FeedCategory) {
    recordType = CatalogRecordType.feedCategory
    recordName = RecordNames.category(slug: category.slug)
    label = category.slug
    fields = [
      "name": .string(category.name), "slug": .string(category.slug), "icon": .string(category.icon),
      "color": .string(category.color), "sortOrder": .int64(category.sortOrder),
      "parentCategory": category.parentCategory.map { .reference(Reference(RecordNames.category(slug: $0))) },
      "description": category.description.map(FieldValue.string),
    ]
  }

  init(_ feed: PublicFeed, recordName: String) {
    recordType = CatalogRecordType.publicFeed
    self.recordName = recordName
    label = feed.slug
    fields = [
      "feedURL": .string(feed.feedURL), "title": .string(feed.title),
      "subtitle": feed.subtitle.map(FieldValue.string), "siteURL": feed.siteURL.map(FieldValue.string),
      "imageURL": feed.imageURL.map(FieldValue.string),
      "category": .reference(Reference(RecordNames.category(slug: feed.category))),
      "language": .string(feed.language), "isFeatured": .flag(feed.isFeatured),
      "isVerified": .flag(feed.isVerified), "tags": .strings(feed.tags),
    ]
  }

  /// `feedNames` are the record names of the collection's feeds, in its order.
  init(_ collection: FeedCollection, feedNames: [String]) {
    recordType = CatalogRecordType.feedCollection
    recordName = RecordNames.collection(slug: collection.slug)
    label = collection.slug
    fields = [
      "title": .string(collection.title), "description": collection.description.map(FieldValue.string),
      "coverImageURL": collection.coverImageURL.map(FieldValue.string),
      "curatorName": collection.curatorName.map(FieldValue.string), "feeds": .references(feedNames),
      "isFeatured": .flag(collection.isFeatured), "tags": .strings(collection.tags),
    ]
  }
}

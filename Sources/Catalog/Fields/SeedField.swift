package import Diagnostics

package enum SeedKind: String, Sendable, Hashable, CaseIterable {
  case category, feed, collection

  /// `nil` for a type without seeds.
  package init?(recordType: String) {
    guard let kind = Self.allCases.first(where: { $0.recordType == recordType }) else { return nil }
    self = kind
  }

  package var recordType: String {
    switch self {
    case .category: CatalogRecordType.feedCategory
    case .feed: CatalogRecordType.publicFeed
    case .collection: CatalogRecordType.feedCollection
    }
  }
}

/// One row of ``SeedFields``: a key of the entries of a kind, and what becomes of its value in records and in OPML.
package struct SeedField: Sendable, Hashable {
  /// What a key holds. It decides how the value is checked, stored and read back.
  package enum Form: Sendable, Hashable {
    case text
    case slug, recordName, address, icon, color, language
    /// `true` or `false`; 0 or 1 in the record.
    case flag
    case integer
    case tags
    /// Slugs of feeds that are not looked up.
    case slugs
    /// A slug; a REFERENCE in the record.
    case reference(SeedKind)
    /// Slugs; a list of REFERENCE in the record.
    case references(SeedKind)

    /// The kind of entries that a value names; `nil` for other values.
    package var target: SeedKind? {
      switch self {
      case .reference(let kind), .references(let kind): kind
      default: nil
      }
    }
  }

  package enum Storage: Sendable, Hashable {
    /// In the record's field of the same name.
    case sameName
    case field(String)
    /// Only in the seed files.
    case files
  }

  /// When a container needs the field.
  package enum Need: Sendable, Hashable {
    case always
    /// Once a seed or a record has a value other than the default for one of the kind's fields with this need.
    case onceUsed
    /// Never: a container with an older schema does without it.
    case never
  }

  package enum OPMLAttribute: Sendable, Hashable {
    /// `celestra:` and the key.
    case own
    /// As ``own``, but an import takes it only with `--trust-celestra`: it decides about records or about trust.
    case trusted
    /// An attribute that OPML defines.
    case standard(String)
    /// The outline has rules of its own for it.
    case outline
  }

  package let key: String
  package let form: Form
  package let isRequired: Bool
  /// The value of a key that is left out; `nil` for none.
  package let usual: JSONValue?
  package let need: Need
  package let opml: OPMLAttribute
  private let storage: Storage

  package init(
    _ key: String, _ form: Form, in storage: Storage = .sameName, isRequired: Bool = false,
    usual: JSONValue? = nil, need: Need = .always, opml: OPMLAttribute = .own
  ) {
    self.key = key
    self.form = form
    self.storage = storage
    self.isRequired = isRequired
    self.usual = usual
    self.need = need
    self.opml = opml
  }

  /// The field of the record; `nil` for a key that only the seed files have.
  package var recordField: String? {
    switch storage {
    case .sameName: key
    case .field(let name): name
    case .files: nil
    }
  }

  /// The name of the OPML attribute; `nil` for a value that the outline has rules of its own for.
  package var opmlName: String? {
    switch opml {
    case .own, .trusted: "celestra:\(key)"
    case .standard(let name): name
    case .outline: nil
    }
  }
}

/// The keys of all kinds of seed entries, in the order in which editors read them. Reading, planning, schema checks,
/// exports, imports and pulls follow this table, so a new editorial field is one row of it.
package struct SeedFields: Sendable, Hashable {
  package var category: [SeedField]
  package var feed: [SeedField]
  package var collection: [SeedField]

  package init(category: [SeedField], feed: [SeedField], collection: [SeedField]) {
    self.category = category
    self.feed = feed
    self.collection = collection
  }

  package subscript(kind: SeedKind) -> [SeedField] {
    switch kind {
    case .category: category
    case .feed: feed
    case .collection: collection
    }
  }

  func recordFields(of kind: SeedKind) -> [String] { self[kind].compactMap(\.recordField) }

  /// The keys of `schema/celestra.ckdb`. Defaults are written to records, so that apps can filter by them
  /// (Documentation/reference/catalog.md#defaults).
  package static let celestra = SeedFields(
    category: [
      SeedField("slug", .slug, isRequired: true),
      SeedField("recordName", .recordName, in: .files),
      SeedField("name", .text, isRequired: true),
      SeedField("icon", .icon, usual: "newspaper"),
      SeedField("color", .color, usual: "#007AFF"),
      SeedField("sortOrder", .integer, usual: 0),
      SeedField("parentCategory", .reference(.category)),
      SeedField("description", .text),
    ],
    feed: [
      SeedField("slug", .slug, need: .never),
      SeedField("recordName", .recordName, in: .files, opml: .trusted),
      SeedField("title", .text, isRequired: true, opml: .outline),
      SeedField("feedURL", .address, isRequired: true, opml: .outline),
      SeedField("siteURL", .address, opml: .standard("htmlUrl")),
      SeedField("subtitle", .text, opml: .standard("description")),
      SeedField("imageURL", .address),
      SeedField("category", .reference(.category), isRequired: true, opml: .outline),
      SeedField("language", .language, usual: "en", opml: .standard("language")),
      SeedField("tags", .tags, usual: [], opml: .outline),
      SeedField("isFeatured", .flag, usual: false, opml: .trusted),
      SeedField("isVerified", .flag, usual: false, opml: .trusted),
      SeedField("retired", .flag, in: .field("isRetired"), usual: false, need: .onceUsed),
      SeedField("replacedBy", .reference(.feed), need: .onceUsed),
      SeedField("differentFrom", .slugs, in: .files, usual: []),
    ],
    collection: [
      SeedField("slug", .slug, in: .files, isRequired: true, opml: .outline),
      SeedField("recordName", .recordName, in: .files, opml: .trusted),
      SeedField("title", .text, isRequired: true, opml: .outline),
      SeedField("description", .text),
      SeedField("coverImageURL", .address),
      SeedField("curatorName", .text),
      SeedField("isFeatured", .flag, usual: false, opml: .trusted),
      SeedField("tags", .tags, usual: []),
      SeedField("feeds", .references(.feed), isRequired: true, opml: .outline),
    ])
}

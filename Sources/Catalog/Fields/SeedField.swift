package import CloudKitModel
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

  /// An entry in texts and in what is remembered of entries: `feed six-colors`.
  package func key(_ slug: String) -> String { "\(rawValue) \(slug)" }
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
  /// The field of the record; `nil` for a key that only the seed files have.
  package let recordField: String?

  package init(
    _ key: String, _ form: Form, isRequired: Bool = false, usual: JSONValue? = nil, need: Need = .always,
    opml: OPMLAttribute = .own, field: String? = nil, isInRecord: Bool = true
  ) {
    self.key = key
    self.form = form
    self.isRequired = isRequired
    self.usual = usual
    self.need = need
    self.opml = opml
    recordField = isInRecord ? field ?? key : nil
  }

  /// The name of the OPML attribute; `nil` for a value that the outline has rules of its own for.
  package var opmlName: String? {
    switch opml {
    case .own, .trusted: "celestra:\(key)"
    case .standard(let name): name
    case .outline: nil
    }
  }

  package var fieldType: FieldType {
    switch form {
    case .text, .slug, .recordName, .address, .icon, .color, .language: .scalar(.string)
    case .flag, .integer: .scalar(.int64)
    case .tags, .slugs: .list(.string)
    case .reference: .scalar(.reference)
    case .references: .list(.reference)
    }
  }

  /// The value in the record. References to entries without a record are left out.
  func stored(_ value: JSONValue?, _ names: SeedRecordNames = SeedRecordNames()) -> FieldValue? {
    switch form {
    case .text, .slug, .recordName, .address, .icon, .color, .language: value?.string.map(FieldValue.string)
    case .flag: value?.bool.map(FieldValue.flag)
    case .integer: value?.integer.map(FieldValue.int64)
    case .tags, .slugs: .strings(value?.strings ?? [])
    case .reference(let kind): value?.string.flatMap { names[kind, $0] }.map { .reference(Reference($0)) }
    case .references(let kind): .references((value?.strings ?? []).compactMap { names[kind, $0] })
    }
  }

  /// Reads the value of the record's field, by the rules of seeds. A blank text counts as absent.
  ///
  /// - Parameter slug: the slug of the entry with a record name.
  package func value(of stored: FieldValue?, slug: (SeedKind, String) -> String?) -> StoredSeedValue {
    guard let stored else { return .absent }
    switch (form, stored) {
    case (.flag, .int64(let number)) where number == 0 || number == 1: return .value(.bool(number == 1))
    case (.flag, .int64(let number)): return .invalid("the value is \(number), not 0 or 1")
    case (.integer, .int64(let number)): return .value(.integer(number))
    case (.reference(let kind), .reference(let target)):
      return slug(kind, target.recordName).map { .value(.string($0)) }
        ?? .invalid("the container has no \(kind.rawValue) record \(target.recordName)")
    case (.references(let kind), .list(.reference, let targets)):
      // A list without its repetitions.
      return .value(targets.compactMap { $0.reference.flatMap { slug(kind, $0.recordName) } }.unique.json)
    case (.tags, .list(.string, let elements)), (.slugs, .list(.string, let elements)):
      let texts = elements.compactMap { $0.string?.composed }
      if let (_, problem) = texts.lazy.compactMap(problem).first { return .invalid(problem) }
      return .value(texts.unique.json)
    case (.language, .string(let text)):
      return LanguageCodes.code(text).map { .value(.string($0)) }
        ?? .invalid("'\(text)' is not an ISO 639-1 language code")
    case (_, .string(let text)) where fieldType == .scalar(.string):
      if text.allSatisfy(\.isWhitespace) { return .absent }
      let composed = form == .text ? text.composed.trimmingWhitespace : text.composed
      return problem(in: composed).map { .invalid($0.message) } ?? .value(.string(composed))
    default: return .invalid("the field has the type \(stored.type), not \(fieldType)")
    }
  }

  /// Whether a record has just the published value of a seed. `false` also where only ``value(of:slug:)`` says so: a value may
  /// be spelled in several ways, and a blank text counts as absent. An absent slug may be of a schema without the field.
  package func isStored(
    _ stored: FieldValue?, as value: JSONValue?, slug: (SeedKind, String) -> String?
  ) -> Bool {
    switch (form, stored) {
    case (_, nil): value == compared(nil) || form == .slug
    case (_, .string("")?): false
    case (.reference(let kind), .reference(let target)?):
      value?.string.map { $0 == slug(kind, target.recordName) } ?? false
    case (.references(let kind), .list(.reference, let targets)?):
      targets.map { $0.reference.flatMap { slug(kind, $0.recordName) } } == value?.strings.map(Optional.some)
    default: stored == self.stored(value)
    }
  }

  package func accepts(_ text: String) -> Bool { problem(in: text) == nil }

  /// The rule that a text breaks, with the finding's message; `nil` for a valid one.
  func problem(in text: String) -> (rule: SeedRule, message: String)? {
    if let problem = SeedValueRules.control(text) { return (.unusableText, problem) }
    return switch form {
    case .slug: SeedValueRules.slug(text).map { (.badSlug, $0) }
    case .recordName: CatalogRecordNames.problem(ofSeed: text).map { (.badRecordName, $0) }
    case .address: WebAddress.problem(with: text).map { (.badURL, $0) }
    case .icon: SeedValueRules.icon(text).map { (.badIcon, $0) }
    case .color: SeedValueRules.color(text).map { (.badColor, $0) }
    case .tags: SeedValueRules.tag(text).map { (.badTag, $0) }
    default: nil
    }
  }
}

/// The keys of all kinds of seed entries, in the order in which editors read them. Reading, planning, schema checks,
/// exports, imports and pulls follow this table, so a new editorial field is one row of it.
package struct SeedFields: Sendable, Hashable {
  package let category: [SeedField]
  package let feed: [SeedField]
  package let collection: [SeedField]

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
      SeedField("recordName", .recordName, isInRecord: false),
      SeedField("name", .text, isRequired: true),
      SeedField("icon", .icon, usual: "newspaper"),
      SeedField("color", .color, usual: "#007AFF"),
      SeedField("sortOrder", .integer, usual: 0),
      SeedField("parentCategory", .reference(.category)),
      SeedField("description", .text),
    ],
    feed: [
      SeedField("slug", .slug, need: .never),
      SeedField("recordName", .recordName, opml: .trusted, isInRecord: false),
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
      SeedField("retired", .flag, usual: false, need: .onceUsed, field: "isRetired"),
      SeedField("replacedBy", .reference(.feed), need: .onceUsed),
      SeedField("differentFrom", .slugs, usual: [], isInRecord: false),
    ],
    collection: [
      SeedField("slug", .slug, isRequired: true, opml: .outline, isInRecord: false),
      SeedField("recordName", .recordName, opml: .trusted, isInRecord: false),
      SeedField("title", .text, isRequired: true, opml: .outline),
      SeedField("description", .text),
      SeedField("coverImageURL", .address),
      SeedField("curatorName", .text),
      SeedField("isFeatured", .flag, usual: false, opml: .trusted),
      SeedField("tags", .tags, usual: []),
      SeedField("feeds", .references(.feed), isRequired: true, opml: .outline),
    ])
}

package enum StoredSeedValue: Sendable, Hashable {
  case absent
  case value(JSONValue)
  /// No seed may have the value, for this reason.
  case invalid(String)
}

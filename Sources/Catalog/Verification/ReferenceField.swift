import CloudKitModel
import SchemaLanguage

/// A field that holds record names, and the types whose records they must be.
///
/// The schema language has no place for a reference's target
/// (Documentation/reference/schema-language.md#types-and-indexes), so the catalog's own are declared here; any other
/// REFERENCE may point anywhere.
struct ReferenceField: Hashable {
  var source: String
  var field: String
  /// Empty: any type.
  var targets: [String]
  var code = VerificationCode.danglingReference
  /// Whether the sources' own names stay out of messages, because each is derived from a person.
  var hidesSources = false
  var correction = Correction.edit

  /// How to correct a reference to a missing record.
  enum Correction {
    /// The seeds declare the field.
    case seeds
    /// `container verify --fix` does it.
    case fix
    /// The source records are useless without their target: delete them.
    case delete
    /// Subscriptions: only a recount may delete them.
    case restoreOrPrune
    case edit
  }

  private static let declared = [
    ReferenceField(
      source: "FeedCategory", field: "parentCategory", targets: ["FeedCategory"], correction: .seeds),
    ReferenceField(source: "PublicFeed", field: "category", targets: ["FeedCategory"], correction: .seeds),
    // Documentation/reference/catalog.md#links.
    ReferenceField(source: "FeedCollection", field: "feeds", targets: ["PublicFeed"], correction: .seeds),
    ReferenceField(
      source: "FeedMetadata", field: "feedReference", targets: ["PublicFeed"], code: .orphan, correction: .fix
    ),
    ReferenceField(
      source: "PublicArticle", field: "feedReference", targets: ["PublicFeed"], code: .orphan,
      correction: .delete),
    ReferenceField(
      source: "Article", field: "feedRecordName", targets: ["Feed"], code: .orphan, correction: .delete),
    // Documentation/reference/catalog.md#links.
    ReferenceField(
      source: "FeedSubscription", field: "feedRecordName", targets: ["PublicFeed", "FeedCollection", "Feed"],
      code: .orphan, hidesSources: true, correction: .restoreOrPrune),
    // Documentation/reference/catalog.md#links.
    ReferenceField(
      source: "LiveSessionParticipant", field: "sessionId", targets: ["LiveSession"], code: .orphan,
      hidesSources: true, correction: .delete),
    ReferenceField(
      source: "ChatMessage", field: "sessionId", targets: ["LiveSession"], code: .orphan, hidesSources: true,
      correction: .delete),
  ]

  /// The reference fields of a schema: the declared ones, and every other REFERENCE field.
  static func all(in schema: Schema) -> [ReferenceField] {
    let declared = declared.compactMap { reference -> ReferenceField? in
      guard schema[recordType: reference.source]?[field: reference.field] != nil else { return nil }
      var reference = reference
      reference.targets = reference.targets.filter { schema[recordType: $0] != nil }
      return reference
    }
    let known = Set(declared.map { [$0.source, $0.field] })
    let others = schema.recordTypes.flatMap { type in
      type.fields.filter { $0.type.primitive == .reference && !$0.isSystem }
        .map { ReferenceField(source: type.name, field: $0.name, targets: []) }
    }
    return declared + others.filter { !known.contains([$0.source, $0.field]) }
  }
}

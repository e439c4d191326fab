import CloudKitModel
import SchemaLanguage

/// A field that holds record names, and the types whose records they must be.
///
/// The schema language has no place for a reference's target
/// (Documentation/reference/schema-language.md#types-and-indexes), so the catalog's own are declared here; any other
/// REFERENCE may point anywhere.
struct Link: Hashable {
  var source: String
  var field: String
  /// Empty: any type.
  var targets: [String]
  var code = VerificationCode.danglingReference
  /// Whether the sources' own names stay out of messages, because each is derived from a person.
  var hidesSources = false
  var correction = Correction.edit

  /// How to correct a link to a missing record.
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
    Link(source: "FeedCategory", field: "parentCategory", targets: ["FeedCategory"], correction: .seeds),
    Link(source: "PublicFeed", field: "category", targets: ["FeedCategory"], correction: .seeds),
    // Documentation/reference/catalog.md#links.
    Link(source: "FeedCollection", field: "feeds", targets: ["PublicFeed"], correction: .seeds),
    Link(
      source: "FeedMetadata", field: "feedReference", targets: ["PublicFeed"], code: .orphan, correction: .fix
    ),
    Link(
      source: "PublicArticle", field: "feedReference", targets: ["PublicFeed"], code: .orphan,
      correction: .delete),
    Link(
      source: "Article", field: "feedRecordName", targets: ["Feed"], code: .orphan, correction: .delete),
    // Documentation/reference/catalog.md#links.
    Link(
      source: "FeedSubscription", field: "feedRecordName", targets: ["PublicFeed", "FeedCollection", "Feed"],
      code: .orphan, hidesSources: true, correction: .restoreOrPrune),
    // Documentation/reference/catalog.md#links.
    Link(
      source: "LiveSessionParticipant", field: "sessionId", targets: ["LiveSession"], code: .orphan,
      hidesSources: true, correction: .delete),
    Link(
      source: "ChatMessage", field: "sessionId", targets: ["LiveSession"], code: .orphan, hidesSources: true,
      correction: .delete),
  ]

  /// The links in a schema: the declared ones, and every other REFERENCE field.
  static func links(of schema: Schema) -> [Link] {
    let declared = declared.compactMap { link -> Link? in
      guard schema[recordType: link.source]?[field: link.field] != nil else { return nil }
      var link = link
      link.targets = link.targets.filter { schema[recordType: $0] != nil }
      return link
    }
    let known = Set(declared.map { [$0.source, $0.field] })
    let others = schema.recordTypes.flatMap { type in
      type.fields.filter { $0.type.primitive == .reference && SystemField(storedName: $0.name) == nil }
        .map { Link(source: type.name, field: $0.name, targets: []) }
    }
    return declared + others.filter { !known.contains([$0.source, $0.field]) }
  }
}

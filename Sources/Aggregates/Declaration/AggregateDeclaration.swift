internal import Catalog
package import CloudKitModel
package import FeedState
package import SchemaLanguage

/// A number that CloudKit cannot compute, declared as data: which records to read, how to group them, and which fields
/// hold the result (Documentation/reference/catalog.md#declared-counts).
package struct AggregateDeclaration: Sendable, Hashable {
  /// The name on the command line: `recount NAME`.
  package var name: String
  package var source: Source
  package var operation = Operation.count
  package var targets: [Target]
  /// How far a value may drop in one recount, in percent of its former value, 0...100. 100 allows all drops.
  package var maxDrop = usualMaxDrop

  /// The largest drop of an aggregate that does not declare its own.
  package static let usualMaxDrop = 50.0

  /// Whether each source's name is the digest of its group and its creator.
  package var hasCreatorNames: Bool { source.recordNames == .sha256OfCreator }

  /// Whether a record's name does not say which of the results is meant.
  var hasSeveralFields: Bool { Set(targets.map(\.field)).count > 1 }

  package enum Operation: Sendable, Hashable {
    case count
    /// The sum of an INT64 or DOUBLE field over the sources that have it.
    case sum(String)
    /// The largest INT64, DOUBLE or TIMESTAMP value over the sources that have it.
    case max(String)

    package var field: String? {
      switch self {
      case .count: nil
      case .sum(let field), .max(let field): field
      }
    }
  }

  package struct Source: Sendable, Hashable {
    package var recordType: String
    /// The STRING or REFERENCE field with the record name of the target that the source counts toward.
    package var groupField: String
    /// A record is a source only if it passes all filters.
    package var filters: [Filter] = []
    /// A source with another record name is reported and not counted; `nil` accepts all names.
    package var recordNames: RecordNameRule?
  }

  package struct Target: Sendable, Hashable {
    package var recordType: String
    package var field: String
    /// The STRING or REFERENCE field with the name of this record's group; `nil` uses its record name.
    package var groupField: String?
    /// A copy repeats the value of another target. A group with only copies counts as missing, so its sources are
    /// orphans.
    package var isCopy = false
  }

  // MARK: - Built-in aggregates

  /// Subscribers of the feeds that a mapping names. Where a record beside each feed keeps its state, that record has a copy,
  /// and collections have subscribers too.
  static func subscribers(of feeds: FeedRecordMapping) -> AggregateDeclaration {
    var targets = [Target(recordType: feeds.recordType, field: feeds.subscriberCount)]
    if let state = feeds.stateType {
      targets += [
        Target(recordType: CatalogRecordType.feedCollection, field: "subscriberCount"),
        Target(recordType: state, field: "subscriberCount", groupField: "feedReference", isCopy: true),
      ]
    }
    // Record names are the SHA-256 of feed and user (Documentation/reference/subscriptions.md).
    let source = Source(
      recordType: CatalogRecordType.feedSubscription, groupField: "feedRecordName",
      recordNames: .sha256OfCreator)
    return AggregateDeclaration(name: "subscribers", source: source, targets: targets)
  }

  /// Active participants of live sessions. All of them leave when a session ends, so every drop is allowed.
  package static let participants = AggregateDeclaration(
    name: "participants",
    source: Source(
      recordType: LiveSessionRecordType.participant, groupField: "sessionId",
      filters: [.init("isActive", .equals, .flag(true))]),
    targets: [Target(recordType: LiveSessionRecordType.session, field: "currentParticipants")], maxDrop: 100)

  /// The built-in declarations that fit a schema, without the target types that the schema lacks. An aggregate needs
  /// its source type and a target that is not a copy.
  ///
  /// - Parameter feeds: the types and fields of the project's feeds, in place of those of the shipped schemas.
  package static func builtIn(for schema: Schema, feeds: FeedRecordMapping? = nil) -> [AggregateDeclaration] {
    builtIn(feeds).compactMap { declaration in
      guard schema[recordType: declaration.source.recordType] != nil else { return nil }
      var narrowed = declaration
      narrowed.targets.removeAll { schema[recordType: $0.recordType] == nil }
      return narrowed.targets.contains { !$0.isCopy } ? narrowed : nil
    }
  }

  static func builtIn(_ feeds: FeedRecordMapping?) -> [AggregateDeclaration] {
    // The second is that of Feed records (Documentation/reference/catalog.md#second-schema).
    (feeds.map { [$0] } ?? [.celestra, .celestraCloud]).map { subscribers(of: $0) } + [participants]
  }
}

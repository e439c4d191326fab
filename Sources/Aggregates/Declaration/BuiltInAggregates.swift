internal import CloudKitModel
public import SchemaLanguage

extension AggregateDeclaration {
  /// Subscribers of feeds and collections (needs.md statements 8 to 12, C9).
  ///
  /// A collection's subscribers are the subscriptions that carry the collection's record name.
  public static let subscribers = AggregateDeclaration(
    name: "subscribers", source: .feedSubscriptions,
    targets: [
      Target(recordType: "PublicFeed", field: "subscriberCount"),
      Target(recordType: "FeedCollection", field: "subscriberCount"),
      Target(
        recordType: "FeedMetadata", field: "subscriberCount", groupField: "feedReference", isCopy: true),
    ])

  /// Subscribers of the Feed records of the second Celestra schema (needs.md C1).
  public static let feedSubscribers = AggregateDeclaration(
    name: "subscribers", source: .feedSubscriptions,
    targets: [Target(recordType: "Feed", field: "subscriberCount")])

  /// Active participants of live sessions (needs.md statement 97).
  public static let participants = AggregateDeclaration(
    name: "participants",
    source: Source(
      recordType: "LiveSessionParticipant", groupField: "sessionId",
      filters: [.init("isActive", .equals, .flag(true))]),
    targets: [Target(recordType: "LiveSession", field: "currentParticipants")])

  /// The built-in declarations that fit a schema: source type and canonical targets are there.
  ///
  /// A target type that the schema lacks is left out; an aggregate without any is not offered.
  public static func builtIn(for schema: Schema) -> [AggregateDeclaration] {
    [subscribers, feedSubscribers, participants].compactMap { $0.narrowed(to: schema) }
  }

  private func narrowed(to schema: Schema) -> AggregateDeclaration? {
    guard schema[recordType: source.recordType] != nil else { return nil }
    var declaration = self
    declaration.targets = targets.filter { schema[recordType: $0.recordType] != nil }
    return declaration.targets.contains { !$0.isCopy } ? declaration : nil
  }
}

extension AggregateDeclaration.Source {
  /// Named by the SHA-256 of feed and user (needs.md statements 1 and 12).
  static let feedSubscriptions = Self(
    recordType: "FeedSubscription", groupField: "feedRecordName", recordNames: .sha256)
}

public import CloudKitModel
public import Diagnostics
public import RecordChanges
public import SchemaLanguage

/// Checks what CloudKit does not: that records fit together.
///
/// Reads every record of the types it knows once, page by page, and only the fields its rules need. Memory grows
/// with the number of distinct names and feed URLs, not with the number of subscriptions, articles or messages.
/// What changes while it reads may be judged half before and half after the change.
public struct CatalogVerifier {
  private let container: any Container
  private let schema: Schema
  private let now: Timestamp

  /// - Parameters:
  ///   - schema: the container's schema; types and fields it lacks are not read.
  ///   - now: the time at which sessions are judged.
  public init(container: any Container, schema: Schema, now: Timestamp) {
    self.container = container
    self.schema = schema
    self.now = now
  }

  public struct Result: Sendable {
    /// In the order of the rules, and of names within a rule.
    public var findings: [Diagnostic]
    /// How many records of each type were read, in the order they were read.
    public var read: [(recordType: String, count: Int)]
    /// What can be corrected without a decision.
    public var fixes: [RecordChange]
  }

  /// Throws what the container throws; a partial reading gives no result.
  public func verify() async throws -> Result {
    var rules = rules
    var fixes = VerificationFixes()
    var result = Result(findings: [], read: [], fixes: [])
    for (recordType, keys) in keys(of: rules + [fixes]) {
      var count = 0
      try await container.forEachPage(of: Query(recordType), desiredKeys: keys) { page in
        count += page.records.count
        for record in page.records {
          for index in rules.indices { rules[index].visit(record) }
          fixes.visit(record)
        }
      }
      result.read.append((recordType, count))
    }
    let existence = ExistenceCheck(container: container)
    for rule in rules { result.findings += try await rule.findings(existence) }
    result.fixes = try await fixes.changes(existence)
    return result
  }

  private var rules: [any VerificationRule] {
    Link.links(of: schema).map(LinkRule.init)
      + [
        FeedURLRule(recordType: CatalogRecordType.publicFeed), FeedURLRule(recordType: "Feed"),
        MetadataRule(), RepeatedFeedRule(), CategoryTreeRule(), SubscriptionNameRule(),
        PrivateSessionRule(), SessionTimesRule(), SessionCapacityRule(), SessionEndRule(now: now),
      ]
  }

  /// The types to read, in the schema's order, each with all fields that some rule needs and the schema has.
  private func keys(of rules: [any VerificationRule]) -> [(recordType: String, keys: [String])] {
    var wanted: [String: Set<String>] = [:]
    for rule in rules {
      for (recordType, keys) in rule.keys { wanted[recordType, default: []].formUnion(keys) }
    }
    // Nobody may query Users (Documentation/reference/web-services.md#query-refusals).
    return schema.recordTypes.filter { $0.name != CatalogRecordType.users }.compactMap { type in
      wanted[type.name].map { keys in (type.name, keys.filter { type[field: $0] != nil }.sorted()) }
    }
  }
}

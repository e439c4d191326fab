package import CloudKitModel
package import Diagnostics
package import RecordChanges
package import SchemaLanguage

/// Checks the consistency of a container's records, which CloudKit does not.
///
/// Reads every record of the types it knows once, page by page, and only the fields its rules need. Memory grows
/// with the number of distinct names and feed URLs, and by some bytes an article, not with the number of subscriptions or
/// messages. A
/// record that changes during the check may be read partly in its old and partly in its new state.
package struct CatalogVerifier {
  private let container: any Container
  private let schema: Schema
  private let now: Timestamp

  /// - Parameters:
  ///   - schema: the container's schema; types and fields it lacks are not read.
  /// - now: the time for which sessions are checked.
  package init(container: any Container, schema: Schema, now: Timestamp) {
    self.container = container
    self.schema = schema
    self.now = now
  }

  package struct Result: Sendable {
    /// In the order of the rules, and of names within a rule.
    package var findings: [Diagnostic]
    /// How many records of each type were read, in the order they were read.
    package var read: [(recordType: String, count: Int)]
    /// The types that the key may not read, so that nothing is known about their records.
    package var unread: [UnreadType] = []
    /// Corrections that need no decision by a user.
    package var fixes: [RecordChange]
  }

  /// Throws errors of the container. A type that the key may not read is in the result, unless corrections are asked for.
  ///
  /// - Parameter correcting: whether to find corrections, for which some records are read again. What is unread may decide
  ///   about them.
  package func verify(correcting: Bool) async throws -> Result {
    var rules = rules
    var fixes = VerificationFixes()
    var result = Result(findings: [], read: [], fixes: [])
    for (recordType, keys) in keys(of: rules + [fixes]) {
      var count = 0
      do {
        try await container.forEachPage(of: Query(recordType), desiredKeys: keys) { page in
          count += page.records.count
          for record in page.records {
            for index in rules.indices { rules[index].visit(record) }
            fixes.visit(record)
          }
        }
        result.read.append((recordType, count))
      } catch let refusal as ServerError where refusal.code == .accessDenied && !correcting {
        result.unread.append(UnreadType(recordType, refusal))
      }
    }
    let existence = RecordExistenceCheck(container: container)
    for rule in rules { result.findings += try await rule.findings(existence) }
    guard correcting else { return result }
    result.fixes = try await fixes.changes(existence)
    for case let rule as StoredArticleRule in rules {
      result.fixes += try await rule.deletions(in: container, schema)
    }
    return result
  }

  private var rules: [any VerificationRule] {
    VerifiedReference.all(in: schema).map(DanglingReferenceRule.init)
      + CatalogUniqueFields.all.compactMap(UniqueFieldRule.init)
      + [
        RepeatedFeedRule(), CategoryCycleRule(), SubscriptionNameRule(),
        LiveSessionRule(now: now),
        StoredArticleRule(
          recordType: CatalogRecordType.publicArticle, feedField: "feedReference", now: now),
        StoredArticleRule(recordType: CatalogRecordType.cloudArticle, feedField: "feedRecordName", now: now),
      ]
  }

  /// The types to read, in the schema's order, each with all fields that some rule needs and the schema has.
  private func keys(of rules: [any VerificationRule]) -> [(recordType: String, keys: [String])] {
    var wanted: [String: Set<String>] = [:]
    for rule in rules {
      for (recordType, keys) in rule.keys { wanted[recordType, default: []].formUnion(keys) }
    }
    // No role may query Users (Documentation/reference/web-services.md#query-refusals).
    return schema.recordTypes.filter { $0.name != CatalogRecordType.users }.compactMap { type in
      wanted[type.name].map { keys in (type.name, keys.filter { type[field: $0] != nil }.sorted()) }
    }
  }
}

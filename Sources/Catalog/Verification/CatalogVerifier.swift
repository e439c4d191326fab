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
  private let isMirror: Bool

  /// - Parameters:
  ///   - schema: the container's schema; types and fields it lacks are not read.
  ///   - now: the time for which sessions are checked.
  ///   - isMirror: whether the service may have records of types that the schema lacks.
  package init(container: any Container, schema: Schema, now: Timestamp, isMirror: Bool = false) {
    self.container = container
    self.schema = schema
    self.now = now
    self.isMirror = isMirror
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
    let references = VerifiedReference.all(in: schema)
    var fixes = VerificationFixes(references)
    var subscribed: Set<String> = []
    var result = Result(findings: [], read: [], fixes: [])
    for (recordType, keys) in keys(of: rules.map { $0.keys } + [fixes.keys]) {
      var count = 0
      do {
        try await container.forEachRecord(of: Query(recordType), desiredKeys: keys) { record in
          count += 1
          for index in rules.indices { rules[index].visit(record) }
          fixes.visit(record)
          if recordType == CatalogRecordType.feedSubscription {
            subscribed.formUnion(record["feedRecordName"]?.referredNames ?? [])
          }
        }
        result.read.append((recordType, count))
      } catch let refusal as ServerError where refusal.code == .accessDenied && !correcting {
        result.unread.append(UnreadType(recordType, refusal))
      }
    }
    let existence = RecordExistenceCheck(
      container: container, unread: unread(result, references), subscribed: subscribed)
    for rule in rules { result.findings += try await rule.findings(existence) }
    guard correcting else { return result }
    result.fixes = try await fixes.changes(existence)
    for case let rule as StoredArticleRule in rules {
      result.fixes += try await rule.deletions(in: container, schema)
    }
    result.fixes = try await result.fixes.withCascades(
      ReferenceFields(CatalogReferences.all, in: schema), in: container)
    return result
  }

  /// The types of which nothing is known. Subscriptions whose feed has a field of another name say nothing.
  private func unread(_ result: Result, _ references: [VerifiedReference]) -> Set<String> {
    let type = CatalogRecordType.feedSubscription
    let left =
      schema[recordType: type] == nil
      ? isMirror : !references.contains { $0.source == type && $0.correction == .restoreOrPrune }
    return Set(result.unread.map(\.recordType) + (left ? [type] : []))
  }

  private var rules: [any VerificationRule] {
    let references = VerifiedReference.all(in: schema).filter { !isMirror || !$0.targets.isEmpty }
    return references.map(DanglingReferenceRule.init)
      + CatalogUniqueFields.all.compactMap(UniqueFieldRule.init)
      + [
        RepeatedFeedRule(), CategoryCycleRule(), SubscriptionNameRule(),
        LiveSessionRule(now: now),
        StoredArticleRule(recordType: CatalogRecordType.publicArticle, now: now),
        StoredArticleRule(recordType: CatalogRecordType.cloudArticle, now: now),
      ]
  }

  /// The types to read, in the schema's order, each with all fields that some rule needs and the schema has.
  private func keys(of needed: [[String: [String]]]) -> [(recordType: String, keys: [String])] {
    var wanted: [String: Set<String>] = [:]
    for (recordType, keys) in needed.joined() { wanted[recordType, default: []].formUnion(keys) }
    // No role may query Users (Documentation/reference/web-services.md#query-refusals).
    return schema.recordTypes.filter { $0.name != SystemNames.users }.compactMap { type in
      wanted[type.name].map { keys in (type.name, keys.filter { type[field: $0] != nil }.sorted()) }
    }
  }
}

/// A rule about all records of a container. It is called with each record once, in any order, and only keeps the
/// names that it needs for its findings.
protocol VerificationRule {
  /// The fields to read of each record type it looks at; an empty list asks for the names alone.
  var keys: [String: [String]] { get }

  mutating func visit(_ record: Record)

  /// Called once, after the last record.
  func findings(_ existence: RecordExistenceCheck) async throws -> [Diagnostic]
}

/// Returns the names without a record, and none of one that the key may not read. Uses lookups, because query indexes may not
/// have new records yet.
struct RecordExistenceCheck {
  let container: any Container
  /// The types whose records were not read.
  let unread: Set<String>
  /// The names of feeds to which people subscribe, as far as subscriptions were read.
  let subscribed: Set<String>

  func missing(among names: some Collection<String>) async throws -> [String] {
    try await container.absentRecords(Set(names)).sorted()
  }
}

/// A number of records with the first names, for messages.
struct RecordNameSample {
  private(set) var count = 0
  private(set) var examples: [String] = []
  private static let limit = 3

  mutating func add(_ recordName: String) {
    count += 1
    if examples.count < RecordNameSample.limit { examples.append(recordName) }
  }

  /// `2 PublicFeed records (a, b)`.
  func text(of recordType: String) -> String {
    let more = count > examples.count ? ", …" : ""
    return "\(counted(count, "\(recordType) record")) (\(examples.joined(separator: ", "))\(more))"
  }
}

enum VerificationHelp {
  /// What a command needs that deletes records of any type in any environment. Where it can ask, it does.
  static let accepted = "--accept-risk data-loss"

  static func delete(_ recordNames: [String]) -> String {
    String.shellCommand("celestra-admin records delete", recordNames, accepted)
  }

  static func delete(_ recordType: String, where field: String, is value: String) -> String {
    delete(recordType, filter: "\(field) == \"\(value)\"")
  }

  static func delete(_ recordType: String, filter: String) -> String {
    "celestra-admin records delete \(recordType) --filter \(filter.shellWord) \(accepted)"
  }

  static func query(_ recordType: String, where field: String, is value: String) -> String {
    "celestra-admin records query \(recordType) --filter \("\(field) == \"\(value)\"".shellWord)"
  }

  static func update(_ recordType: String, _ recordName: String) -> String {
    String.shellCommand("celestra-admin records update \(recordType)", [recordName], "--fields-file FILE")
  }

  /// - Parameter value: as a command line writes it; null clears the field.
  static func set(_ field: String, to value: String = "null", of recordType: String, _ recordName: String)
    -> String
  {
    String.shellCommand(
      "celestra-admin records update \(recordType)", [recordName], "--set \(field)=\(value)")
  }

  static func export(_ recordType: String) -> String { "celestra-admin records export \(recordType)" }

  static let fix = "celestra-admin container verify --fix"
  static let deletingFix = "\(fix) \(accepted)"
  static let purge = "celestra-admin articles purge \(accepted)"
}

/// The codes of findings in a container's records. Codes are never reused.
package enum VerificationCode: String, RuleCode {
  case danglingReference = "CV0101"
  case orphan = "CV0102"

  case duplicateFeedURL = "CV0201"
  case duplicateMetadata = "CV0202"
  case repeatedFeed = "CV0203"
  case cyclicParent = "CV0204"
  case duplicateFeedSlug = "CV0205"
  case duplicateCategorySlug = "CV0206"

  case malformedSubscription = "CV0301"

  case privateSession = "CV0401"
  case privateMessages = "CV0402"
  case impossibleTimes = "CV0403"
  case overCapacity = "CV0404"
  case activePastEnd = "CV0405"

  case duplicateArticle = "CV0501"
  case expiredArticle = "CV0502"
  case unlimitedArticle = "CV0503"
  case futureArticle = "CV0504"

  package static let page = RulePage(.catalog, PackageResources.VerificationRules_md)
}

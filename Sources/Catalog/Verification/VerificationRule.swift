import CloudKitModel
package import Diagnostics

/// A rule about all records of a container. It is called with each record once, in any order, and only keeps the
/// names that it needs for its findings.
protocol VerificationRule {
  /// The fields to read of each record type it looks at; an empty list asks for the names alone.
  var keys: [String: [String]] { get }

  mutating func visit(_ record: Record)

  /// Called once, after the last record.
  func findings(_ existence: RecordExistenceCheck) async throws -> [Diagnostic]
}

/// Returns the names without a record. Uses lookups, because query indexes may not have new records yet.
struct RecordExistenceCheck {
  let container: any Container

  func missing(among names: some Sequence<String>) async throws -> [String] {
    let names = names.sorted()
    let outcomes = try await container.lookupAll(names, desiredKeys: [])
    return try zip(names, outcomes).compactMap { name, outcome in
      guard let error = outcome.error else { return nil }
      guard error.code == .notFound else { throw error }
      return name
    }
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
    return "\(recordType.counted(count)) (\(examples.joined(separator: ", "))\(more))"
  }
}

extension String {
  /// `1 PublicFeed record`, `2 PublicFeed records`, for a record type.
  func counted(_ count: Int) -> String { "\(count) \(self) record\(count == 1 ? "" : "s")" }
}

enum VerificationHelp {
  static func delete(_ recordNames: [String]) -> String {
    String.shellCommand("celestra-admin records delete", recordNames)
  }

  static func delete(_ recordType: String, where field: String, is value: String) -> String {
    delete(recordType, filter: "\(field) == \"\(value)\"")
  }

  static func delete(_ recordType: String, filter: String) -> String {
    "celestra-admin records delete \(recordType) --filter \(filter.shellWord)"
  }

  static func query(_ recordType: String, where field: String, is value: String) -> String {
    "celestra-admin records query \(recordType) --filter \("\(field) == \"\(value)\"".shellWord)"
  }

  static func update(_ recordType: String, _ recordName: String) -> String {
    String.shellCommand("celestra-admin records update \(recordType)", [recordName], "--fields-file FILE")
  }

  static func clear(_ field: String, of recordType: String, _ recordName: String) -> String {
    String.shellCommand("celestra-admin records update \(recordType)", [recordName], "--set \(field)=null")
  }

  static func export(_ recordType: String) -> String { "celestra-admin records export \(recordType)" }

  static let fix = "celestra-admin container verify --fix"
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

  func finding(_ message: String, help: String? = nil) -> Diagnostic {
    Diagnostic(self, message, help: help)
  }
}

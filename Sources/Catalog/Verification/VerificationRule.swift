import CloudKitModel
import Diagnostics

/// A property of all records together. It sees each record once, in no promised order, and keeps no more than
/// the names it needs to judge at the end.
protocol VerificationRule {
  /// The fields to read of each record type it looks at; an empty list asks for the names alone.
  var keys: [String: [String]] { get }

  mutating func visit(_ record: Record)

  /// Called once, after the last record.
  func findings(_ existence: ExistenceCheck) async throws -> [Diagnostic]
}

/// Tells which names no record has, by looking them up: a query's index may not know yet what was just written.
struct ExistenceCheck {
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

/// How many records, and the first few of their names for a message.
struct Mentions {
  private(set) var count = 0
  private(set) var examples: [String] = []
  private static let limit = 3

  mutating func add(_ recordName: String) {
    count += 1
    if examples.count < Mentions.limit { examples.append(recordName) }
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

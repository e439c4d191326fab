package import CloudKitModel
package import Diagnostics
package import SchemaLanguage

extension Container {
  /// Counts the readers of records by the subscriptions that name them. Each record is given with its published count; `nil`
  /// for one that was never published.
  ///
  /// A published count may be old, masked or missing, so what endangers readers asks this instead
  /// (Documentation/reference/catalog.md#readers-at-stake).
  ///
  /// Costs one query a page of 200 subscriptions. Those of a record whose published count is at least ``ReaderCount/maxCounted``
  /// are not read. Throws the container's errors, except that it refuses the query: then the subscriptions are unknown, and
  /// where it has no such record type there are none (Documentation/reference/web-services.md#query-refusals).
  package func readers(published: [String: Int64?]) async throws -> [String: ReaderCount] {
    let recordType = PersonDigestPlaces.subscription
    var counts = published.mapValues { ReaderCount(published: $0) }
    let names = published.filter { ($0.value ?? 0) < Int64(ReaderCount.maxCounted) }.keys.sorted()
    do {
      for some in names.chunks(of: ContainerLimits.namesPerQuery) {
        try await countReaders(of: some, &counts)
      }
    } catch let refusal as ServerError {
      let obstacle: String
      switch refusal.code {
      case .accessDenied: obstacle = UnreadType(recordType, refusal).clause
      case .badRequest: obstacle = "\(recordType) records cannot be searched"
      case .notFound: return counts
      default: throw refusal
      }
      for name in names { counts[name]?.obstacle = obstacle }
    }
    return counts
  }

  /// A query that reaches the limit is split, so that one popular record does not end the count of the others.
  private func countReaders(
    of names: ArraySlice<String>, _ counts: inout [String: ReaderCount]
  ) async throws {
    let field = "feedRecordName"
    let query = Query(
      PersonDigestPlaces.subscription, filters: [Filter(FieldName(field), .in, .strings(Array(names)))])
    let (records, isComplete) = try await firstRecords(
      query, desiredKeys: [field], limit: ReaderCount.maxCounted)
    guard isComplete || names.count == 1 else {
      let middle = names.startIndex + names.count / 2
      try await countReaders(of: names[..<middle], &counts)
      return try await countReaders(of: names[middle...], &counts)
    }
    let found = Dictionary(grouping: records) { $0[field]?.string ?? "" }
    for name in names {
      counts[name]?.subscriptions = found[name]?.count ?? 0
      counts[name]?.isAtLeast = !isComplete
    }
  }
}

/// How many readers a record has: the larger of its subscriptions and its published count.
package struct ReaderCount: Sendable, Hashable {
  /// Reading the subscriptions of one record stops at this number.
  package static let maxCounted = 2_000

  /// `nil` when they were not read.
  package var subscriptions: Int?
  /// There may be more subscriptions.
  package var isAtLeast = false
  /// What the last recount published; `nil` for a record that was never counted.
  package var published: Int64?
  /// Why the subscriptions are not known, as a clause.
  package var obstacle: String?

  package init(subscriptions: Int? = nil, published: Int64? = nil) {
    self.subscriptions = subscriptions
    self.published = published.map { max(0, $0) }
  }

  package var number: Int64 { max(Int64(subscriptions ?? 0), published ?? 0) }

  /// Whether the record may have readers. A published 0 may be masked, and proves nothing without subscriptions.
  package var mayHaveReaders: Bool { number > 0 || obstacle != nil }

  /// `5 readers (5 subscriptions, never counted)`, `2,000+ readers (2,000+ subscriptions, 7 counted 2026-11-20)`.
  ///
  /// - Parameter date: the day of the published counts, if it is known.
  package func text(countedAt date: String?) -> String {
    var sources: [String] = []
    if let subscriptions {
      sources.append(
        isAtLeast
          ? "2,000+ subscriptions" : subscriptions == 1 ? "1 subscription" : "\(subscriptions) subscriptions")
    } else if let obstacle {
      sources.append(obstacle)
    }
    if let published {
      let time = date.map { "counted \($0)" } ?? "counted at an unknown time"
      let isSame = published == number && (subscriptions == nil || Int64(subscriptions ?? 0) == published)
      sources.append(isSame && obstacle == nil ? time : "\(published) \(time)")
    } else {
      sources.append("never counted")
    }
    return "\(words) (\(sources.joined(separator: ", ")))"
  }

  /// `5 readers`, `2,000+ readers`, `an unknown number of readers`.
  package var words: String {
    if isAtLeast, number <= Int64(Self.maxCounted) { return "2,000+ readers" }
    if number == 0, obstacle != nil { return "an unknown number of readers" }
    return number == 1 ? "1 reader" : "\(number)\(isAtLeast ? "+" : "") readers"
  }

  /// The same, and why the subscriptions are not known.
  package var wordsWithReason: String { obstacle.map { "\(words) (\($0))" } ?? words }

  /// Absent numbers are unknown.
  package var json: JSONObject {
    [
      "readers": number.json, "atLeast": isAtLeast.json, "subscriptions": subscriptions?.json,
      "published": published?.json, "reason": obstacle?.json,
    ]
  }
}

extension [String: ReaderCount] {
  /// For the JSON of a plan, in the order of the record names.
  package var json: JSONValue {
    .array(
      sorted { $0.key < $1.key }.map { name, count in
        .object(JSONObject([("recordName", .string(name))] + count.json.members))
      })
  }
}

/// The named risks of changes, and the readers whom they affect.
package struct ChangeRisks: Sendable, Hashable {
  /// As `--accept-risk` takes them.
  package var names: Set<String>
  /// Those that the command accepts.
  package var accepted: [String] = []
  /// The readers of the records that are deleted or that lead to another publisher, by record name.
  package let readers: [String: ReaderCount]

  package init(
    names: Set<String> = [], accepted: [String] = [], readers: [String: ReaderCount] = [:]
  ) {
    self.names = names
    self.accepted = accepted
    self.readers = readers
  }

  /// The records at stake: the readers who lose one, or who will read another address.
  ///
  /// - Parameter slugs: the known names of records, by record name.
  package func affected(by changes: [RecordChange], slugs: [String: String] = [:]) -> ReportBody {
    let affected = changes.filter { readers[$0.recordName]?.mayHaveReaders == true }
    let names = affected.shownNames(slugs: slugs, typed: false)
    return ReportBody.first(ReportBody.maxChanges, of: Array(zip(affected, names))) { change, name in
      let count = readers[change.recordName, default: ReaderCount()].wordsWithReason
      if change.action == .delete {
        ListItem(.note, "\(name) loses \(count)")
      } else {
        ListItem(.note, "\(name): \(count) will read another address")
      }
    }
  }

  /// What the plan says about the options that applying it needs; empty without risks.
  package var options: [ListItem] { RiskOptions(names, accepted: accepted).items }

  /// `risks`, and the `readers` of the records at stake, for the JSON of a plan; `nil` without risks.
  package var json: (risks: JSONValue?, readers: JSONValue?) {
    (
      names.isEmpty ? nil : .array(names.sorted().map(JSONValue.string)),
      names.isEmpty || readers.isEmpty ? nil : readers.json
    )
  }
}

/// What deletions lose, and whether that is the named risk `data-loss`. Every command that deletes asks here
/// (Documentation/reference/catalog.md#deletions).
package struct DeletionLoss: Sendable, Hashable {
  package static let risk = "data-loss"

  /// Who chose the records that are deleted.
  package enum Choice: Sendable, Hashable {
    /// The caller, by their names or by a filter.
    case caller
    /// The command, which looked for them: records that no seed mentions, or that refer to nothing.
    case command
    /// A run that is undone: it created them.
    case undo
  }

  /// `nil` when nothing is deleted.
  private let choice: Choice?
  private let isRestorable: Bool

  package static let none = DeletionLoss(choice: nil, isRestorable: true)

  /// The history keeps nothing of what is deleted: a whole container, or what a job deletes.
  package static let permanent = DeletionLoss(choice: .command, isRestorable: false)

  /// The history keeps what is deleted, so that `undo` restores it.
  package static func restorable(chosenBy choice: Choice) -> DeletionLoss {
    DeletionLoss(choice: choice, isRestorable: true)
  }
}

extension DeletionLoss {
  /// What the deletions among the changes lose, by what the history of a job keeps.
  ///
  /// - Parameter schema: the container's; `nil` when it is not known. Then users may have created any record.
  package init(_ changes: [RecordChange], by job: WritingJob, schema: Schema?, chosenBy choice: Choice) {
    let deletions = changes.filter { $0.action == .delete }
    self.init(
      choice: deletions.isEmpty ? nil : choice,
      isRestorable: job.kind == .person && job.typesOfUsers(schema).irreversible(deletions).isEmpty)
  }

  package var isDeletion: Bool { choice != nil }

  /// What accepting the risk means, in words that follow its name.
  package var consequence: String {
    isDeletion && isRestorable
      ? "records are deleted; 'undo' restores them" : "nothing restores what is deleted"
  }

  /// The risk, where it must be accepted: everywhere for what cannot be restored and for what a command chose, and in
  /// production for what the caller chose.
  package func risks(in environment: Environment) -> Set<String> {
    switch choice {
    case nil: []
    case .undo?: isRestorable ? [] : [Self.risk]
    case .caller?: isRestorable && environment == .development ? [] : [Self.risk]
    case .command?: [Self.risk]
    }
  }
}

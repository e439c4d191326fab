package import CloudKitModel

/// One run as the history stores it: what it intended to write, and what became of each record.
package struct RunRecord: Sendable {
  /// Who started the run, which decides whether it can be undone.
  package enum Kind: String, Sendable, Hashable {
    /// A person ran the command. The run can be undone.
    case person
    /// A health check or a recount, which is run again instead of being undone. Only its counts are stored.
    case job
  }

  /// A change that the run intended.
  package struct Entry: Sendable, Hashable {
    package enum Outcome: String, Sendable, Hashable {
      case notSent = "not sent"
      /// Sent, and the run ended before the outcome was known. The record's current values decide.
      case unknown
      case written
      /// The record had the values already, so this run wrote nothing.
      case found = "already there"
      /// The container refused it, or another client's values stand against it.
      case refused

      var isDone: Bool { self == .written || self == .found }
      var mayStand: Bool { self == .written || self == .unknown }
    }

    /// Without fields while the change was not sent.
    package var change: RecordChange
    /// Every field of a record before it was deleted.
    package var before: [String: FieldValue]?
    package var outcome = Outcome.notSent
    /// The record's change tag after the write; `nil` when the reply did not say.
    package var tagAfter: String?
  }

  /// How many records a run wrote.
  package struct Counts: Sendable, Hashable {
    package var created = 0
    package var updated = 0
    package var deleted = 0

    package init() {}

    package var total: Int { created + updated + deleted }

    fileprivate func adding(_ entries: [Entry], with outcome: Entry.Outcome) -> Counts {
      entries.filter { $0.outcome == outcome }.reduce(into: self) { $0.add($1.change.action) }
    }

    mutating func add(_ action: RecordChange.Action, _ count: Int = 1) {
      switch action {
      case .create: created += count
      case .update: updated += count
      case .delete: deleted += count
      }
    }
  }

  package var id: String
  package var command: String
  package var kind: Kind
  package var target: ContainerIdentity
  /// When the run had its lease and began to work, which is before it asked a person.
  package var started: Timestamp
  /// When it began to write, if that was after its start: only then it got its place among the runs.
  var firstWrite: Timestamp?
  /// `nil` for a run that was cut off, or that is still running.
  package var ended: Timestamp?
  /// Its process still holds its lock on this machine.
  package var isRunning = false
  /// The run that this one undid.
  package var undoes: UndoGoal?
  /// In the order in which they were intended. For a change that was sent again, the last attempt.
  package var entries: [Entry] = []
  /// The number of written records of types that users may create. They have no entries.
  package var withheld = Counts()
  /// The number of records of such types of which it is not known whether they were written.
  var withheldUnknown = Counts()
  /// The schema before the run; `nil` unless the run changed the schema or may have.
  package var schema: String?
  /// The counts of a job or of a change of the schema, which have no entries.
  var jobCounts: Counts?
  /// False while the run may have intended more changes than its entries: it was cut off while it read its input.
  var knowsGoal = false

  /// Whether ``counts`` has everything that the run wrote. A job notes its counts when it ends, so one that was cut off
  /// has none, and of the records that a schema takes with it a service gives no number.
  var knowsCounts: Bool { kind == .person && schema == nil || jobCounts != nil }

  /// How many records the run wrote, as far as known.
  package var counts: Counts { jobCounts ?? withheld.adding(entries, with: .written) }

  /// How many more records the run may have written: it was cut off before it knew.
  package var unknownCounts: Counts { withheldUnknown.adding(entries, with: .unknown) }

  /// The time by which runs are listed.
  package var beganToWrite: Timestamp { firstWrite ?? started }

  /// True if every record has what the run intended.
  package var isFinished: Bool {
    knowsGoal && withheldUnknown.total == 0 && entries.allSatisfy(\.outcome.isDone)
  }
}

/// What an undo takes back.
package struct UndoGoal: Sendable, Hashable {
  /// The id of the run that is undone.
  package var runID: String
  /// The fields that were found as they were before that run, were computed again since, or had files, which the history
  /// does not keep, by record name, so that they are not written; an empty set is the whole record.
  package var foundUndone: [String: Set<String>] = [:]
}

/// Generates ids of runs from the time and a random number.
package enum RunID {
  /// `20260102T030405-9f3a1c`: sorted by time, and easy to select in a terminal.
  ///
  /// - Parameter random: drawn evenly.
  package static func make(at moment: Timestamp, random: UInt32) -> String {
    let digits = moment.iso8601.prefix(19).filter { $0 != "-" && $0 != ":" }
    let suffix = String(random & 0xFF_FFFF, radix: 16)
    return "\(digits)-\(String(repeating: "0", count: 6 - suffix.count))\(suffix)"
  }

  /// When the id was made; `nil` for the id of another program.
  static func moment(of id: String) -> Timestamp? {
    guard let parts = id.wholeMatch(of: /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)-.*/)?.output else {
      return nil
    }
    return Timestamp(text: "\(parts.1)-\(parts.2)-\(parts.3)T\(parts.4):\(parts.5):\(parts.6)Z")
  }
}

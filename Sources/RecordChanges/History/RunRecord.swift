public import CloudKitModel

/// One run as the history stores it.
public struct RunRecord: Sendable {
  /// Who started the run, which decides whether it can be undone.
  public enum Kind: String, Sendable, Hashable {
    /// A person ran the command. The run can be undone.
    case person
    /// A health check or a recount, which is run again instead of being undone. Only its counts are stored.
    case job
  }

  /// A change that the run sent.
  public struct Entry: Sendable, Hashable {
    /// The outcome of one change of a run.
    public enum Outcome: Sendable, Hashable {
      case written
      /// Refused, or the record had the values already.
      case notWritten
      /// The run ended before the outcome was known. The record's current values decide.
      case unknown
    }

    public var change: RecordChange
    /// Every field of a record before it was deleted.
    public var before: [String: FieldValue]?
    public var outcome = Outcome.unknown
    /// The record's change tag after the write; `nil` when the reply did not say.
    public var tagAfter: String?
  }

  /// How many records a run wrote.
  public struct Counts: Sendable, Hashable {
    public var created = 0
    public var updated = 0
    public var deleted = 0

    public init() {}

    public var total: Int { created + updated + deleted }

    mutating func add(_ action: RecordChange.Action, _ count: Int = 1) {
      switch action {
      case .create: created += count
      case .update: updated += count
      case .delete: deleted += count
      }
    }
  }

  public var id: String
  public var command: String
  public var kind: Kind
  public var target: ContainerIdentity
  public var started: Timestamp
  /// `nil` for a run that was cut off.
  public var ended: Timestamp?
  /// The run that this one undid.
  public var undoes: String?
  /// In the order in which they were sent. For a change that was sent again, the last attempt.
  public var entries: [Entry] = []
  /// The number of written records of types that users may create. They have no entries.
  public var withheld = Counts()
  /// The schema before the run; `nil` unless the run changed the schema.
  public var schema: String?
  /// The counts of a job, which has no entries.
  var jobCounts: Counts?

  /// How many records the run wrote, as far as known.
  public var counts: Counts {
    if let jobCounts { return jobCounts }
    var counts = withheld
    for entry in entries where entry.outcome == .written { counts.add(entry.change.action) }
    return counts
  }
}

extension RunRecord {
  /// A run that begins.
  public init(_ command: String, id: String, kind: Kind, target: ContainerIdentity, started: Timestamp) {
    self.init(id: id, command: command, kind: kind, target: target, started: started)
  }
}

extension RunRecord {
  /// Whether a run can be undone, without a look at the container.
  public enum Reversibility: Sendable, Hashable {
    case yes
    case partly(String)
    case no(String)

    public var word: String {
      switch self {
      case .yes: "yes"
      case .partly: "partly"
      case .no: "no"
      }
    }

    public var reason: String? {
      switch self {
      case .yes: nil
      case .partly(let reason), .no(let reason): reason
      }
    }
  }

  /// - Parameter undone: the ids of runs that were undone.
  public func reversibility(undone: Set<String>) -> Reversibility {
    if kind == .job { return .no("a job is run again, not undone") }
    if schema != nil { return .no("schemas are not undone; 'history \(id) --schema' prints the one before") }
    if undone.contains(id) { return .no("it is already undone") }
    let open = entries.filter { $0.outcome != .notWritten }
    let withheld = withheld.total
    if open.isEmpty {
      return .no(withheld > 0 ? Self.userMade(withheld) : "it wrote nothing")
    }
    return withheld > 0 ? .partly(Self.userMade(withheld)) : .yes
  }

  private static func userMade(_ count: Int) -> String {
    "\(count == 1 ? "1 record is" : "\(count) records are") of types that users may create; their values are not kept"
  }
}

/// Generates ids of runs from the time and a random number.
public enum RunID {
  /// `20260102T030405-9f3a1c`: sorted by time, and easy to select in a terminal.
  ///
  /// - Parameter random: drawn evenly.
  public static func make(at moment: Timestamp, random: UInt32) -> String {
    let digits = moment.iso8601.prefix(19).filter { $0 != "-" && $0 != ":" }
    let suffix = String(random & 0xFF_FFFF, radix: 16)
    return "\(digits)-\(String(repeating: "0", count: 6 - suffix.count))\(suffix)"
  }
}

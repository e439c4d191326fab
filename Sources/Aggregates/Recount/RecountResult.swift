public import CloudKitModel
public import Diagnostics
public import RecordChanges

/// The numbers of one recount, with the keys of the JSON result.
public struct RecountResult: Sendable, Hashable {
  public var aggregate: String
  /// Sources that were counted.
  public var sources: Int64 = 0
  /// Target records, copies included.
  public var targets: Int64 = 0
  /// Targets whose value differs from the count.
  public var changed: Int64 = 0
  public var written: Int64 = 0
  public var conflicts: Int64 = 0
  /// Sources whose target does not exist. The strategy `by-target` does not read them and reports 0.
  public var orphans: Int64 = 0
  /// Sources that were not counted because of their record name.
  public var invalidNames: Int64 = 0
  /// The classes of the counted sources' names; `nil` when they were not checked.
  public var names: NameTally?
  /// The targets with the most made-up names.
  var madeUpTargets: [MadeUpTarget] = []
  /// All sources were read and all changes are in the container.
  public var complete = false
  public var strategy: ScanStrategy
  public var requests = RequestCounts()
  public var elapsedSeconds = 0.0
  /// When reading began, less ``settle``: sources added later may be missing from the counts, and sources deleted later
  /// may be counted.
  public var asOf: Timestamp?
  /// How long the container's index may lag behind its records.
  public var settle = Duration.zero

  public init(aggregate: String, strategy: ScanStrategy) {
    self.aggregate = aggregate
    self.strategy = strategy
  }

  /// The fewest requests that any client needs: full pages of sources plus full batches of changes
  /// (Documentation/reference/web-services.md#limits).
  public var lowerBoundRequests: Int64 { Self.pages(sources) + Self.pages(changed) }

  private static func pages(_ records: Int64) -> Int64 { (records + 199) / 200 }

  public var json: JSONValue {
    var json: JSONObject = [
      "aggregate": .string(aggregate), "sources": .integer(sources), "targets": .integer(targets),
      "changed": .integer(changed), "written": .integer(written), "conflicts": .integer(conflicts),
      "orphans": .integer(orphans), "invalidNames": .integer(invalidNames), "complete": .bool(complete),
      "strategy": .string(strategy.rawValue),
      "requests": [
        "query": JSONValue(requests.query), "lookup": JSONValue(requests.lookup),
        "modify": JSONValue(requests.modify),
      ],
      "lowerBoundRequests": .integer(lowerBoundRequests),
      "elapsedSeconds": .double((elapsedSeconds * 1000).rounded() / 1000),
    ]
    if let names {
      json["verified"] = .integer(names.verified)
      json["own"] = .integer(names.own)
      json["madeUp"] = .integer(names.madeUp)
      if names.unknown > 0 { json["withoutCreator"] = .integer(names.unknown) }
      if !madeUpTargets.isEmpty { json["madeUpTargets"] = .array(madeUpTargets.map(\.json)) }
    }
    json["asOf"] = asOf.map { .string($0.iso8601) }
    json["settleSeconds"] = asOf.map { _ in .integer(settle.components.seconds) }
    return .object(json)
  }
}

/// The outcome of a recount.
public struct RecountOutcome: Sendable {
  /// How the recount ended.
  public enum Phase: Sendable, Hashable {
    /// Nothing is left to do.
    case done
    /// A dry run: the changes were not written.
    case planned
    /// The drop guard stopped it before anything was written.
    case stopped([SuddenDropCheck.Drop], maxDrop: Double)
    /// The same, and the reason is that made-up names were left out: the risk `count-drop` was not accepted.
    case risky([SuddenDropCheck.Drop], maxDrop: Double)
    /// Fewer than half of the names verify, so none was left out and nothing was written.
    case unverified(NameTally)
    /// Some sources were not read. Only values that are complete were written.
    case unread(groups: Int)
    /// All sources were read, but some changes are not in the container.
    case unwritten
  }

  /// How many changes a dry run shows at most.
  public static let maxPreviewed = 20

  public var phase: Phase
  public var result: RecountResult
  /// The first of the changes that a dry run would have written, at most ``maxPreviewed``.
  public var preview: [RecordChange] = []
  /// The changes whose numbers moved furthest, with the titles of their records as labels.
  public var movers: [RecordChange] = []
  /// How the sources were read; `nil` for quality scores.
  public var plan: ScanPlan?
  /// The result of each change; `nil` when none was sent.
  public var report: ChangeReport?
  /// The orphans that were deleted, or would be in a dry run; `nil` when not requested or not possible.
  public var pruning: OrphanDeletion?
  /// The error that ended the reading early.
  public var interruption: (any Error)?
  /// Notes to the user, one sentence each.
  public var remarks: [String] = []
  /// The parts of every quality score; `nil` unless asked for.
  public var explanations: [ScoreExplanation]?
}

/// The error of a recount that did not start, or ended without writing.
public enum RecountError: Error, Sendable, CommandFailureConvertible {
  /// The declaration does not fit the schema.
  case invalidDeclaration([Diagnostic])
  /// The checkpoint belongs to another aggregate, container or shard.
  case otherCheckpoint
  /// The requested strategy cannot compute this aggregate in this container.
  case strategyUnavailable(String)
  /// The aggregate's declaration does not say that names are digests of their creator.
  case namesNotDeclared(String)

  public var failure: CommandFailure {
    switch self {
    case .invalidDeclaration(let findings):
      CommandFailure(
        "the aggregate does not fit the container's schema; nothing was read", code: "bad-aggregates",
        diagnostics: findings)
    case .otherCheckpoint:
      CommandFailure(
        "the checkpoint was written for another aggregate, container or shard", code: "checkpoint-mismatch",
        hint: "Name another file, or delete this one, to count from the start.")
    case .strategyUnavailable(let reason):
      CommandFailure(
        reason, code: "strategy-unavailable", hint: "Let the tool choose: --strategy auto.", status: .usage)
    case .namesNotDeclared(let name):
      CommandFailure(
        "the names of the records that '\(name)' counts cannot be checked", code: "names-not-declared",
        hint:
          "If each name is the SHA-256 of GROUP-CREATOR, write \"recordNames\": \"sha256-of-creator\" in aggregates.json.",
        status: .usage)
    }
  }
}

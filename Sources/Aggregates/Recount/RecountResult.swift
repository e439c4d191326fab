package import CloudKitModel
package import Diagnostics
internal import Platform
package import RecordChanges

/// The numbers of one recount, with the keys of the JSON result.
package struct RecountResult: Sendable, Hashable {
  package var aggregate: String
  package var sources: Int64 = 0
  /// Target records, copies included.
  package var targets: Int64 = 0
  /// Targets whose value differs from the count.
  package var changed: Int64 = 0
  package var written: Int64 = 0
  package var conflicts: Int64 = 0
  /// Sources that name a target that does not exist; `nil` if the strategy does not read them.
  package var orphans: Int64?
  /// Sources that were not counted because of their record name.
  package var invalidNames: Int64 = 0
  /// The classes of the counted sources' names; `nil` when they were not checked.
  package var names: NameTally?
  var madeUpTargets: [MadeUpTarget] = []
  /// Sources that were not counted because their names are made up.
  var excluded: Int64 = 0
  /// All sources were read and all changes are in the container.
  package var complete = false
  package var strategy: ScanStrategy
  package var requests = RequestCounts()
  package var elapsedSeconds = 0.0
  /// When reading began, less ``settle``: sources added later may be missing from the counts, and sources deleted later
  /// may be counted.
  package var asOf: Timestamp?
  /// How long the container's index may lag behind its records.
  package var settle = Duration.zero

  /// The fewest requests that any client needs: full pages of sources plus full batches of changes
  /// (Documentation/reference/web-services.md#limits).
  package var lowerBoundRequests: Int64 {
    ScanCostAssumptions.pages(read) + ScanCostAssumptions.pages(changed)
  }

  /// Sources that were read, counted or not.
  var read: Int64 { sources + invalidNames + excluded }

  package var json: JSONValue {
    .object([
      "aggregate": aggregate.json, "sources": sources.json, "targets": targets.json, "changed": changed.json,
      "written": written.json, "conflicts": conflicts.json,
      "orphans": JSONValue(orNull: orphans), "invalidNames": invalidNames.json,
      "complete": complete.json, "strategy": strategy.rawValue.json,
      "requests": [
        "query": requests.query.json, "lookup": requests.lookup.json, "modify": requests.modify.json,
      ],
      "lowerBoundRequests": lowerBoundRequests.json,
      "elapsedSeconds": .double((elapsedSeconds * 1000).rounded() / 1000), "verified": names?.verified.json,
      "own": names?.own.json, "madeUp": JSONValue(orNull: names?.madeUp),
      "withoutCreator": names.flatMap { $0.unknown > 0 ? .integer($0.unknown) : nil },
      "madeUpTargets": names == nil || madeUpTargets.isEmpty ? nil : .array(madeUpTargets.map(\.json)),
      "asOf": JSONValue(orNull: asOf?.iso8601),
      "settleSeconds": asOf.map { _ in .integer(settle.components.seconds) },
    ])
  }
}

struct MadeUpTarget: Sendable, Hashable {
  var recordName: String
  /// Sources of the target, made-up ones included.
  var sources: Int64
  var madeUp: Int64

  /// Targets with fewer sources are left out: what is said about them would be about single people.
  static let minSources: Int64 = 5
  static let maxShown = 20

  /// The targets with the most made-up names, of those with at least ``minSources`` sources.
  static func largest(in scan: ScanCheckpoint, excluded: Bool) -> [MadeUpTarget] {
    let all = scan.tally.madeUp.map { group, madeUp in
      let counted = if case .integer(let number)? = scan.tally.measures[group] { number } else { Int64(0) }
      return MadeUpTarget(
        recordName: scan.groups[group], sources: excluded ? counted.addingClamped(madeUp) : counted,
        madeUp: madeUp)
    }
    return Array(
      all.filter { $0.sources >= minSources }
        .sorted { ($1.madeUp, $0.recordName) < ($0.madeUp, $1.recordName) }.prefix(maxShown))
  }

  var json: JSONValue {
    [
      "recordName": recordName.json, "sources": sources.json, "madeUp": madeUp.json,
    ]
  }
}

package struct RecountOutcome: Sendable {
  package enum Phase: Sendable, Hashable {
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
    case unread(numbers: Int)
    /// All sources were read, but some changes are not in the container.
    case unwritten
  }

  package static let maxPreviewed = 20

  var options = RecountOptions()
  /// What was counted; `nil` for quality scores.
  var declaration: AggregateDeclaration?
  package var phase: Phase
  package var result: RecountResult
  /// The first of the changes that a dry run would have written, at most ``maxPreviewed``.
  package var preview: [RecordChange] = []
  /// The titles of the first records with made-up names, and of the first drops that stopped the run, by record name.
  var titles: [String: String] = [:]
  /// The changes whose numbers moved furthest, with the titles of their records as labels.
  package var movers: [RecordChange] = []
  /// How the sources were read; `nil` for quality scores.
  package var plan: ScanPlan?
  /// The result of each change; `nil` when none was sent.
  package var report: ChangeReport?
  /// The names of the records whose fields cannot hold their numbers, which were not written.
  var outOfRange: [String] = []
  /// The orphans that were deleted, or would be in a dry run; `nil` when not requested or not possible.
  package var pruning: OrphanDeletion?
  package var interruption: (any Error)?
  package var remarks: [String] = []
  /// The parts of every quality score; `nil` unless asked for.
  package var explanations: [ScoreExplanation]?
}

package struct OrphanDeletion: Sendable {
  package var changes: [RecordChange]
  /// Outputs show only the number of records whose names are digests, such as subscriptions: they identify a user.
  var hidesNames: Bool
  var isPlan: Bool
  var acceptsLoss: Bool
  /// A role that may write the counts; `nil` if the schema has none.
  var role: String?
  /// The result of the deletions; `nil` in a dry run, and when not every number could be written before them.
  package var report: ChangeReport?
}

/// The failures of a recount that did not start, or ended without writing.
extension CommandFailure {
  static func invalidDeclaration(_ findings: [Diagnostic]) -> CommandFailure {
    CommandFailure(
      "the aggregate does not fit the container's schema; nothing was read", code: "bad-aggregates",
      diagnostics: findings)
  }

  /// The checkpoint at this path belongs to another aggregate, container or shard.
  static func otherCheckpoint(_ path: String) -> CommandFailure {
    CommandFailure(
      "the checkpoint \(path) was written for another aggregate, container or shard",
      code: "checkpoint-mismatch", hint: ScanCheckpointFile.otherFile(path))
  }

  static func strategyUnavailable(_ reason: String) -> CommandFailure {
    CommandFailure(
      reason, code: "strategy-unavailable", hint: "Let the tool choose: --strategy auto.", status: .usage)
  }
}

public import CloudKitModel
public import Diagnostics
public import RecordChanges

/// The figures of one recount, with the keys of the command's JSON.
public struct RecountResult: Sendable, Hashable {
  public var aggregate: String
  /// Source records that count.
  public var sources: Int64 = 0
  /// Target records, copies included.
  public var targets: Int64 = 0
  /// Targets whose value is not what it should be.
  public var changed: Int64 = 0
  public var written: Int64 = 0
  public var conflicts: Int64 = 0
  /// Sources whose target does not exist. The strategy `names` does not read them and reports 0.
  public var orphans: Int64 = 0
  /// Sources left out because of their record name.
  public var invalidNames: Int64 = 0
  /// Every source was read and every change is in the container.
  public var complete = false
  public var strategy: ScanStrategy
  public var requests = RequestCounts()
  public var elapsedSeconds = 0.0

  public init(aggregate: String, strategy: ScanStrategy) {
    self.aggregate = aggregate
    self.strategy = strategy
  }

  /// Full pages that hold the sources, plus full batches that hold the changes: what no client of the web
  /// service can do without (web-services.md section 4.1).
  public var lowerBoundRequests: Int64 { Self.pages(sources) + Self.pages(changed) }

  private static func pages(_ records: Int64) -> Int64 { (records + 199) / 200 }

  public var json: JSONValue {
    [
      "aggregate": .string(aggregate), "sources": .integer(sources), "targets": .integer(targets),
      "changed": .integer(changed), "written": .integer(written), "conflicts": .integer(conflicts),
      "orphans": .integer(orphans), "invalidNames": .integer(invalidNames), "complete": .bool(complete),
      "strategy": .string(strategy.rawValue),
      "requests": [
        "query": .integer(Int64(requests.query)), "lookup": .integer(Int64(requests.lookup)),
        "modify": .integer(Int64(requests.modify)),
      ],
      "lowerBoundRequests": .integer(lowerBoundRequests),
      "elapsedSeconds": .double((elapsedSeconds * 1000).rounded() / 1000),
    ]
  }
}

/// Everything a recount has to say.
public struct RecountOutcome: Sendable {
  public enum Status: Sendable, Hashable {
    /// Nothing is left to do.
    case done
    /// A dry run: the changes were not written.
    case planned
    /// The guard stopped it before anything was written.
    case stopped([DropGuard.Fall])
    /// Some sources were not read; what could be proven was written.
    case unread(groups: Int)
    /// Everything was read, and some changes are not in the container.
    case unwritten
  }

  /// How many changes a dry run shows.
  public static let mostPreviewed = 20

  public var status: Status
  public var result: RecountResult
  /// The first of the changes that a dry run would have written, at most ``mostPreviewed``.
  public var preview: [RecordChange] = []
  /// How the sources were read; `nil` where there is nothing to choose.
  public var plan: ScanPlan?
  /// What became of each change; `nil` when none was sent.
  public var report: ChangeReport?
  /// What was removed, or would be in a dry run; `nil` when that was not asked for or not possible.
  public var pruning: OrphanPruning?
  /// What ended the reading early, if anything did.
  public var failure: (any Error)?
  /// What a person should know beside the figures, one sentence each.
  public var notes: [String] = []
}

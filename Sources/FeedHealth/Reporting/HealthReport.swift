public import RecordChanges

/// What a whole run came to: text, JSON and exit code are made from it alone.
public struct HealthReport: Sendable {
  /// In the order they were concluded.
  public internal(set) var feeds: [FeedResult] = []
  public internal(set) var skipped: [SkippedFeed] = []
  /// So many hosts failed to connect that our own network must be at fault: the statuses are those from before
  /// and nothing about these feeds was written.
  public internal(set) var localOutage = false
  public internal(set) var writes = WriteSummary()
  /// What a dry run would have written; `nil` for a run that writes.
  public internal(set) var plan: HealthPlan?

  public var checked: Int { feeds.count }
  public var notModified: Int { feeds.count { $0.notModified } }

  public func count(of status: HealthStatus) -> Int { feeds.count { $0.status == status } }

  /// Whether any feed checked is as bad as `status` or worse: what `--fail-on` asks.
  public func hasFeeds(atLeast status: HealthStatus) -> Bool {
    feeds.contains { $0.status.severity >= status.severity && $0.status.severity > 0 }
  }

  /// How the writes of a run went; the records that were not written are all kept, the others only counted.
  public struct WriteSummary: Sendable {
    public internal(set) var applied = 0
    public internal(set) var alreadyApplied = 0
    public internal(set) var remaining: [(change: RecordChange, outcome: ChangeReport.Outcome)] = []
    public internal(set) var interruption: (any Error)?

    public var isComplete: Bool { remaining.isEmpty && interruption == nil }

    mutating func add(_ report: ChangeReport) {
      applied += report.applied
      alreadyApplied += report.alreadyApplied
      remaining += report.remaining
      interruption = interruption ?? report.interruption
    }
  }
}

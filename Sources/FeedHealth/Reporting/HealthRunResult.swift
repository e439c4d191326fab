internal import CloudKitModel
internal import Diagnostics
public import RecordChanges

/// The result of a whole run. Text, JSON and exit code are made from it alone.
public struct HealthRunResult: Sendable {
  /// In the order the checks finished.
  public internal(set) var feeds: [FeedResult] = []
  public internal(set) var skipped: [SkippedFeed] = []
  /// Whether so large a part of the hosts was unreachable that the local network is probably the cause. The
  /// statuses are then the previous ones, and nothing was written about these feeds.
  public internal(set) var localOutage = false
  /// True when the run was ended before all due feeds were judged. What was judged is recorded.
  public internal(set) var isInterrupted = false
  /// The run was for all feeds of the container, and not for a category or single feeds.
  public internal(set) var isOfAll = false
  public internal(set) var writes = WriteSummary()
  /// What a dry run would have written; `nil` for a run that writes.
  public internal(set) var plan: HealthUpdatePlan?

  public var checked: Int { feeds.count }
  public var notModified: Int { feeds.count { $0.notModified } }

  public func count(of status: HealthStatus) -> Int { feeds.count { $0.status == status } }

  /// Whether any feed checked is as bad as `status` or worse: what `--fail-on` asks.
  public func hasFeeds(atLeast status: HealthStatus) -> Bool {
    feeds.contains { $0.status.severity >= status.severity && $0.status.severity > 0 }
  }
}

extension HealthRunResult {
  /// What to store about this run in the lease record; `nil` if it was not for all feeds, did not check every due
  /// feed, or recorded nothing.
  func lastRun(at moment: Timestamp) -> LastJobRun? {
    guard isOfAll, !localOutage, !isInterrupted, writes.isComplete,
      !skipped.contains(where: { $0.reason == .budget })
    else { return nil }
    let result: JSONValue = [
      "checked": JSONValue(checked), "healthy": JSONValue(count(of: .healthy)),
      "degraded": JSONValue(count(of: .degraded)), "down": JSONValue(count(of: .down)),
      "skipped": JSONValue(skipped.count), "complete": true,
    ]
    return LastJobRun(finishedAt: moment, result: result.text())
  }
}

/// The plan of a dry run: the changes that the health check would write.
public struct HealthUpdatePlan: Sendable {
  /// A tenth of the size of the changes, which are made on demand.
  private var updates: [FeedStateUpdate] = []

  mutating func add(_ update: FeedStateUpdate) { updates.append(update) }

  /// The changes in the order in which they would be written.
  public var changes: [RecordChange] { updates.flatMap(\.changes) }

  /// The counts of changes, as a sentence.
  public static func summary(of changes: [RecordChange]) -> String {
    let created = changes.count { $0.action == .create }
    return "Dry run: \(created) to create, \(changes.count - created) to update; nothing was written."
  }
}

internal import CloudKitModel
internal import Diagnostics
internal import RecordChanges

extension HealthRunResult {
  /// What to store about this run in the lease record; `nil` if it was not for all feeds, did not check every due
  /// feed, or recorded nothing.
  func memory(at moment: Timestamp) -> LastJobRun? {
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

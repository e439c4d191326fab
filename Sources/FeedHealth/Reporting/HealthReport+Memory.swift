internal import CloudKitModel
internal import Diagnostics
internal import RecordChanges

extension HealthReport {
  /// What the next command may know of this run; `nil` when it was not for all feeds, did not get to every due feed, or
  /// did not record what it found.
  func memory(at moment: Timestamp) -> JobMemory? {
    guard isOfAll, !localOutage, !isInterrupted, writes.isComplete,
      !skipped.contains(where: { $0.reason == .budget })
    else { return nil }
    let result: JSONValue = [
      "checked": JSONValue(checked), "healthy": JSONValue(count(of: .healthy)),
      "degraded": JSONValue(count(of: .degraded)), "down": JSONValue(count(of: .down)),
      "skipped": JSONValue(skipped.count), "complete": true,
    ]
    return JobMemory(finishedAt: moment, result: result.text())
  }
}

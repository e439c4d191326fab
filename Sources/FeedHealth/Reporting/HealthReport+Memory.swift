internal import CloudKitModel
internal import Diagnostics
internal import RecordChanges

extension HealthReport {
  /// What the next command may know of this run; `nil` when it did not get to every due feed, or did not record what it
  /// found.
  func memory(at moment: Timestamp) -> JobMemory? {
    guard !localOutage, !isInterrupted, writes.isComplete, !skipped.contains(where: { $0.reason == .budget })
    else { return nil }
    let result: JSONValue = [
      "checked": .integer(Int64(checked)), "healthy": .integer(Int64(count(of: .healthy))),
      "degraded": .integer(Int64(count(of: .degraded))), "down": .integer(Int64(count(of: .down))),
      "skipped": .integer(Int64(skipped.count)), "complete": true,
    ]
    return JobMemory(finishedAt: moment, result: result.text())
  }
}

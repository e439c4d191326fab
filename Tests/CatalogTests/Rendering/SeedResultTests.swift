import Catalog
import CloudKitModel
import Diagnostics
import RecordChanges
import Testing

@Suite("The plan as a result")
struct SeedResultTests {
  @Test("after applying, the counts say what was done and each change what became of it")
  func applied() async throws {
    let plan = try await MemoryContainer().plan(.sample)
    let outcomes: [ChangeReport.Outcome] = [
      .applied, .unknown, .applied, .conflict("another client changed title"),
      .failed(ServerError(.accessDenied, "no")), .notAttempted,
    ]
    let report = ChangeReport(results: Array(zip(plan.changes, outcomes)).map { (change: $0, outcome: $1) })
    let result = JSONValue.object(plan.result(report, requests: RequestCounts()))
    for (key, count) in ["create": 2, "update": 0, "unchanged": 0, "conflicts": 1, "failed": 2, "unknown": 1]
    {
      #expect(result[key]?.integer == Int64(count), "\(key)")
    }
    let words = result["changes"]?.array?.map { $0["outcome"]?.string }
    #expect(words == ["applied", "unknown", "applied", "conflict", "failed", "notAttempted"])
    #expect(result["changes"]?.array?[3]["reason"]?.string == "another client changed title")
    let remaining = result["remaining"]?.array?.map { $0["recordName"]?.string }
    #expect(remaining == [1, 3, 4, 5].map { plan.changes[$0].recordName })
    let applied = SeedApplyReport(plan, report, requests: RequestCounts())
    #expect(applied.text(.plain).description.hasPrefix("2 created, 1 sent, outcome unknown in "))
    #expect(applied.tally?.description.hasSuffix("1 conflicts, 2 failed, 1 unknown") == true)
  }

  @Test("a saved plan keeps its conflicts, and ends with the status that its seeds end with")
  func savedConflicts() async throws {
    let url = SeedFeed.named("alpha").feedURL
    let container = MemoryContainer([
      MemoryContainer.feed("one", url: url), MemoryContainer.feed("two", url: url),
    ])
    let plan = try await container.plan(.sample)
    let result = SeedPlanReport(
      plan, requests: RequestCounts(), created: MemoryContainer.evening
    ).json
    let document: JSONValue = ["result": result]
    let saved = try await SeedPlan(saved: try PlanFile(parsing: document.bytes()), in: container)
    for each in [plan, saved] {
      let done = ChangeReport(
        results: each.changes.map { (change: $0, outcome: ChangeReport.Outcome.applied) })
      let report = SeedApplyReport(each, done, requests: RequestCounts())
      #expect(report.status == .partial)
      #expect(report.failure?.code == "conflict" && report.failure?.message.contains("alpha") == true)
    }
  }
}

import Catalog
import CloudKitModel
import Diagnostics
import RecordChanges
import Testing

@Suite("The plan as a result")
struct SeedResultTests {
  @Test("the keys and counts are those of the contract")
  func planResult() async throws {
    let container = try await MemoryContainer.holding(.sample)
    var catalog = SeedCatalog.sample
    catalog.feeds[0].title = "New"
    catalog.collections[0].feeds = ["beta", "alpha"]
    let plan = try await container.plan(catalog)
    var requests = RequestCounts()
    requests.query = 4
    let result = JSONValue.object(plan.result(requests: requests))
    for (key, count) in ["create": 0, "update": 2, "unchanged": 4, "conflicts": 0, "failed": 0] {
      #expect(result[key]?.integer == Int64(count), "\(key)")
    }
    #expect(result["requests"] == ["query": 4, "lookup": 0, "modify": 0])
    let changes = try #require(result["changes"]?.array)
    #expect(
      changes.first == [
        "action": "update", "recordType": "PublicFeed",
        "recordName": .string(SeedFeed.named("alpha").derivedName), "slug": "alpha",
        "fields": ["title": ["from": "ALPHA", "to": "New"]],
      ])
    let names = ["beta", "alpha"].map { JSONValue.string(SeedFeed.named($0).derivedName) }
    #expect(changes.last?["fields"]?["feeds"]?["to"] == .array(names))
    #expect(changes.last?["fields"]?["updatedAt"]?["to"]?.string == "2023-11-14T22:14:10Z")
  }

  @Test("a created field comes from null")
  func created() async throws {
    let plan = try await MemoryContainer().plan(.sample)
    let result = JSONValue.object(plan.result(requests: RequestCounts()))
    #expect(result["create"]?.integer == 6)
    let fields = result["changes"]?.array?.first?["fields"]?.object
    #expect(fields?["name"] == ["from": nil, "to": "Technology"])
  }

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
    let text = SeedApplyReport(plan, report, findings: [], requests: RequestCounts()).text(.plain)
    #expect(text.description.hasPrefix("2 created in "))
  }

  @Test("applying a plan without changes says that there is nothing to do")
  func nothingApplied() async throws {
    let plan = try await MemoryContainer.holding(.sample).plan(.sample)
    let report = SeedApplyReport(plan, ChangeReport(), findings: [], requests: RequestCounts())
    #expect(report.text(.plain).description == SeedChangelog(plan).summary + "\n")
  }

  @Test("a saved plan keeps its conflicts, and ends with the status that its seeds end with")
  func savedConflicts() async throws {
    let url = SeedFeed.named("alpha").feedURL
    let container = MemoryContainer([
      MemoryContainer.feed("one", url: url), MemoryContainer.feed("two", url: url),
    ])
    let plan = try await container.plan(.sample)
    let result = SeedPlanReport(
      plan, findings: [], requests: RequestCounts(), created: MemoryContainer.evening
    ).json
    let document: JSONValue = ["result": result]
    let saved = try await SeedPlan(saved: try PlanFile(parsing: document.bytes()), in: container)
    for each in [plan, saved] {
      let done = ChangeReport(
        results: each.changes.map { (change: $0, outcome: ChangeReport.Outcome.applied) })
      let report = SeedApplyReport(each, done, findings: [], requests: RequestCounts())
      #expect(report.status == .partial)
      #expect(report.failure?.code == "conflict" && report.failure?.message.contains("alpha") == true)
    }
  }

  @Test("conflicts and notes are in the result")
  func conflicts() async throws {
    let url = SeedFeed.named("alpha").feedURL
    let container = MemoryContainer([
      MemoryContainer.feed("one", url: url), MemoryContainer.feed("two", url: url),
      MemoryContainer.feed("stray", url: "https://stray.example/"),
    ])
    let result = JSONValue.object(try await container.plan(.sample).result(requests: RequestCounts()))
    #expect(result["conflicts"]?.integer == 2)
    #expect(result["conflicting"]?.array?.first?["slug"]?.string == "alpha")
    #expect(result["notes"]?.array?.map { $0["kind"]?.string } == ["unmentioned"])
  }
}

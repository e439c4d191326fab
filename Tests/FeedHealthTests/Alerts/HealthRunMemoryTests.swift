import FeedState
import RecordChanges
import Testing

@testable import CloudKitModel
@testable import FeedHealth

@Suite struct HealthRunMemoryTests {
  private static func ago(_ seconds: Int64) -> Timestamp { .monday + .seconds(-seconds) }

  private func memory(_ result: String) -> HealthRunMemory {
    HealthRunMemory(LastJobRun(finishedAt: Self.ago(60), result: result))
  }

  @Test("a result says when runs were complete and reported; one that cannot be read counts as complete")
  func reading() {
    let earlier = Self.ago(3600).iso8601
    for (result, complete, reported) in [
      ("{}", Self.ago(60), Self.ago(60)), ("not JSON", Self.ago(60), Self.ago(60)),
      ("{\"complete\":true}", Self.ago(60), Self.ago(60)),
      ("{\"complete\":false}", nil, Self.ago(60)),
      ("{\"complete\":false,\"lastComplete\":\"\(earlier)\"}", Self.ago(3600), Self.ago(60)),
      ("{\"complete\":true,\"lastComplete\":\"\(earlier)\"}", Self.ago(60), Self.ago(60)),
      ("{\"reportedUntil\":\"\(earlier)\"}", Self.ago(60), Self.ago(3600)),
    ] as [(String, Timestamp?, Timestamp)] {
      #expect(
        memory(result).lastComplete == complete && memory(result).reportedUntil == reported, "\(result)")
    }
    #expect(memory("{\"articles\":3}").articlesWritten == 3 && memory("{}").articlesWritten == nil)
  }

  @Test(
    "a run reads only due feeds for 23 hours after one that read all, unless its options or a clock forbid it"
  )
  func dueFeeds() {
    func readsDue(_ age: Int64, _ change: (inout HealthOptions) -> Void = { _ in }) -> Bool {
      var options = HealthOptions()
      change(&options)
      let result = "{\"changesSince\":\"\(Self.ago(9).iso8601)\",\"allRead\":\"\(Self.ago(age).iso8601)\"}"
      if case .due(let since) = memory(result).reading(at: .monday, options) { return since == Self.ago(9) }
      return false
    }
    #expect(readsDue(0) && readsDue(82_799) && !readsDue(82_800) && !readsDue(-1))
    #expect(
      !readsDue(60) { $0.only = ["a"] } && !readsDue(60) { $0.category = "a" }
        && !readsDue(60) { $0.force = true })
    #expect(!readsDue(60) { $0.readsAllFeeds = true } && !readsDue(60) { $0.mapping = .celestraCloud })
    for result in [
      "{}", "{\"changesSince\":\"\(Self.ago(9).iso8601)\"}", "{\"allRead\":\"\(Self.ago(9).iso8601)\"}",
    ] {
      let isAll = if case .all = memory(result).reading(at: .monday, HealthOptions()) { true } else { false }
      #expect(isAll, "\(result)")
    }
  }

  /// What a run stores after another one.
  private func stored(
    after former: HealthRunMemory? = nil, _ change: (inout HealthRunResult) -> Void = { _ in }
  ) -> HealthRunMemory? {
    var run = HealthRunResult()
    run.isOfAll = true
    run.readingBegan = Self.ago(30)
    change(&run)
    return run.lastRun(at: .monday, after: former).map(HealthRunMemory.init)
  }

  private static func skipped(_ reason: SkippedFeed.Reason) -> SkippedFeed {
    SkippedFeed(recordName: "a", feedURL: "", status: .healthy, reason: reason)
  }

  @Test(
    "only a run over all feeds that was not stopped is remembered, and it is complete unless its budget was used up"
  )
  func remembered() {
    #expect(stored()?.lastComplete == .monday && stored()?.reportedUntil == .monday)
    for change in [{ $0.isOfAll = false }, { $0.localOutage = true }, { $0.isInterrupted = true }]
      as [(inout HealthRunResult) -> Void]
    {
      let isForgotten = stored(change) == nil
      #expect(isForgotten)
    }
    let former = memory("{}")
    #expect(stored(after: former) { $0.skipped = [Self.skipped(.budget)] }?.lastComplete == Self.ago(60))
    #expect(stored { $0.skipped = [Self.skipped(.budget)] }?.lastComplete == nil)
    #expect(stored(after: former) { $0.skipped = [Self.skipped(.robots)] }?.lastComplete == .monday)
  }

  @Test(
    "a run that read only due feeds leaves the time of the report and of the reading of all feeds as they were"
  )
  func due() {
    let former = memory(
      "{\"reportedUntil\":\"\(Self.ago(500).iso8601)\",\"changesSince\":\"\(Self.ago(400).iso8601)\",\"allRead\":\"\(Self.ago(300).iso8601)\"}"
    )
    func isDue(_ memory: HealthRunMemory?, at seconds: Int64, since: Timestamp) -> Bool {
      if case .due(let known)? = memory?.reading(at: Self.ago(seconds), HealthOptions()) {
        return known == since
      }
      return false
    }
    let all = stored(after: former)
    #expect(
      all?.reportedUntil == .monday && isDue(all, at: 30, since: Self.ago(30))
        && !isDue(all, at: 31, since: Self.ago(30)))
    let due = stored(after: former) { $0.reading = .due(changedSince: Self.ago(400)) }
    #expect(
      due?.reportedUntil == Self.ago(500) && isDue(due, at: 300, since: Self.ago(30))
        && !isDue(due, at: 301, since: Self.ago(30)))
    let left = stored(after: former) { $0.skipped = [Self.skipped(.budget)] }
    #expect(isDue(left, at: 300, since: Self.ago(400)) && !isDue(left, at: 301, since: Self.ago(400)))
  }
}

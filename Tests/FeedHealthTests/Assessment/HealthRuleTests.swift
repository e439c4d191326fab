import Diagnostics
import FeedHealth
import HTTPTransport
import Testing

@Suite("Rules of feed health") struct HealthRuleTests {
  @Test(
    "the example of a rule has its reason, the exchanges to use instead do not", arguments: HealthRules.all)
  func example(rule: Rule) async throws {
    let found = try await reasons(after: rule.example)
    #expect(found.map(\.code).contains(rule.code), "found \(found.map(\.code))")
    #expect(try await !reasons(after: rule.useInstead).map(\.code).contains(rule.code))
  }

  /// The reasons of the last of the example's checks, a day apart from each other.
  private func reasons(after example: String) async throws -> [HealthReason] {
    let checks = try ExampleCheck.checks(in: example)
    let url = try #require(checks.first?.url)
    let other = "http://other.example/feed"
    let clock = TestClock()
    // With a second host, a failure of the first is not our own outage.
    let catalog = try await TestCatalog(feeds: ["a": url, "b": other])
    var reasons: [HealthReason] = []
    for check in checks {
      let transport = StubTransport([url: check.answer, other: { _ in .ok(FeedText.rss(), from: other) }])
      let report = try await catalog.check(transport, clock) { $0.thresholds.outageShare = 0.6 }
      reasons = try #require(report.feeds.first { $0.recordName == "a" }).reasons
      clock.advance(25 * 3600)
    }
    return reasons
  }
}

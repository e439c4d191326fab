import Diagnostics
import FeedHealth
import HTTPTransport
import Testing

@Suite("Rules of feed health") struct HealthRuleTests {
  @Test(
    "the example of a rule has its reason, the exchanges to use instead do not", arguments: HealthRules.all)
  func example(rule: Rule) async throws {
    let found = try await codes(after: rule.example)
    #expect(found.contains(rule.code), "found \(found)")
    #expect(try await !codes(after: rule.useInstead).contains(rule.code))
  }

  /// The codes that the last of the example's checks gives for the feed, a day apart from each other.
  private func codes(after example: String) async throws -> [String] {
    let checks = try ExampleCheck.checks(in: example)
    let url = try #require(checks.first?.url)
    let other = "http://other.example/feed"
    let clock = TestClock()
    let catalog = try await TestCatalog(feeds: ["a": url, "b": other])
    var codes: [String] = []
    for check in checks {
      let transport = StubTransport([url: check.answer, other: { _ in .ok(FeedText.rss(), from: other) }])
      let report = try await catalog.check(transport, clock) {
        $0.only = ["a"]
        if !check.isAsked { $0.budget = .zero }
      }
      codes = report.feeds.flatMap(\.reasons).map(\.code) + HealthRunReport(report).findings.map(\.code)
      for feed in report.skipped {
        if case .ownRules(let reason, _) = feed.reason { codes.append(reason.code) }
      }
      clock.advance(25 * 3600)
    }
    return codes
  }
}

import CloudKitModel
import Diagnostics
import FeedHealth
import FeedState
import LocalContainer
import Testing

@testable import HTTPTransport

/// Addresses that are suggested for feeds that are not at their own.
@Suite struct SuggestedAddressTests {
  private let clock = TestClock()

  private func page(_ links: [String]) -> HTTPResponse {
    let head = links.map { "<link rel=\"alternate\" type=\"application/rss+xml\" href=\"\($0)\">" }.joined()
    return .ok("<html><head>\(head)</head></html>", ["Content-Type": "text/html"])
  }

  private func check(
    _ links: [String], _ more: [String: StubTransport.Answer] = [:], feeds: [String: String] = [:]
  )
    async throws -> FeedResult
  {
    let catalog = try await TestCatalog(feeds: feeds.merging(["a": "http://a.example/feed"]) { $1 })
    let transport = StubTransport(more)
    transport.set("http://a.example/feed") { [self] _ in page(links) }
    let report = try await catalog.check(transport, clock) { $0.only = ["a"] }
    return try #require(report.feeds.first)
  }

  @Test("a link is suggested only when a feed is there; the first that is one counts")
  func tried() async throws {
    let result = try await check(
      ["http://a.example/gone", "http://a.example/page", "http://a.example/real"],
      [
        "http://a.example/gone": { _ in .status(404) },
        "http://a.example/page": { _ in .ok("<html></html>", ["Content-Type": "text/html"]) },
        "http://a.example/real": { _ in .ok(FeedText.rss()) },
      ])
    #expect(result.suggestedURL == "http://a.example/real")
    #expect(result.suggestedFeed == nil)
    let none = try await check(["http://a.example/gone"], ["http://a.example/gone": { _ in .status(404) }])
    #expect(none.suggestedURL == nil)
  }

  @Test("a suggestion that the catalog has already names the feed, in a run of all feeds and of one")
  func known() async throws {
    let other = "http://b.example/real"
    let result = try await check(
      [other], [other: { _ in .ok(FeedText.rss(), from: "http://b.example/real") }], feeds: ["b": other])
    #expect(result.suggestedURL == other)
    #expect(result.suggestedFeed?.recordName == "b")
  }

  @Test(
    "no output says to use the address of another feed, at a redirect, a page or a later failure",
    arguments: [false, true])
  func taken(isRetired: Bool) async throws {
    let own = "http://a.example/feed"
    let other = "http://b.example/real"
    let catalog = try await TestCatalog(feeds: ["a": own, "b": other])
    let slugs = [("a", "alpha", false), ("b", "beta", isRetired)].map { name, slug, isRetired in
      RecordOperation(
        .forceUpdate, recordType: "PublicFeed", recordName: name,
        fields: ["slug": .string(slug), "isRetired": .flag(isRetired)])
    }
    _ = try await catalog.container.modify(slugs)
    let redirect: StubTransport.Answer = { request in
      var response = HTTPResponse.ok(FeedText.rss(), from: other)
      response.redirects = [.init(status: 301, from: request.url, to: other)]
      return response
    }
    let page: StubTransport.Answer = { request in
      .ok(
        "<html><head><title>N</title><link rel='alternate' type='application/rss+xml' href='\(other)'></head></html>",
        ["Content-Type": "text/html"], from: request.url)
    }
    for answers in [[redirect, redirect, redirect, redirect], [page, page, { _ in .status(500) }]] {
      for (index, answer) in answers.enumerated() {
        let transport = StubTransport([own: answer, other: { _ in .ok(FeedText.rss(), from: other) }])
        let run = try await catalog.check(transport, clock) { $0.force = true }
        clock.advance(86_400)
        let status = CatalogHealthReport(
          try await CatalogHealth(of: catalog.container, at: clock.now))
        let texts = [
          HealthRunReport(run).text(.plain).description, HealthRunReport(run).markdown,
          status.text(.plain).description,
        ]
        #expect(
          texts.allSatisfy { !$0.contains("Change feedURL") && !$0.contains("Use \(other)") },
          "\(index) \(texts)")
        guard index == answers.count - 1 else { continue }
        // A later failure keeps what the record says about the move.
        let expected = answers.count == 4 ? texts : [texts[2]]
        #expect(expected.allSatisfy { $0.contains("replacedBy") && $0.contains("beta") }, "\(texts)")
        #expect(expected[0].contains("retired") == isRetired)
      }
    }
  }

  @Test("the page's title, the status and the redirect are named")
  func particulars() async throws {
    let catalog = try await TestCatalog(feeds: ["a": "http://a.example/feed"])
    let transport = StubTransport([
      "http://a.example/feed": { request in
        var response = HTTPResponse.status(404, ["Content-Type": "text/html"], "<title>Lost</title>")
        response.redirects = [.init(status: 302, from: request.url, to: "http://a.example/lost")]
        return response
      }
    ])
    for _ in 0..<3 {
      try await catalog.check(transport, clock)
      clock.advance(86_400)
    }
    let report = try await catalog.check(transport, clock)
    let particulars = try #require(report.feeds.first).particulars
    #expect(particulars.contains("HTTP 404"))
    #expect(particulars.contains("redirected to http://a.example/lost"))
    #expect(particulars.contains { $0.hasPrefix("down for 1 day, since 2026-03-04") })
  }
}

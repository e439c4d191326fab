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

  @Test(
    "a feed of the catalog, and one with another title, is named and not suggested", arguments: ["b", "c"])
  func doubtful(owner: String) async throws {
    let other = "http://b.example/real"
    let text = owner == "b" ? FeedText.rss() : FeedText.rss().replacing("<title>A<", with: "<title>C<")
    let result = try await check(
      [other], [other: { _ in .ok(text, from: other) }],
      feeds: [owner: owner == "b" ? other : "http://c.example/"])
    #expect(result.suggestedURL == nil)
    let reason = owner == "b" ? "'b', another feed of the catalog" : "its title differs"
    #expect(result.suggestionNote?.hasSuffix(reason) == true, "\(result.suggestionNote ?? "")")
  }

  @Test(
    "no output says to use the address of another feed, or without a redirect that both are one",
    arguments: [false, true])
  func taken(isRetired: Bool) async throws {
    let own = "http://a.example/feed"
    let other = "http://b.example/real"
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
    for isRedirect in [true, false] {
      let catalog = try await TestCatalog(feeds: ["a": own, "b": isRedirect ? other : "http://b.example/old"])
      let slugs = [("a", "alpha", false), ("b", "beta", isRetired)].map { name, slug, isRetired in
        RecordOperation(
          .forceUpdate, recordType: "PublicFeed", recordName: name,
          fields: ["slug": .string(slug), "isRetired": .flag(isRetired)])
      }
      _ = try await catalog.container.modify(slugs)
      let answers: [StubTransport.Answer] =
        isRedirect ? [redirect, redirect, redirect, redirect] : [page, page, { _ in .status(500) }]
      for (index, answer) in answers.enumerated() {
        let isLast = index == answers.count - 1
        // Another feed gets an address that was proposed before.
        if !isRedirect, isLast { try await catalog.move("b", to: other) }
        let feed: StubTransport.Answer = { .ok(FeedText.rss(), from: $0.url) }
        let transport = StubTransport([own: answer, other: feed, "http://b.example/old": feed])
        let run = try await catalog.check(transport, clock) { $0.force = true }
        clock.advance(86_400)
        let status = CatalogHealthReport(
          try await CatalogHealth(of: catalog.container, at: clock.now))
        let texts = [
          HealthRunReport(run).text(.plain).description, HealthRunReport(run).markdown,
          status.text(.plain).description,
        ]
        guard isRedirect || isLast else { continue }
        #expect(
          texts.allSatisfy { !$0.contains("Change feedURL") && !$0.contains("Use \(other)") },
          "\(index) \(texts)")
        guard isLast else { continue }
        #expect(texts.allSatisfy { $0.contains("replacedBy") && $0.contains("beta") }, "\(texts)")
        #expect(texts.allSatisfy { $0.contains("may be two feeds") == !isRedirect }, "\(texts)")
        #expect(texts[0].contains("which is retired") == isRetired)
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

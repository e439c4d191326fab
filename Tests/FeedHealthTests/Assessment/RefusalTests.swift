import CloudKitModel
import Diagnostics
import FeedHealth
import FeedState
import LocalContainer
import Testing

@testable import HTTPTransport

/// Servers that do not let us through: neither dead nor healthy.
@Suite struct RefusalTests {
  private let clock = TestClock()
  private let url = "http://a.example/feed"
  private static let day: Int64 = 86_400

  private func check(_ catalog: TestCatalog, days: Int, _ answer: @escaping @Sendable (Int) -> HTTPResponse)
    async throws -> [HealthRunResult]
  {
    var runs: [HealthRunResult] = []
    for day in 0..<days {
      let transport = StubTransport([url: { _ in answer(day) }])
      let start = clock.now
      runs.append(try await catalog.check(transport, clock) { $0.force = true })
      clock.advance(Self.day - (clock.now.milliseconds - start.milliseconds) / 1000)
    }
    return runs
  }

  private func fresh() -> HTTPResponse { .ok(FeedText.rss(now: clock.now)) }

  @Test("a refusal is degraded for 30 days and then down", arguments: [401, 403, 406, 451, 999])
  func thirtyDays(status: Int) async throws {
    let catalog = try await TestCatalog(feeds: ["a": url])
    let runs = try await check(catalog, days: 33) { _ in .status(status) }
    let statuses = runs.compactMap { $0.feeds.first?.status }
    #expect(statuses.prefix(30).allSatisfy { $0 == .degraded })
    #expect(statuses.dropFirst(30).allSatisfy { $0 == .down })
    #expect(runs[29].feeds[0].reasons == [.accessDenied])
    #expect(runs[30].feeds[0].reasons == [.accessDenied, .refusedForLong])
    #expect(runs[30].feeds[0].uptimePercentage == nil)
    #expect(runs[30].feeds[0].json["family"] == "refused")
  }

  @Test("one success in twenty checks keeps a refused feed degraded, fewer do not")
  func share() async throws {
    for (gap, status) in [(15, HealthStatus.degraded), (40, .down)] {
      let catalog = try await TestCatalog(feeds: ["a": url])
      let runs = try await check(catalog, days: 39) { day in
        day % gap == gap - 1 ? fresh() : .status(403)
      }
      #expect(runs[38].feeds[0].status == status, "a success every \(gap) days")
    }
  }

  @Test("uptime leaves refusals out, needs five other checks, and says how many it covers")
  func uptime() async throws {
    let catalog = try await TestCatalog(feeds: ["a": url])
    let runs = try await check(catalog, days: 10) { day in day % 2 == 0 ? .status(403) : fresh() }
    #expect(runs[1].feeds[0].uptimePercentage == nil)
    #expect(runs[8].feeds[0].uptimePercentage == nil && runs[8].feeds[0].uptimeChecks == 4)
    #expect(runs[9].feeds[0].uptimePercentage == 100)
    #expect(runs[9].feeds[0].json["uptimeChecks"] == 5 && runs[9].feeds[0].json["refusedChecks"] == 5)
    #expect(runs[9].feeds[0].particulars.contains("uptime 100 % of 5 checks; 5 more were refused"))
  }

  @Test("a feed that is down for another reason stays down while it is refused, and is not recovered")
  func downBefore() async throws {
    let catalog = try await TestCatalog(feeds: ["a": url])
    let runs = try await check(catalog, days: 5) { day in day < 3 ? .status(404) : .status(403) }
    #expect(runs.compactMap { $0.feeds.first?.status } == [.degraded, .degraded, .down, .down, .down])
    #expect(runs[4].alerts.recovered.isEmpty)
  }

  @Test("a run in which every feed is refused is a finding, one in which another works is not")
  func everywhere() async throws {
    let other = "http://b.example/feed"
    let catalog = try await TestCatalog(feeds: ["a": url, "b": other])
    let transport = StubTransport([url: { _ in .status(403) }, other: { _ in .status(401) }])
    let run = try await catalog.check(transport, clock) { $0.force = true }
    #expect(run.refused == 2 && run.isRefusedEverywhere)
    #expect(HealthRunReport(run, failLevel: .newlyDown).status == .findings)
    #expect(HealthRunReport(run).text(.plain).description.contains("! every feed refused this run"))
    transport.set(other) { _ in fresh() }
    let mixed = try await catalog.check(transport, clock) { $0.force = true }
    #expect(mixed.refused == 1 && !mixed.isRefusedEverywhere)
    #expect(HealthRunReport(mixed, failLevel: .newlyDown).status == .done)
    #expect(mixed.summary.contains("not modified, 1 refused"))
    let health = try await CatalogHealth(of: catalog.container, at: clock.now)
    #expect(CatalogHealthReport(health).json["refused"] == 1)
  }

  @Test(
    "an error of an edge server is a failure whatever its page says, and names edge and class",
    arguments: [
      (520, "", HealthReason.originDown, "Cloudflare: 520, the origin sent"),
      (523, "", .originDown, "Cloudflare: 523, the origin is unreachable"),
      (525, "", .originTLS, "Cloudflare: 525, the TLS handshake"),
      (526, "<p>Just a moment...</p>", .originTLS, "Cloudflare: 526, the origin's certificate"),
      (530, "<span class=\"cf-error-code\">1016</span>", .originNotFound, "Cloudflare: 530, error 1016"),
      (409, "error code: 1001", .originNotFound, "Cloudflare: 409, error 1001"),
      (530, "error code: 1033", .originDown, "Cloudflare: 530, error 1033"),
    ])
  func edge(status: Int, page: String, reason: HealthReason, detail: String) async throws {
    let catalog = try await TestCatalog(feeds: ["a": url])
    let runs = try await check(catalog, days: 3) { _ in
      .status(status, ["CF-RAY": "1"], "<div class=\"cf-error-details\">\(page)</div>")
    }
    #expect(runs.map { $0.feeds[0].status } == [.degraded, .degraded, .down])
    #expect(runs[2].feeds[0].reasons.first == reason)
    #expect(runs[2].feeds[0].detail?.hasPrefix(detail) == true, "\(runs[2].feeds[0].detail ?? "")")
    #expect(runs[2].feeds[0].uptimePercentage == 0)
  }

  @Test("a block by Cloudflare is a refusal, although it has the same page as its errors")
  func cloudflareBlock() async throws {
    let catalog = try await TestCatalog(feeds: ["a": url])
    let runs = try await check(catalog, days: 4) { _ in
      .status(
        403, ["CF-RAY": "1"], "<div id=\"cf-error-details\"><span class=\"cf-error-code\">1020</span></div>")
    }
    #expect(runs[3].feeds[0].status == .degraded && runs[3].feeds[0].reasons == [.botWall])
  }

  @Test(
    "a document that is no feed is called what it is",
    arguments: [
      (
        "<opml version=\"2.0\"><body/></opml>",
        "an OPML subscription list; 'seed import' reads the feeds in it"
      ),
      ("Moved. Ask Ann.", "plain text"), ("{\"a\":1}", "JSON, but no JSON Feed"),
      ("<?xml version=\"1.0\"?><urlset><url/></urlset>", "a sitemap"),
      ("<!DOCTYPE html><html><body><p>Hi</p></body></html>", "a web page"), ("\u{89}PNG", nil),
    ] as [(String, String?)])
  func kinds(document: String, words: String?) async throws {
    let catalog = try await TestCatalog(feeds: ["a": url])
    let bytes: [UInt8] =
      words == nil ? [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0] : Array(document.utf8)
    let runs = try await check(catalog, days: 1) { _ in
      HTTPResponse(status: 200, body: bytes, finalURL: "http://a.example/feed")
    }
    #expect(runs[0].feeds[0].detail == words ?? "a picture")
    #expect(runs[0].feeds[0].status == .down)
  }

  @Test("a whole feed that arrives before the time limit is a success, a part of one is a timeout")
  func openConnection() async throws {
    let whole = FeedText.rss(now: clock.now)
    for (text, reason) in [(whole, nil), (String(whole.dropLast(40)), HealthReason.timedOut)] {
      let catalog = try await TestCatalog(feeds: ["a": url])
      let runs = try await check(catalog, days: 1) { _ in
        var response = HTTPResponse.ok(text)
        response.flaws = [.timedOut]
        return response
      }
      #expect(runs[0].feeds[0].reasons == [reason].compactMap(\.self))
    }
  }

  @Test("a calendar is not degraded for its future, a wrong clock is")
  func calendar() async throws {
    let day = Self.day
    for (ages, reasons) in [
      ([-10 * day, -40 * day], []), ([-10 * day], [HealthReason.futureDates]),
      ([-10 * day, -900 * day], [.futureDates]),
    ] {
      let catalog = try await TestCatalog(feeds: ["a": url])
      let text = FeedText.rss(now: clock.now, ages: ages)
      let runs = try await check(catalog, days: 1) { _ in .ok(text) }
      #expect(runs[0].feeds[0].reasons == reasons, "\(ages)")
    }
  }

  @Test("a podcast that is complete has ended, and is not stale for it")
  func complete() async throws {
    let catalog = try await TestCatalog(feeds: ["a": url])
    let old = FeedText.rss(now: clock.now, ages: [90 * Self.day, 91 * Self.day])
    for (value, reasons) in [("Yes", [HealthReason.ended]), ("no", [.stale])] {
      let text = old.replacing(
        "<title>A</title>",
        with: "<title>A</title><itunes:complete xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\">"
          + "\(value)</itunes:complete>")
      let runs = try await check(catalog, days: 1) { _ in .ok(text) }
      #expect(runs[0].feeds[0].reasons == reasons)
    }
  }
}

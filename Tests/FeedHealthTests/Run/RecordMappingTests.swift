import CloudKitModel
import FeedHealth
import Foundation
import HTTPTransport
import LocalContainer
import RecordChanges
import Testing

/// Feeds in the record type of celestra-cloud, which keeps the state of its checks in its own fields.
@Suite struct RecordMappingTests {
  private let clock = TestClock()
  private let url = "http://a.example/feed"

  private func container() async throws -> LocalContainer {
    let container = try LocalContainer.open(.memory)
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
    try await container.importSchema(
      String(contentsOf: root.appending(path: "schema/celestra-feed.ckdb"), encoding: .utf8))
    let outcome = try await container.modify([
      RecordOperation(
        .create, recordType: "Feed", recordName: "f",
        fields: ["feedURL": .string(url), "title": .string("F"), "category": .string("tech")])
    ])
    #expect(outcome.first?.error == nil)
    return container
  }

  private func check(_ container: LocalContainer, _ answer: @escaping StubTransport.Answer) async throws
    -> FeedResult
  {
    var options = HealthOptions()
    options.mapping = .celestraCloud
    options.force = true
    options.category = "tech"
    let session = WriteSession(
      WritingJob("health check", kind: .job), container: container,
      environment: WriteSessionDependencies(
        now: clock.health.now, runID: "run", wait: clock.health.waitForContainer))
    let check = HealthCheck(
      container: container, transport: StubTransport([url: answer]), clock: clock.health, options: options,
      session: session)
    let report = try await check.run()
    #expect(report.writes.isComplete)
    clock.advance(86_400)
    return try #require(report.feeds.first)
  }

  @Test("a check is recorded in the feed's own fields, and the next one goes on from there")
  func recorded() async throws {
    let container = try await container()
    let first = try await check(container) { _ in .ok(FeedText.rss(), ["ETag": "\"1\""]) }
    #expect(first.status == .healthy)
    let record = try #require(try await container.lookup(LookupRequest(["f"])).first?.record)
    #expect(record["etag"] == .string("\"1\""))
    #expect(record["totalAttempts"] == .int64(1))
    #expect(record["lastAttempted"] == .timestamp(.monday))
    #expect(record["updateFrequency"]?.number == 86_400)
    let second = try await check(container) {
      $0.headers["If-None-Match"] == "\"1\"" ? .status(304) : .status(500)
    }
    #expect(second.notModified)
    #expect(second.previousStatus == .healthy)
  }

  @Test("failures in a row make the feed down, and the status shows it")
  func failing() async throws {
    let container = try await container()
    var statuses: [HealthStatus] = []
    for _ in 0..<3 { statuses.append(try await check(container) { _ in .status(500) }.status) }
    #expect(statuses == [.degraded, .degraded, .down])
    let health = try await CatalogHealthReader(container: container, mapping: .celestraCloud).read(
      at: clock.now)
    #expect(health.troubled.map(\.status) == [.down])
    #expect(health.troubled.map(\.category) == ["tech"])
    #expect(health.troubled.map(\.reasons) == [[.serverError]])
  }

  @Test(
    "the status shows what each check has said: a page at once or at the second sighting, a wall, a success")
  func statuses() async throws {
    let container = try await container()
    func shown(_ answer: @escaping StubTransport.Answer) async throws -> [HealthReason] {
      let result = try await check(container, answer)
      let health = try await CatalogHealthReader(container: container, mapping: .celestraCloud).read(
        at: clock.now)
      let entry = try #require(health.feeds.first)
      // Of a success the record keeps no findings.
      #expect(entry.status == (entry.reasons.isEmpty ? .healthy : result.status))
      return entry.reasons
    }
    let page: StubTransport.Answer = { [url] _ in
      .ok("<!DOCTYPE html><title>Hello</title><p>Hello", from: url)
    }
    let wall: StubTransport.Answer = { _ in .status(403, ["cf-mitigated": "challenge"]) }
    let feed: StubTransport.Answer = { [url] _ in .ok(FeedText.rss(), from: url) }
    #expect(try await shown(wall) == [.botWall])
    #expect(try await shown(wall) == [.botWall])
    #expect(try await shown(page) == [.htmlPage])
    #expect(try await shown(feed).isEmpty)
    #expect(try await shown(wall) == [.botWall])
    #expect(try await shown(wall) == [.botWall])
    #expect(try await shown(feed).isEmpty)
    #expect(try await shown(page) == [.htmlPage])
    #expect(try await shown(page) == [.htmlPage])
    #expect(try await shown { _ in .status(410) } == [.gone])
  }
}

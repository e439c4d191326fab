import Articles
import CloudKitModel
import FeedHealth
import FeedState
import HTTPTransport
import LocalContainer
import RecordChanges
import Testing

/// A container that celestra-cloud fills, too.
@Suite struct CelestraCloudTests {
  /// The versions of that program's schema.
  enum Version: CaseIterable {
    case december2025, may2026

    var expires: String { self == .may2026 ? "expiresTimestamp" : "expiresAt" }

    func schema(_ text: String) -> String {
      guard self == .may2026 else { return text }
      return text.replacing("publishedDate        TIMESTAMP", with: "publishedTimestamp   TIMESTAMP")
        .replacing("expiresAt            TIMESTAMP", with: "expiresTimestamp     TIMESTAMP")
        .replacing(
          "fetchedAt            TIMESTAMP",
          with:
            "fetchedTimestamp TIMESTAMP SORTABLE, imageURL STRING, language STRING, tags LIST<STRING>, fetchedOld TIMESTAMP"
        )
    }
  }

  private func world(_ version: Version) async throws -> ArticleWorld {
    let world = try await ArticleWorld(
      file: "schema/celestra-feed.ckdb", type: "Feed", schema: version.schema)
    try await updateByOther(world, etag: "\"1\"", guids: ["1"])
    return world
  }

  /// What an update by that program leaves: its validators, and articles under random names.
  private func updateByOther(_ world: ArticleWorld, etag: String, guids: [String]) async throws {
    let articles = guids.map { guid in
      RecordOperation(
        .create, recordType: "Article", recordName: "8F1E2D3C-0000-4000-8000-\(guid)",
        fields: [
          "guid": .string(guid), "feedRecordName": .string("a"), "title": .string("Title \(guid)"),
          "contentHash": .string("Title \(guid)|http://a.example/\(guid)|\(guid)"),
        ])
    }
    let feed = RecordOperation(
      .forceUpdate, recordType: "Feed", recordName: "a",
      fields: [
        "etag": .string(etag), "lastAttempted": .timestamp(world.clock.time), "totalAttempts": .int64(1),
        "successfulAttempts": .int64(1),
      ])
    for outcome in try await world.container.modify(articles + [feed]) {
      if let error = outcome.error { throw error }
    }
  }

  @Test(
    "a forecast takes the rate from the newest articles, and the feeds that are not retired",
    arguments: Version.allCases)
  func forecast(_ version: Version) async throws {
    let world = try await world(version)
    func measure() async throws -> ArticleForecast.Measurement {
      try await ArticleForecast.measure(
        .celestraCloud, .celestraCloud, in: world.container, at: world.clock.time)
    }
    #expect(try await measure().itemsPerDay == nil)
    let published = version == .may2026 ? "publishedTimestamp" : "publishedDate"
    // Six hours apart, and one that is older than the last days.
    let articles = [0, 6, 12, 18, 24, 4000].map { hours in
      RecordOperation(
        .create, recordType: "Article", recordName: "dated-\(hours)",
        fields: [published: .timestamp(world.clock.time + .seconds(-hours * 3600))])
    }
    _ = try await world.container.modify(articles)
    let found = try await measure()
    #expect(found.feeds == 1 && found.itemsPerDay == 4 && found.medianPerDay == nil)
  }

  private func run(_ world: ArticleWorld, stores: Bool = true) async throws -> HealthRunResult {
    try await world.run(stores ? ArticleOptions(mapping: .celestraCloud) : nil) {
      $0.mapping = .celestraCloud
    }
  }

  private func etag(_ world: ArticleWorld) async throws -> String? {
    try await world.container.lookup(LookupRequest(["a"])).first?.record?["etag"]?.string
  }

  @Test("both programs store each item once, whichever comes first", arguments: Version.allCases)
  func together(version: Version) async throws {
    let world = try await world(version)
    world.serve(TestItem.list(["1"]), etag: "\"1\"")
    #expect(try await run(world).notModified == 1)
    world.serve(TestItem.list(["1", "2"]), etag: "\"2\"")
    let counts = try #require(try await run(world).articles)
    #expect(counts.same == 1 && counts.new == 1 && counts.written == 1)
    #expect(try await etag(world) == "\"2\"")
    let article = try #require(
      try await world.articles("Article").first { $0["guid"] == .string("2") })
    #expect(article["contentHash"] == .string("Title 2|http://a.example/2|2"))
    #expect(article["feedRecordName"] == .string("a"))
    #expect(article[version.expires]?.timestamp?.since(ArticleWorld.start) == .seconds(30 * 86_400))
    // That program's next update, and ours after it.
    try await updateByOther(world, etag: "\"3\"", guids: ["3"])
    world.serve(TestItem.list(["1", "2", "3", "4"]), etag: "\"4\"")
    let next = try #require(try await run(world).articles)
    #expect(next.same == 3 && next.new == 1)
    let guids = try await world.articles("Article").compactMap { $0["guid"]?.string }
    #expect(guids.sorted() == ["1", "2", "3", "4"])
  }

  @Test("a check that stores nothing leaves that program's validators alone")
  func reading() async throws {
    let world = try await world(.december2025)
    world.serve(TestItem.list(["1", "2"]), etag: "\"2\"")
    _ = try await run(world, stores: false)
    #expect(try await etag(world) == "\"1\"")
    #expect(world.web.requests.last?.headers["If-None-Match"] == nil)
  }

  @Test("a run that leaves items over keeps the validators of the last complete document")
  func incomplete() async throws {
    let world = try await world(.december2025)
    world.serve(TestItem.list(["1", "2", "3"]), etag: "\"2\"")
    var options = ArticleOptions(mapping: .celestraCloud)
    options.maxItems = 1
    let first = try await world.run(options) { $0.mapping = .celestraCloud }
    #expect(first.articles?.leftForNextRun == 1)
    #expect(try await etag(world) == "\"1\"")
    #expect(try await world.run(options) { $0.mapping = .celestraCloud }.articles?.new == 1)
    #expect(try await etag(world) == "\"2\"")
  }
}

import Catalog
import CloudKitModel
import FeedHealth
import FeedState
import HTTPTransport
import RecordChanges
import Testing

@Suite struct OwnershipTests {
  private let clock = TestClock()
  private let url = "http://a.example/feed"

  @Test("a check writes no field of another owner, and only fields that changed")
  func changedFieldsOnly() async throws {
    let catalog = try await TestCatalog(feeds: ["a": url])
    let transport = StubTransport([url: { _ in .ok(FeedText.rss(), ["ETag": "\"1\""]) }])
    let first = try await planned(catalog, transport)
    try await catalog.check(transport, clock)
    transport.set(url) { _ in .status(304) }
    clock.advance(7200)
    let second = try await planned(catalog, transport)
    for change in first + second {
      for field in change.fields.keys {
        #expect(FieldOwnership.owner(of: field, in: change.recordType) == .computed(by: .health))
      }
    }
    #expect(second.map(\.recordType) == ["FeedMetadata"])
    #expect(
      second.first?.fields.keys.sorted() == [
        "dailyChecks", "lastFetchSuccess", "lastHTTPStatus", "lastHealthCheck", "nextCheck",
        "successfulAttempts",
        "totalAttempts", "transportQuality",
      ])
  }

  /// What a check would write.
  private func planned(_ catalog: TestCatalog, _ transport: StubTransport) async throws -> [RecordChange] {
    let report = try await catalog.check(transport, clock, dryRun: true)
    return try #require(report.plan).changes
  }

  @Test("PublicFeed gets lastVerified and updateFrequency in hours")
  func publicFeed() async throws {
    let catalog = try await TestCatalog(feeds: ["a": url])
    try await catalog.check(StubTransport([url: { _ in .ok(FeedText.rss()) }]), clock)
    let feed = try #require(try await catalog.feed("a"))
    #expect(feed["lastVerified"] == .timestamp(.monday))
    #expect(feed["updateFrequency"] == .int64(24))
    #expect(feed["qualityScore"] == .double(50))
  }

  @Test("a document without two dates clears the rates of an earlier one, and a failure does not")
  func unknownRates() async throws {
    let catalog = try await TestCatalog(feeds: ["a": url])
    func check(_ answer: @escaping StubTransport.Answer) async throws -> [FieldValue?] {
      try await catalog.check(StubTransport([url: answer]), clock)
      clock.advance(86_400)
      let metadata = try #require(try await catalog.metadata("a"))
      return [
        try await catalog.feed("a")?["updateFrequency"], metadata["medianItemGap"],
        metadata["averageArticlesPerWeek"],
      ]
    }
    let known = try await check { _ in .ok(FeedText.rss()) }
    #expect(known.allSatisfy { $0 != nil })
    #expect(try await check { _ in .status(500) } == known)
    let undated =
      "<rss><channel><title>A</title><item><guid>1</guid><title>One</title></item></channel></rss>"
    #expect(try await check { _ in .ok(undated) } == [nil, nil, nil])
  }

  @Test("a failed check does not touch PublicFeed")
  func failure() async throws {
    let catalog = try await TestCatalog(feeds: ["a": url])
    let before = try await catalog.feed("a")?.changeTag
    try await catalog.check(StubTransport([url: { _ in .status(500) }]), clock)
    #expect(try await catalog.feed("a")?.changeTag == before)
    let metadata = try #require(try await catalog.metadata("a"))
    #expect(metadata["lastFailureReason"]?.string?.hasPrefix("FH0206 ") == true)
    #expect(metadata["feedReference"]?.reference?.recordName == "a")
  }

  @Test("values of the wrong type, or beyond all measure, in a stored record do no harm")
  func hostileRecord() {
    let record = Record(
      recordType: "FeedMetadata", recordName: "x",
      fields: [
        "totalAttempts": .int64(.max), "failureCount": .int64(-5), "medianItemGap": .int64(.max),
        "healthStatus": .string("splendid"), "etag": .int64(1),
        "dailyChecks": .list(of: .int64, [.int64(.min), .int64(.max), .int64(-1)]),
      ])
    let metadata = FeedMetadata(feed: "a", record: record)
    #expect(metadata.status == .unknown)
    #expect(metadata.failureCount == 0)
    #expect(metadata.etag == nil)
  }
}

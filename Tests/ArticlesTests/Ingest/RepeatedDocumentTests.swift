import CloudKitModel
import FeedFetching
import FeedHealth
import FeedState
import HTTPTransport
import LocalContainer
import Testing

@testable import Articles

/// Documents whose bytes an earlier run has parsed.
@Suite struct RepeatedDocumentTests {
  /// A world whose server only knows 200, after a run.
  private func checked(_ body: String) async throws -> ArticleWorld {
    let world = try await ArticleWorld()
    world.web.serve(body, at: Self.url, etag: nil)
    try await world.run()
    return world
  }

  private static let url = "http://a.example/feed"
  private static let items = TestItem.list(["1", "2"])
  private static let document = TestItem.document(items)

  private static func document(channel: String) -> String {
    document.replacing("<description>d</description>", with: "<description>d</description>\(channel)")
  }

  @Test(
    "the same bytes are parsed once a day, because a rate changes with time", arguments: [0.5, 0.99, 1, 3])
  func age(days: Double) async throws {
    var items = Self.items
    items[1].age = 2
    let world = try await checked(TestItem.document(items))
    let before = try await world.metadata()
    #expect(before.averageArticlesPerWeek == 7)
    world.clock.advance(days: days)
    let report = try await world.run()
    #expect(report.articles?.listed == 2 && report.articles?.same == 2 && report.articles?.written == 0)
    #expect(report.feeds.first?.items == 2 && report.feeds.first?.status == .healthy)
    let after = try await world.metadata()
    #expect(after.lastFetchSuccess == world.clock.time)
    #expect((after.averageArticlesPerWeek == before.averageArticlesPerWeek) == (days < 1))
    #expect((after.articlesValidator == before.articlesValidator) == (days < 1))
  }

  @Test(
    "items without an article are counted alike whether the document is read, parsed, or known by its bytes",
    arguments: [5, 205])
  func skipped(count: Int) async throws {
    var items = TestItem.list((0..<count).map(String.init))
    items += [TestItem(guid: "old", age: 91), items[0], TestItem(text: "")]
    items.append(TestItem(guid: "older", age: 92))
    let world = try await checked(TestItem.document(items))
    func expectAlike(_ text: String) async throws {
      let counts = try #require(try await world.run().articles)
      #expect(counts.listed == count + 4 && counts.same == count && counts.written == 0, "\(text)")
      #expect(counts.tooOld == 2 && counts.repeated == 1 && counts.noIdentity == 1, "\(text)")
    }
    try await expectAlike("by its bytes")
    world.clock.advance(days: 1)
    try await expectAlike("parsed")
    try await expectAlike("by its bytes")
    world.web.serve(TestItem.document(items) + "\n", at: Self.url, etag: nil)
    try await expectAlike("read")
    try await expectAlike("by its bytes")
  }

  @Test("a purged item without a date is counted as such on each run")
  func purged() async throws {
    let undated = [TestItem(guid: "1", title: "T", age: nil)]
    let world = try await checked(TestItem.document(undated))
    for record in try await world.articles() {
      _ = try await world.container.modify([
        RecordOperation(
          .delete, recordType: record.recordType, recordName: record.recordName, changeTag: record.changeTag)
      ])
    }
    world.web.serve(TestItem.document(undated) + "\n", at: Self.url, etag: nil)
    // Known by its items at first.
    #expect(try await world.run().articles?.same == 1)
    world.web.serve(
      TestItem.document(undated + [TestItem(guid: "2", age: 0)]), at: Self.url, etag: nil)
    for _ in 0..<3 {
      let counts = try #require(try await world.run().articles)
      #expect(counts.undated == 1 && counts.new + counts.same == 1)
    }
  }

  @Test(
    "a run that explains itself decides about each item of a document that is known", arguments: [5, 205])
  func explained(count: Int) async throws {
    let items = TestItem.list((0..<count).map(String.init)) + [TestItem(guid: "old", age: 91)]
    let world = try await checked(TestItem.document(items))
    var options = ArticleOptions()
    options.explains = true
    let run = try await world.run(options)
    let decisions = run.articleDecisions
    #expect(decisions.count == count + 1 && run.articles?.written == 0)
    #expect(decisions.count { $0.outcome == .same } == count)
    #expect(decisions.first { $0.guid == "old" }?.explanation.hasPrefix("skipped") == true)
    #expect(try await world.run().articleDecisions.isEmpty)
  }

  @Test("after a check that stores none has read another document, the first one is parsed again")
  func otherDocumentBetween() async throws {
    let world = try await checked(Self.document)
    let first = try await world.metadata()
    world.web.serve(TestItem.document([TestItem(text: "no id")]), at: Self.url, etag: nil)
    try await world.run(nil)
    #expect(try await world.metadata().completeness != first.completeness)
    world.web.serve(Self.document, at: Self.url, etag: nil)
    #expect(try await world.run().articles?.same == 2)
    let again = try await world.metadata()
    #expect(again.completeness == first.completeness && again.idHygiene == first.idHygiene)
  }

  @Test(
    "a repeated document asks for the same time of the next check",
    arguments: [
      "<ttl>300</ttl>", "<skipHours><hour>12</hour><hour>13</hour></skipHours>",
      "<skipDays><day>Monday</day><day>Tuesday</day></skipDays>",
    ])
  func schedule(channel: String) async throws {
    let world = try await checked(Self.document(channel: channel))
    let first = try await world.metadata()
    try await world.run()
    let second = try await world.metadata()
    #expect(second.averageArticlesPerWeek == first.averageArticlesPerWeek)
    #expect(second.nextCheck == first.nextCheck)
    let plain = try await checked(Self.document)
    #expect(try await plain.metadata().nextCheck != first.nextCheck)
  }

  @Test(
    "a document that says more than the state holds is parsed each time",
    arguments: [
      (
        "<atom:link xmlns:atom='http://www.w3.org/2005/Atom' rel='self' href='https://a.example/feed'/>",
        HealthReason.httpsAvailable
      ),
      (
        "<itunes:new-feed-url xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'>http://b.example/"
          + "</itunes:new-feed-url>", .movedPermanently
      ),
      (
        "<itunes:complete xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'>Yes</itunes:complete>",
        .ended
      ),
    ])
  func parsedEachTime(channel: String, reason: HealthReason) async throws {
    let world = try await checked(Self.document(channel: channel))
    for _ in 0..<2 { #expect(try await world.run().feeds.first?.reasons.contains(reason) == true) }
  }

  @Test("the same bytes as a part of a document, or with a broken end, are judged by what arrived")
  func part() async throws {
    // Read with repairs, which is enough for a whole document only.
    let world = try await checked(String(Self.document.dropLast("</rss>".count)))
    #expect(try await world.metadata().reasons == [.illFormed])
    #expect(try await world.run().feeds.first?.reasons == [.illFormed])
    world.web.change { $0.status = 206 }
    #expect(try await world.run().feeds.first?.reasons != [.illFormed])
    world.web.change { $0.flaws = [.endedEarly] }
    #expect(try await world.run().feeds.first?.reasons.contains(.truncated) == true)
  }

  @Test("the same document with other validators keeps its facts")
  func validators() async throws {
    let world = try await checked(Self.document)
    world.web.serve(Self.document, at: Self.url, etag: "\"1\"")
    try await world.run()
    let parts = try await world.metadata().articlesValidator?.split(separator: ";") ?? []
    world.web.serve(Self.document, at: Self.url, etag: "\"2\"")
    try await world.run()
    let renewed = try await world.metadata().articlesValidator?.split(separator: ";") ?? []
    #expect(parts.count == 8 && renewed.count == 8)
    #expect(
      zip(parts, renewed).map { $0 == $1 } == [true, true, true, false, true, true, true, true])
  }

  @Test("each finding of a document changes the digest")
  func findings() {
    let changes: [(inout FeedMetadata) -> Void] = [
      { $0.validity = 1 }, { $0.completeness = 1 }, { $0.fullContent = 1 }, { $0.idHygiene = 1 },
      { $0.itemGapVariation = 1 }, { $0.averageArticlesPerWeek = 1 },
      { $0.newestItem = Timestamp(milliseconds: 1) }, { $0.medianItemGap = .seconds(1) }, { _ in },
    ]
    let digests = changes.map { change in
      var metadata = FeedMetadata(feed: "a")
      change(&metadata)
      return metadata.findingsDigest
    }
    #expect(Set(digests).count == changes.count)
    #expect(digests.allSatisfy { $0.count == 16 })
  }
}

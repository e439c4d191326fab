import Articles
import CloudKitModel
import FeedFetching
import FeedHealth
import LocalContainer
import RecordChanges
import Testing

/// What runs store of the documents that they fetch.
@Suite struct IngestTests {
  @Test(
    "a check that stores none, and reads another document of the same ETag, hides nothing from the next run")
  func constantETag() async throws {
    let world = try await ArticleWorld()
    world.serve(TestItem.list(["1"]), etag: "\"same\"")
    try await world.run()
    world.clock.advance(days: 8)
    world.serve(TestItem.list(["1", "2"]), etag: "\"same\"")
    // On some of these days, the check sends no validators.
    for _ in 0..<8 {
      try await world.run(nil) { $0.policy.fullFetchDays = 8 }
      world.clock.advance(days: 1)
    }
    #expect(try await world.run().articles?.new == 1)
    #expect(try await world.run().notModified == 1)
    #expect(try await world.guids() == ["1", "2"])
  }

  @Test("a run stores the items; the next one sends the validators and gets 304")
  func twice() async throws {
    let world = try await ArticleWorld()
    world.serve(TestItem.list(["1", "2"]), etag: "\"x\"")
    let first = try #require(try await world.run().articles)
    #expect(first.listed == 2 && first.new == 2 && first.written == 2)
    let second = try await world.run()
    #expect(second.notModified == 1 && second.articles?.listed == 0)
    #expect(try await world.guids() == ["1", "2"])
    let article = try #require(try await world.articles().first { $0["guid"] == .string("1") })
    #expect(article["feedReference"]?.reference?.recordName == "a")
    #expect(article["expiresAt"]?.timestamp?.since(ArticleWorld.start) == .seconds(90 * 86_400))
    #expect(article["publishedDate"]?.timestamp?.since(ArticleWorld.start) == .seconds(-86_400))
    #expect(article["contentText"] == .string("text") && article["content"] == nil)
  }

  @Test("a server that only knows 200: the same document is not looked up again")
  func unconditional() async throws {
    let world = try await ArticleWorld()
    world.serve(TestItem.list(["1", "2"]), etag: nil)
    try await world.run()
    let counted = FaultyContainerLog(world.container)
    let again = try await world.run(on: counted.container)
    #expect(again.articles?.same == 2 && again.articles?.written == 0)
    #expect(counted.lookedUp(prefix: 64) == 0)
    world.serve(TestItem.list(["1", "2", "3"]), etag: nil)
    #expect(try await world.run().articles?.new == 1)
  }

  @Test("a check in between that stores nothing loses no item")
  func inBetween() async throws {
    let world = try await ArticleWorld()
    world.serve(TestItem.list(["1"]), etag: "\"x\"")
    try await world.run()
    world.serve(TestItem.list(["1", "2"]), etag: "\"y\"")
    #expect(try await world.run(nil).articles == nil)
    #expect(try await world.run(nil).notModified == 1)
    let result = try #require(try await world.run().articles)
    #expect(result.new == 1 && result.same == 1)
    #expect(try await world.guids() == ["1", "2"])
  }

  @Test("--max-items leaves the rest to the next runs, which get the document again")
  func limited() async throws {
    let world = try await ArticleWorld()
    world.serve(TestItem.list(["1", "2", "3", "4", "5"]), etag: "\"x\"")
    var options = ArticleOptions()
    options.maxItems = 2
    let first = try #require(try await world.run(options).articles)
    #expect(first.new == 2 && first.leftForNextRun == 3)
    #expect(try await world.run(options).articles?.new == 2)
    #expect(try await world.run(options).articles?.new == 1)
    #expect(try await world.run(options).notModified == 1)
    #expect(try await world.guids() == ["1", "2", "3", "4", "5"])
  }

  @Test("changed content is written at most once a day, and its document comes back until then")
  func changed() async throws {
    let world = try await ArticleWorld()
    world.serve(TestItem.list(["1"], text: "before"), etag: "\"x\"")
    try await world.run()
    world.clock.advance(days: 0.5)
    world.serve(TestItem.list(["1"], text: "after"), etag: "\"y\"")
    let early = try await world.run()
    #expect(early.articles?.changed == 1 && early.articles?.written == 0)
    let still = try await world.run()
    #expect(still.notModified == 0)
    let expires = try await world.articles().first?["expiresAt"]
    world.clock.advance(days: 0.6)
    let late = try await world.run()
    #expect(late.articles?.changed == 1 && late.articles?.written == 1)
    let article = try #require(try await world.articles().first)
    #expect(article["contentText"] == .string("after") && article["expiresAt"] == expires)
    #expect(try await world.run().notModified == 1)
  }

  @Test("an excerpt that replaces a whole article clears its content")
  func shortened() async throws {
    let world = try await ArticleWorld()
    world.serve(TestItem.list(["1"], text: "before"), etag: "\"x\"")
    try await world.run(ArticleOptions(content: .full))
    #expect(try await world.articles().first?["content"] != nil)
    world.clock.advance(days: 2)
    world.serve(TestItem.list(["1"], text: "after"), etag: "\"y\"")
    try await world.run()
    #expect(try await world.articles().first?["content"] == nil)
  }

  @Test("items without identity, repeated and too old ones are counted and not stored")
  func skipped() async throws {
    let world = try await ArticleWorld()
    world.serve(
      [
        TestItem(guid: "1"), TestItem(guid: "1", title: "again"), TestItem(guid: "2", age: 91),
        TestItem(title: "only a title", age: nil), TestItem(title: "title and date"),
        TestItem(link: "HTTP://A.example:80/x"), TestItem(text: ""),
      ], etag: "\"x\"")
    let counts = try #require(try await world.run().articles)
    #expect(counts.repeated == 1 && counts.tooOld == 1 && counts.noIdentity == 1 && counts.new == 4)
    let guids = try await world.guids()
    #expect(guids.contains("http://a.example/x") && guids.count { $0.hasPrefix("3:") } == 2)
    #expect(try await world.run().notModified == 1)
  }

  @Test("an undated item does not return after its purge, and a dated one is too old by then")
  func undated() async throws {
    let world = try await ArticleWorld()
    world.serve([TestItem(guid: "undated", age: nil), TestItem(guid: "future", age: -400)], etag: nil)
    #expect(try await world.run().articles?.new == 2)
    let dates = try await world.articles().compactMap { $0["publishedDate"]?.timestamp }
    #expect(dates == [ArticleWorld.start, ArticleWorld.start])
    world.clock.advance(days: 91)
    let stored = try await world.articles()
    for record in stored {
      _ = try await world.container.modify([
        RecordOperation(
          .delete, recordType: record.recordType, recordName: record.recordName, changeTag: record.changeTag)
      ])
    }
    world.serve(
      [
        TestItem(guid: "undated", age: nil), TestItem(guid: "future", age: -400),
        TestItem(guid: "new", age: -90),
      ], etag: nil)
    let counts = try #require(try await world.run().articles)
    #expect(counts.undated == 2 && counts.new == 1)
    #expect(try await world.guids() == ["new"])
  }

  @Test("an item that leaves and returns, and a feed whose address changes, create nothing twice")
  func returning() async throws {
    let world = try await ArticleWorld()
    world.serve(TestItem.list(["1", "2"]), etag: "\"x\"")
    try await world.run()
    world.serve(TestItem.list(["2"]), etag: "\"y\"")
    try await world.run()
    world.serve(TestItem.list(["1", "2"]), etag: "\"z\"")
    #expect(try await world.run().articles?.same == 2)
    let moved = RecordOperation(
      .forceUpdate, recordType: "PublicFeed", recordName: "a",
      fields: ["feedURL": .string("http://b.example/feed")])
    #expect(try await world.container.modify([moved]).first?.error == nil)
    world.serve(TestItem.list(["1", "2"]), at: "b", etag: "\"z\"")
    #expect(try await world.run().articles?.same == 2)
    #expect(try await world.guids() == ["1", "2"])
  }

  @Test("a document of 2,500 items, more than are written together, is stored once")
  func large() async throws {
    let world = try await ArticleWorld()
    world.serve(TestItem.list((0..<2500).map(String.init)), etag: "\"x\"")
    #expect(try await world.run().articles?.written == 2500)
    world.serve(TestItem.list((1..<2501).map(String.init)), etag: "\"y\"")
    let again = try #require(try await world.run().articles)
    #expect(again.same == 2499 && again.new == 1)
  }

  @Test("an article that the app stored under another name is not stored again")
  func otherName() async throws {
    let world = try await ArticleWorld()
    let own = RecordOperation(
      .create, recordType: "PublicArticle", recordName: "by-an-app",
      fields: [
        "guid": .string("1"), "feedReference": .reference(Reference("a")),
        "contentHash": .string(
          ArticleIdentity.contentHash(title: "Title 1", url: "http://a.example/1", text: "text")),
      ])
    #expect(try await world.container.modify([own]).first?.error == nil)
    world.serve(TestItem.list(["1", "2"]), etag: nil)
    let counts = try #require(try await world.run().articles)
    #expect(counts.same == 1 && counts.new == 1)
    #expect(try await world.articles().count == 2)
    // Without other writers, no query is made for it.
    let alone = try await ArticleWorld()
    #expect(try await alone.container.modify([own]).first?.error == nil)
    alone.serve(TestItem.list(["1", "2"]), etag: nil)
    #expect(try await alone.run(ArticleOptions(otherWriters: false)).articles?.new == 2)
  }

  @Test("a schema without the new fields works: documents are fetched whole, and nothing is stored twice")
  func olderSchema() async throws {
    let world = try await ArticleWorld { schema in
      schema.replacing(/[ ]+articlesValidator +STRING,\n/, with: "")
        .replacing(/[ ]+undatedItems +LIST<INT64>,\n/, with: "")
        .replacing(/[ ]+itemIDRule +INT64,\n/, with: "").replacing(/[ ]+enclosureURL +STRING,\n/, with: "")
    }
    world.serve(TestItem.list(["1"]), etag: "\"x\"")
    let first = try await world.run()
    #expect(first.articles?.new == 1 && first.lacksArticleCoverage)
    let second = try await world.run()
    #expect(second.notModified == 0 && second.articles?.same == 1)
    #expect(try await world.run(nil).notModified == 1)
  }

  @Test("a dry run plans the articles and writes nothing")
  func dryRun() async throws {
    let world = try await ArticleWorld()
    world.serve(TestItem.list(["1"]), etag: "\"x\"")
    let result = try await world.run(dryRun: true)
    #expect(result.plan?.changes.map(\.recordType) == ["PublicArticle", "FeedMetadata", "PublicFeed"])
    #expect(result.articles?.new == 1 && result.articles?.written == 0)
    #expect(try await world.articles().isEmpty)
  }
}

import Articles
import CloudKitModel
import Diagnostics
import FeedState
import LocalContainer
import Testing

@Suite struct ListingTests {
  private func world(_ schema: (String) -> String = { $0 }) async throws -> ArticleWorld {
    let world = try await ArticleWorld(feeds: ["a", "b"], schema: schema)
    world.serve(
      [
        TestItem(guid: "1", title: "Swift news", text: "About compilers", age: 1),
        TestItem(guid: "2", title: "Gardens", text: "A swift grows nothing", age: 2),
      ], at: "a", etag: nil)
    world.serve([TestItem(guid: "3", title: "Rivers", age: 3)], at: "b", etag: nil)
    try await world.run()
    return world
  }

  private func listing(_ world: ArticleWorld) -> ArticleListing {
    ArticleListing(container: world.container, mapping: .celestra)
  }

  @Test("the newest come first, of one feed or all, up to a limit")
  func list() async throws {
    let world = try await world()
    var conditions = ArticleListing.Conditions()
    let all = try await listing(world).list(conditions, limit: nil)
    #expect(all.articles.map(\.title) == ["Swift news", "Gardens", "Rivers"] && all.isComplete)
    conditions.feed = "b"
    #expect(try await listing(world).list(conditions, limit: nil).articles.map(\.feed) == ["b"])
    let first = try await listing(world).list(ArticleListing.Conditions(), limit: 2)
    #expect(first.articles.count == 2 && !first.isComplete)
    conditions.expiredBefore = world.clock.time
    #expect(try await listing(world).list(conditions, limit: nil).articles.isEmpty)
  }

  @Test("a search finds words in titles and texts, and names those that nothing has")
  func search() async throws {
    let world = try await world()
    let none = ArticleListing.Conditions()
    let found = try await listing(world).search(["swift"], none, limit: 10)
    #expect(found.articles.map(\.title) == ["Swift news", "Gardens"] && found.unmatched == [])
    #expect(try await listing(world).search(["swift", "grows"], none, limit: 10).articles.count == 1)
    let missing = try await listing(world).search(["swift", "zebra"], none, limit: 10)
    #expect(missing.articles.isEmpty && missing.unmatched == ["zebra"])
    let marks = try await listing(world).search(["+++", "rivers", "🌊"], none, limit: 10)
    #expect(marks.articles.map(\.title) == ["Rivers"] && marks.unmatched == ["+++", "🌊"])
    #expect(["a", "7", "c++"].allSatisfy(ArticleListing.isSearchable))
    #expect(!["", "-", "#", "🌊"].contains(where: ArticleListing.isSearchable))
    var since = none
    since.since = Timestamp(milliseconds: ArticleWorld.start.milliseconds - 130_000_000)
    #expect(try await listing(world).search(["swift"], since, limit: 10).articles.count == 1)
  }

  @Test("a schema whose texts cannot be searched is searched by title, and the report says so")
  func titlesOnly() async throws {
    let world = try await world {
      $0.replacing(/contentText +STRING SEARCHABLE/, with: "contentText STRING")
    }
    let found = try await listing(world).search(["swift"], ArticleListing.Conditions(), limit: 10)
    #expect(found.articles.map(\.title) == ["Swift news"])
    #expect(found.remarks.count == 1 && found.json["notes"] != nil)
  }

  @Test(
    "stories of several articles are grouped by their content, of all feeds or of those that one feed has")
  func repeated() async throws {
    let world = try await ArticleWorld(feeds: ["a", "b", "c"])
    let shared = TestItem(guid: "1", title: "Shared", link: "http://s.example/1", age: 2)
    let newer = TestItem(guid: "n", title: "Newer", link: "http://s.example/2", age: 1)
    world.serve([shared, newer, TestItem(guid: "2", title: "Own", age: 1)], at: "a", etag: nil)
    world.serve([shared, TestItem(guid: "3", title: "Other", age: 1)], at: "b", etag: nil)
    world.serve([newer], at: "c", etag: nil)
    try await world.run()
    var conditions = ArticleListing.Conditions()
    let all = try await listing(world).repeated(conditions, limit: 10)
    #expect(all.stories.map { $0.articles.first?.title } == ["Newer", "Shared"] && all.isComplete)
    #expect(all.stories.map { Set($0.articles.map(\.feed)) } == [["a", "c"], ["a", "b"]])
    let first = try await listing(world).repeated(conditions, limit: 1)
    #expect(first.stories == [all.stories[0]] && !first.isComplete)
    conditions.feed = "b"
    #expect(try await listing(world).repeated(conditions, limit: 10).stories == [all.stories[1]])
    #expect(try await listing(world).list(conditions, limit: 10).json["stories"] == nil)
  }

  @Test("articles of a language are found by any of its names")
  func languages() async throws {
    let world = try await ArticleWorld()
    let document = TestItem.document([TestItem(guid: "1", title: "Wort")])
      .replacing("<description>d", with: "<language>de-AT</language><description>d")
    world.web.serve(document, at: "http://a.example/feed", etag: nil)
    try await world.run()
    for (language, count) in [("de", 1), ("de-CH", 1), ("German", 1), ("en", 0), ("at", 0)] {
      var conditions = ArticleListing.Conditions()
      conditions.language = language
      #expect(
        try await listing(world).search(["wort"], conditions, limit: 5).articles.count == count, "\(language)"
      )
    }
  }

  @Test("a forecast multiplies feeds, items, days and bytes")
  func forecast() {
    let forecast = ArticleForecast(
      feeds: 1000, itemsPerDay: 2, options: ArticleOptions(lifetime: .seconds(90 * 86_400)))
    #expect(forecast.records == 180_000 && forecast.bytes == 180_000_000)
    // 84 new items: 2 × 5 to read, 9 lookups, 1 by title, 1 by guid, 1 to create, 5 states.
    #expect(forecast.requestsPerRun == 27)
    let alone = ArticleForecast(
      feeds: 1000, itemsPerDay: 2,
      options: ArticleOptions(content: .full, lifetime: .seconds(90 * 86_400), otherWriters: false))
    #expect(alone.requestsPerRun == 26 && alone.bytes == 1_440_000_000)
  }

  @Test("a forecast leaves out retired feeds, shows the median beside the mean, and says what it assumes")
  func measured() async throws {
    let world = try await ArticleWorld(feeds: ["a"])
    func measure() async throws -> ArticleForecast.Measurement {
      try await ArticleForecast.measure(.celestra, .celestra, in: world.container, at: ArticleWorld.start)
    }
    let unknown = try await measure()
    #expect(unknown.itemsPerDay == nil && unknown.medianPerDay == nil)
    for (name, rate, isRetired) in [("x", 7.0, 0), ("y", 14, 0), ("z", 105, 0), ("retired", 7000, 1)]
      as [(String, Double, Int64)]
    {
      _ = try await world.container.modify([
        RecordOperation(
          .create, recordType: "PublicFeed", recordName: name,
          fields: ["feedURL": .string("https://\(name).example/feed"), "isRetired": .int64(isRetired)]),
        RecordOperation(
          .create, recordType: "FeedMetadata", recordName: "m-\(name)",
          fields: ["averageArticlesPerWeek": .double(rate), "feedReference": .reference(Reference(name))]),
      ])
    }
    let known = try await measure()
    #expect(
      known.feeds == unknown.feeds + 3 && known.itemsPerDay == 6 && known.medianPerDay == 2
        && known.measuredFeeds == 3)
    func text(_ origin: ArticleForecast.Origin) -> String {
      ArticleForecast(
        feeds: 3, itemsPerDay: 6, origin: origin, medianPerDay: origin == .measured ? 2 : nil,
        options: ArticleOptions(lifetime: .seconds(86_400))
      ).text(.plain).description
    }
    #expect(text(.measured).contains("6.0 new items a day on average (median 2.0)"))
    #expect(text(.assumed).contains("assumed") && !text(.given).contains("assumed"))
  }
}

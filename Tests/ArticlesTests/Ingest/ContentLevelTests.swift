import Articles
import CloudKitModel
import ContainerFaults
import FeedHealth
import Testing

/// Feeds whose articles get another content level.
@Suite struct ContentLevelTests {
  private static let excerpt = ArticleOptions()
  private static let full = ArticleOptions(content: .full)
  /// Longer than an excerpt.
  private static let words = String(repeating: "word ", count: 100) + "end"
  private static let items = TestItem.list(["1", "2"], text: "&lt;p&gt;\(words)&lt;/p&gt;")

  /// How many articles have HTML and the whole text, and how many have neither.
  private func levels(_ world: ArticleWorld) async throws -> (full: Int, excerpts: Int) {
    let articles = try await world.articles()
    return (
      articles.count {
        $0["content"] == .string("<p>\(Self.words)</p>") && $0["contentText"] == .string(Self.words)
      }, articles.count { $0["content"] == nil && $0["contentText"] == $0["excerpt"] }
    )
  }

  @Test(
    "another level writes each article of an unchanged document again, once",
    arguments: [nil, "\"x\""] as [String?])
  func switched(etag: String?) async throws {
    let world = try await ArticleWorld()
    world.serve(Self.items, etag: etag)
    try await world.run(Self.excerpt)
    #expect(try await levels(world) == (0, 2))
    for (options, expected) in [(Self.full, (2, 0)), (Self.excerpt, (0, 2))] {
      let counts = try #require(try await world.run(options).articles)
      #expect(counts.changed == 2 && counts.same == 0 && counts.written == 2)
      #expect(try await levels(world) == expected)
      let again = try await world.run(options)
      #expect(again.articles?.changed == 0 && again.articles?.written == 0)
    }
    #expect(try await world.articles().count == 2)
  }

  @Test("a run that could not write all articles leaves the rest to the next one")
  func refused() async throws {
    let world = try await ArticleWorld()
    world.serve(Self.items, etag: "\"x\"")
    try await world.run(Self.excerpt)
    for _ in 0..<2 {
      let container = FaultyContainer(world.container) { request in
        guard case .modify(let operations) = request,
          operations.contains(where: { $0.recordType == "PublicArticle" })
        else { return nil }
        return .eachRecord(ServerError(.quotaExceeded, "full"))
      }
      #expect(try await world.run(on: container, Self.full).articles?.failed == 2)
      #expect(try await levels(world) == (0, 2))
    }
    #expect(try await world.run(Self.full).articles?.written == 2)
    #expect(try await levels(world) == (2, 0))
    #expect(try await world.run(Self.full).notModified == 1)
  }

  @Test("a level that changes while --max-items spreads a fill reaches the articles that are stored already")
  func limited() async throws {
    let world = try await ArticleWorld()
    world.serve(Self.items, etag: "\"x\"")
    try await world.run(ArticleOptions(maxItems: 1))
    #expect(try await levels(world) == (0, 1))
    var options = Self.full
    options.maxItems = 1
    let counts = try #require(try await world.run(options).articles)
    #expect(counts.changed == 1 && counts.new == 1)
    #expect(try await levels(world) == (2, 0))
  }

  @Test("articles whose feed has other guids now change their level, too, and keep theirs")
  func rekeyed() async throws {
    let world = try await ArticleWorld()
    world.serve(Self.items, etag: nil)
    try await world.run(Self.excerpt)
    var items = Self.items
    for index in items.indices { items[index].guid = "new-\(index)" }
    world.serve(items, etag: nil)
    #expect(try await world.run(Self.full).articles?.changed == 2)
    #expect(try await levels(world) == (2, 0))
    #expect(try await world.guids() == ["1", "2"])
  }
}

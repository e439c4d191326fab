import Articles
import CloudKitModel
import ContainerFaults
import FeedHealth
import LocalContainer
import Testing

/// Items that a document shares with the one before it.
@Suite struct KnownItemsTests {
  private static let guids = (0..<1100).map(String.init)

  /// A world that has stored a document with these items.
  private func stored(_ items: [TestItem]) async throws -> ArticleWorld {
    let world = try await ArticleWorld()
    world.serve(items, etag: "\"1\"")
    try await world.run()
    world.clock.advance(days: 2)
    return world
  }

  @Test(
    "only what changed is looked up, and a long document is looked up as a whole", arguments: [900, 1100])
  func lookedUp(count: Int) async throws {
    let items = TestItem.list(Array(Self.guids.prefix(count)))
    let world = try await stored(items)
    var next = items
    next[3].text = "changed"
    next.insert(TestItem(guid: "new", title: "New", link: "http://a.example/new"), at: 0)
    world.serve(next, etag: "\"2\"")
    let container = FaultyContainer(world.container)
    let counts = try #require(try await world.run(on: container).articles)
    #expect(counts.new == 1 && counts.changed == 1 && counts.same == count - 1 && counts.written == 2)
    let names = container.requests.flatMap { request -> [String] in
      if case .lookup(let request) = request { request.recordNames } else { [] }
    }
    let articles = names.filter { $0.count == 64 }
    // What is written is not looked up again.
    #expect(Set(articles).count == (count > 1000 ? count + 1 : 2))
  }

  @Test("an item that was not stored, because one before it had its id, is compared when it comes first")
  func repeated() async throws {
    let first = TestItem(guid: "1", title: "T", link: "http://a.example/1", text: "first")
    let second = TestItem(guid: "1", title: "T", link: "http://a.example/1", text: "second")
    let world = try await stored([first, second])
    // The same document, in other bytes: nothing to do.
    world.serve([first, second], etag: "\"2\"")
    let known = try #require(try await world.run().articles)
    #expect(known.same == 1 && known.repeated == 1 && known.written == 0)
    world.serve([second], etag: "\"3\"")
    let counts = try #require(try await world.run().articles)
    #expect(counts.changed == 1 && counts.written == 1)
  }

  @Test("a new item with the content of a known one is stored, if other items keep their ids")
  func equalContent() async throws {
    let items = [
      TestItem(guid: "1", title: "Open", text: "Open thread"), TestItem(guid: "2", title: "Two", text: "two"),
    ]
    let world = try await stored(items)
    world.serve([TestItem(guid: "3", title: "Open", text: "Open thread")] + items, etag: "\"2\"")
    let counts = try #require(try await world.run().articles)
    #expect(counts.new == 1 && counts.rekeyed == 0 && counts.same == 2)
  }

  @Test(
    "a purged item that is still listed, unchanged but for its date, does not return; a changed one does",
    arguments: ["guid", nil, "random"], [2, 300])
  func purged(id: String?, count: Int) async throws {
    let world = try await ArticleWorld()
    /// As a feed lists them that dates its items itself.
    func items(_ day: Double, _ text: String = "text") -> [TestItem] {
      (1...count).map { number in
        let guid = id.map { $0 == "random" ? "\(number)-\(day)" : "\($0)\(number)" }
        return TestItem(
          guid: guid, title: "T\(number)", link: "http://a.example/\(number)", text: text, age: 0.01 - day)
      }
    }
    world.serve(items(0), etag: nil)
    #expect(try await world.run().articles?.new == count)
    world.clock.advance(days: 13)
    for article in try await world.articles() {
      _ = try await world.container.modify([
        RecordOperation(.forceDelete, recordType: "PublicArticle", recordName: article.recordName)
      ])
    }
    world.serve(items(13), etag: nil)
    let shorter = ArticleOptions(lifetime: .seconds(5 * 86_400))
    #expect(try await world.run(shorter).articles?.same == count)
    #expect(try await world.articles().isEmpty)
    world.serve(items(13, "changed"), etag: nil)
    #expect(try await world.run(shorter).articles?.new == count)
  }

  @Test("an item that was too old is stored once articles are kept longer, although the document is the same")
  func longerLifetime() async throws {
    let items = [TestItem(guid: "old", title: "Old", age: 200), TestItem(guid: "1", title: "One")]
    let world = try await stored(items)
    #expect(try await world.guids() == ["1"])
    let longer = ArticleOptions(lifetime: .seconds(400 * 86_400))
    let counts = try #require(try await world.run(longer).articles)
    #expect(counts.new == 1 && counts.same == 1 && counts.tooOld == 0)
    #expect(try await world.guids() == ["1", "old"])
    #expect(try await world.run(longer).notModified == 1)
    let shorter = try #require(try await world.run().articles)
    #expect(shorter.tooOld == 1 && shorter.same == 1 && shorter.written == 0)
  }
}

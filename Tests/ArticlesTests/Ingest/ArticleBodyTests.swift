import Articles
import FeedHealth
import FeedState
import Testing

/// Documents whose bytes say that their items need not be read.
@Suite struct ArticleBodyTests {
  @Test(
    "only the same bytes from the same address, with the same type and content level, are known to be stored")
  func same() async throws {
    let world = try await ArticleWorld()
    let items = TestItem.list(["1", "2"])
    world.serve(items, etag: nil)
    try await world.run()
    let metadata = try await world.metadata()
    let bytes = Array(TestItem.document(items).utf8)
    func isStored(
      _ bytes: [UInt8], _ source: [String?] = ["http://a.example/feed", nil],
      content: ArticleOptions.Content = .excerpt
    ) -> Bool {
      ArticleBody(
        bytes, from: source, of: metadata, options: ArticleOptions(content: content), at: world.clock.time
      ).isStored
    }
    #expect(isStored(bytes))
    #expect(!isStored(bytes + [0x0A]))
    #expect(!isStored(bytes, ["http://b.example/feed", nil]))
    #expect(!isStored(bytes, ["http://a.example/feed", "text/xml; charset=latin1"]))
    #expect(!isStored(bytes, content: .full))
    let again = try await world.run()
    #expect(again.articles?.same == 2 && again.articles?.written == 0)
    #expect(try await world.metadata().articlesValidator == metadata.articlesValidator)
  }

  @Test("a run that leaves items over does not know the bytes")
  func incomplete() async throws {
    let world = try await ArticleWorld()
    world.serve(TestItem.list(["1", "2"]), etag: nil)
    var options = ArticleOptions()
    options.maxItems = 1
    try await world.run(options)
    #expect(try await world.run().articles?.new == 1)
    #expect(try await world.guids() == ["1", "2"])
  }
}

import Articles
import Catalog
import CloudKitModel
import ContainerFaults
import FeedHealth
import LocalContainer
import RecordChanges
import Testing

/// Articles that another user stored under the name that we derive.
@Suite struct OtherUserTests {
  private func create(_ hash: String, as user: String, in world: ArticleWorld) async throws {
    let container = LocalContainer(
      store: world.container.store, identity: CallerIdentity(userRecordName: user))
    let operation = RecordOperation(
      .create, recordType: "PublicArticle",
      recordName: CatalogRecordNames.article(feed: "a", guid: "1"),
      fields: [
        "guid": .string("1"), "feedReference": .reference(Reference("a")), "title": .string("theirs"),
        "contentHash": .string(hash),
      ])
    #expect(try await container.modify([operation]).first?.error == nil)
  }

  @Test("equal content is left; other content is deleted and made again under our key, as a dry run says")
  func replaced() async throws {
    let hash = ArticleIdentity.contentHash(title: "Title 1", url: "http://a.example/1", text: "text")
    for (stored, isReplaced) in [(hash, false), ("other", true), ("2:other", false)] {
      let world = try await ArticleWorld()
      try await create(stored, as: "_ann", in: world)
      world.serve(TestItem.list(["1"]), etag: nil)
      let planned = try #require(
        try await world.run(on: FaultyContainer(world.container), dryRun: true).articles)
      let counts = try #require(try await world.run(hasLease: true).articles)
      #expect(planned.replaced == counts.replaced && planned.same == counts.same && planned.changed == 0)
      #expect(counts.replaced == (isReplaced ? 1 : 0) && counts.same == (isReplaced ? 0 : 1))
      let article = try #require(try await world.articles().first)
      #expect(article["title"] == .string(isReplaced ? "Title 1" : "theirs"))
      #expect((article.created?.userRecordName == "_ann") == !isReplaced)
      #expect(try await world.articles().count == 1)
    }
  }

  @Test("feeds that use the same ids are looked up together, and each finds its own articles alone")
  func sameIDs() async throws {
    let world = try await ArticleWorld(feeds: ["a", "b"])
    for (feed, guid) in [("a", "1"), ("b", "2")] {
      let operation = RecordOperation(
        .create, recordType: "PublicArticle", recordName: "app-\(feed)",
        fields: [
          "guid": .string(guid), "feedReference": .reference(Reference(feed)),
          "title": .string("Title \(guid)"),
          "contentHash": .string(
            ArticleIdentity.contentHash(
              title: "Title \(guid)", url: "http://a.example/\(guid)", text: "text")),
        ])
      #expect(try await world.container.modify([operation]).first?.error == nil)
    }
    for feed in ["a", "b"] { world.serve(TestItem.list(["1", "2"]), at: feed, etag: nil) }
    let counts = try #require(try await world.run().articles)
    #expect(counts.same == 2 && counts.new == 2)
    let stored = try await world.articles().map {
      "\($0["feedReference"]?.reference?.recordName ?? "") \($0["guid"]?.string ?? "")"
    }
    #expect(stored.sorted() == ["a 1", "a 2", "b 1", "b 2"])
  }

  @Test("our own article with other content is changed, not replaced")
  func own() async throws {
    let world = try await ArticleWorld()
    world.serve(TestItem.list(["1"], text: "before"), etag: nil)
    try await world.run(hasLease: true)
    world.clock.advance(days: 2)
    world.serve(TestItem.list(["1"], text: "after"), etag: nil)
    let counts = try #require(try await world.run(hasLease: true).articles)
    #expect(counts.changed == 1 && counts.replaced == 0 && counts.written == 1)
  }
}

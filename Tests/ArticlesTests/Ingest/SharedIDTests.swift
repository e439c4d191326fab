import Articles
import CloudKitModel
import FeedHealth
import FeedState
import Foundation
import LocalContainer
import Testing

/// Feeds whose items share ids: each item has an article, and keeps it.
@Suite struct SharedIDTests {
  private func rule(_ world: ArticleWorld) async throws -> Int64? { try await world.metadata().itemIDRule }

  @Test("an item that meets the article of another moves the feed, and that article stays as it is")
  func meeting() async throws {
    let world = try await ArticleWorld()
    world.serve([TestItem(guid: "1", title: "A", link: "http://a.example/a", age: 1)], etag: nil)
    try await world.run(hasLease: true)
    #expect(try await rule(world) == 1)
    let first = try #require(try await world.articles().first)
    world.clock.advance(days: 2)
    world.serve([TestItem(guid: "1", title: "B", link: "http://a.example/b", age: -1)], etag: nil)
    #expect(try await world.run(hasLease: true).articles?.new == 1)
    #expect(try await rule(world) == 2)
    #expect(try await world.articles().contains(first))
    // The rule never falls, whatever a later document shows.
    world.serve([TestItem(guid: "2", title: "C", link: "http://a.example/c", age: -1)], etag: nil)
    try await world.run(hasLease: true)
    #expect(try await rule(world) == 2)
    #expect(try await world.guids().count { $0.hasPrefix("2:") } == 2)
  }

  @Test("a corrected title, link or date alone changes the article", arguments: 0..<3)
  func corrected(part: Int) async throws {
    let world = try await ArticleWorld()
    var item = TestItem(guid: "1", title: "A", link: "http://a.example/a", age: 1)
    world.serve([item], etag: nil)
    try await world.run()
    world.clock.advance(days: 2)
    (item.title, item.link, item.age, item.text) = ("B", "http://a.example/b", -1, "corrected")
    if part == 0 { item.title = "A" }
    if part == 1 { item.link = "http://a.example/a" }
    if part == 2 { item.age = 1 }
    world.serve([item], etag: nil)
    #expect(try await world.run().articles?.changed == 1)
    #expect(try await world.articles().count == 1)
    #expect(try await rule(world) == 1)
  }

  @Test("a feed that changes its rule stores nothing twice, edited items included")
  func moved() async throws {
    let world = try await ArticleWorld()
    func items(_ text: String) -> [TestItem] {
      (0..<5).map {
        TestItem(guid: "\($0)", title: "T\($0)", link: "http://a.example/\($0)", text: text, age: 1)
      }
    }
    world.serve(items("before"), etag: nil)
    try await world.run()
    world.clock.advance(days: 2)
    let other = TestItem(guid: "4", title: "Other", link: "http://a.example/other", age: -1)
    world.serve([other] + items("after"), etag: nil)
    let counts = try #require(try await world.run().articles)
    #expect(counts.new == 1 && counts.changed == 5)
    #expect(try await world.articles().count == 6)
    #expect(try await rule(world) == 2)
  }

  @Test("a document without its end does not show that an item has left it")
  func cut() async throws {
    let world = try await ArticleWorld()
    func item(_ title: String, _ text: String, age: Double) -> TestItem {
      TestItem(title: title, link: "http://a.example/", text: text, age: age)
    }
    world.serve([item("B", "2", age: 1), item("A", "1", age: 2)], etag: nil)
    try await world.run()
    world.clock.advance(days: 1.1)
    for isCut in [true, false] {
      // The former A is older than all items that come.
      let items = [item("A", isCut ? "1, edited" : "4", age: -1), item("B", "2", age: 1)]
      let text = TestItem.document(items + (isCut ? [item("C", "3", age: 3)] : []))
      let end = try #require(text.range(of: "</item>", options: .backwards))
      world.web.serve(
        isCut ? String(text[..<end.lowerBound]) : text, at: "http://a.example/feed", etag: nil)
      try await world.run()
      #expect(try await world.articles().count == (isCut ? 2 : 3))
    }
  }

  @Test("an article of a user with a true title and false text keeps no true one out")
  func falseArticle() async throws {
    let world = try await ArticleWorld()
    let item = TestItem(guid: "new", title: "True", link: "http://a.example/1", age: 1)
    world.serve([TestItem(guid: "0", title: "Before", age: 2)], etag: nil)
    try await world.run(hasLease: true)
    let stranger = LocalContainer(
      store: world.container.store, identity: CallerIdentity(userRecordName: "_ann"))
    let published = Timestamp(milliseconds: ArticleWorld.start.milliseconds - 86_400_000)
    let operation = RecordOperation(
      .create, recordType: "PublicArticle", recordName: "false",
      fields: [
        "guid": .string("http://a.example/1#0"), "feedReference": .reference(Reference("a")),
        "title": .string("True"), "url": .string("http://a.example/1"), "contentText": .string("false"),
        "publishedDate": .timestamp(published),
        "contentHash": .string(
          ArticleIdentity.contentHash(title: "True", url: "http://a.example/1", text: "text")),
      ])
    #expect(try await stranger.modify([operation]).first?.error == nil)
    world.serve([item, TestItem(guid: "http://a.example/1#1", title: "True", age: 1)], etag: nil)
    #expect(try await world.run(hasLease: true).articles?.new == 2)
  }

  @Test("texts that are stored for other levels, and checks that store nothing, leave the rule")
  func switched() async throws {
    let world = try await ArticleWorld()
    let items = (0..<3).map { TestItem(guid: "1", title: "T\($0)", link: "http://a.example/\($0)") }
    world.serve(items, etag: nil)
    for options in [ArticleOptions(), nil, ArticleOptions(content: .full), nil, ArticleOptions()] {
      try await world.run(options)
      #expect(try await rule(world) == 2)
      #expect(try await world.articles().count == 3)
      world.clock.advance(days: 0.1)
    }
  }
}

import Articles
import CloudKitModel
import ContainerFaults
import FeedHealth
import Testing

/// How many requests a run makes.
@Suite struct RequestCountTests {
  private static let feeds = 400
  private static let items = 20

  /// The number of requests of a run.
  private func requests(_ world: ArticleWorld, _ options: ArticleOptions = ArticleOptions()) async throws -> (
    count: Int, articles: ArticleCounts
  ) {
    let container = FaultyContainer(world.container)
    let result = try await world.run(on: container, options)
    return (container.requests.count, try #require(result.articles))
  }

  /// Items of which those that the first document does not have are newer than it.
  private func items(_ numbers: ClosedRange<Int>, of name: String) -> [TestItem] {
    var items = TestItem.list(numbers.map { "\(name)-\($0)" })
    for (index, number) in numbers.enumerated() where number >= Self.items {
      items[index].age = -0.1 * Double(number - Self.items + 1)
    }
    return items
  }

  private func rounded(_ count: Int) -> Int { (count + 199) / 200 }

  @Test("a first fill, and a run in which 5 % of the feeds have one new item")
  func count() async throws {
    let names = (0..<Self.feeds).map { "f\($0)" }
    let world = try await ArticleWorld(feeds: names)
    for name in names {
      world.serve(TestItem.list((0..<Self.items).map { "\(name)-\($0)" }), at: name, etag: "\"1\"")
    }
    let reads = 2 * rounded(Self.feeds)
    let all = Self.feeds * Self.items
    let first = try await requests(world, ArticleOptions(otherWriters: false))
    #expect(first.articles.new == all)
    // Looked up, created; FeedMetadata created and PublicFeed changed.
    let fill = reads + 2 * rounded(all) + 2 * rounded(Self.feeds)
    #expect(Double(first.count) <= 1.05 * Double(fill) + 8, "\(first.count) of \(fill)")

    world.clock.advance(days: 0.1)
    for name in names.prefix(Self.feeds / 20) {
      world.serve(items(1...Self.items, of: name), at: name, etag: "\"2\"")
    }
    let changed = Self.feeds / 20
    let second = try await requests(world)
    #expect(second.articles.new == changed && second.articles.listed == changed * Self.items)
    // One query by guid for all of them.
    let budget = reads + rounded(changed * Self.items) + 1 + 1 + rounded(Self.feeds)
    // Finding out the schema, and once the state of each feed more, is not in it.
    #expect(second.count <= budget + 5, "\(second.count) of \(budget)")
    world.clock.advance(days: 0.1)
    for name in names.prefix(changed) {
      world.serve(items(2...Self.items + 1, of: name), at: name, etag: "\"3\"")
    }
    let alone = try await requests(world, ArticleOptions(otherWriters: false))
    #expect(alone.articles.new == changed)
    #expect(alone.count == second.count - 1)
  }
}

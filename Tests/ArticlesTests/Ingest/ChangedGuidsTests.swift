import Articles
import CloudKitModel
import ContainerFaults
import FeedHealth
import Platform
import Synchronization
import Testing

/// Feeds whose guids change: each item keeps its article, whatever runs come after.
@Suite struct ChangedGuidsTests {
  /// The publisher of the feed, which lists its newest items.
  private struct Publisher {
    private struct Item {
      var number: Int
      var version = 0
      var age: Double
    }

    private var items: [Item] = []
    private var guids = 0
    private let count: Int
    private let clock: ArticleClock

    init(count: Int, _ clock: ArticleClock) {
      self.count = count
      self.clock = clock
      items = (0..<count).map { Item(number: $0, age: 1) }
    }

    mutating func changeGuids() { guids += 1 }

    mutating func publish() {
      let age = -Double(clock.time.since(ArticleWorld.start).components.seconds) / 86_400
      items.insert(Item(number: (items.map(\.number).max() ?? 0) + 1, age: age), at: 0)
      items.removeLast(max(0, items.count - count))
    }

    mutating func edit(_ index: Int) { items[index].version += 1 }

    var document: [TestItem] {
      items.map {
        TestItem(
          guid: "\(guids)-\($0.number)", title: "Title \($0.number)", link: "http://a.example/\($0.number)",
          text: "text \($0.version)", age: $0.age)
      }
    }

    var hashes: Set<String> {
      Set(
        document.map { ArticleIdentity.contentHash(title: $0.title, url: $0.link, text: $0.text) })
    }
  }

  private func hashes(_ world: ArticleWorld) async throws -> [String] {
    try await world.articles().compactMap { $0["contentHash"]?.string }
  }

  @Test("guids that change at each fetch create nothing twice")
  func eachFetch() async throws {
    let world = try await ArticleWorld()
    var publisher = Publisher(count: 2, world.clock)
    world.serve(publisher.document, etag: nil)
    try await world.run()
    for _ in 0..<2 {
      publisher.changeGuids()
      world.serve(publisher.document, etag: nil)
      let counts = try #require(try await world.run().articles)
      #expect(counts.rekeyed == 2 && counts.written == 0)
      #expect(try await world.guids() == ["0-0", "0-1"])
    }
  }

  @Test(
    "after the guids changed once, new items are stored one by one and no other again", arguments: [5, 250],
    [true, false])
  func newItems(count: Int, otherWriters: Bool) async throws {
    let world = try await ArticleWorld()
    let options = ArticleOptions(otherWriters: otherWriters)
    var publisher = Publisher(count: count, world.clock)
    world.serve(publisher.document, etag: nil)
    try await world.run(options)
    publisher.changeGuids()
    for number in 1...4 {
      world.clock.advance(days: 0.1)
      publisher.publish()
      world.serve(publisher.document, etag: nil)
      let counts = try #require(try await world.run(options).articles)
      #expect(counts.new == 1 && counts.written == 1 && counts.rekeyed + counts.same == count - 1)
      #expect(try await world.articles().count == count + number)
    }
  }

  @Test(
    "an item that is edited again and again after its guid changed becomes one article, and no other item does"
  )
  func edited() async throws {
    let world = try await ArticleWorld()
    var publisher = Publisher(count: 5, world.clock)
    world.serve(publisher.document, etag: nil)
    try await world.run()
    publisher.changeGuids()
    for number in 0..<5 {
      world.serve(publisher.document, etag: nil)
      let counts = try #require(try await world.run().articles)
      #expect(counts.new == (number == 1 ? 1 : 0))
      #expect(try await world.articles().count == (number == 0 ? 5 : 6))
      world.clock.advance(days: 0.3)
      publisher.edit(2)
    }
  }

  @Test(
    "an item whose content equals that of one that is still listed is new, whatever its date",
    arguments: [nil, 1] as [Double?])
  func equalContent(age: Double?) async throws {
    let world = try await ArticleWorld()
    let first = TestItem(guid: "1", title: "Open", text: "Open thread", age: age)
    world.serve([first], etag: nil)
    try await world.run()
    let second = TestItem(guid: "2", title: "Open", text: "Open thread", age: age)
    world.serve([second, first], etag: nil)
    #expect(try await world.run().articles?.new == 1)
    // Each takes one of the two articles.
    world.serve(
      [second, first].map {
        TestItem(guid: "x\($0.guid ?? "")", title: "Open", text: "Open thread", age: age)
      }, etag: nil)
    let counts = try #require(try await world.run().articles)
    // Without dates and links nothing shows that both are the former ones.
    #expect(age == nil ? counts.new == 2 : counts.rekeyed == 2)
    #expect(try await world.articles().count == (age == nil ? 4 : 2))
  }

  @Test(
    "no content is stored twice and none is lost, in any order of edits, runs and stops",
    arguments: 0..<16 as Range<UInt64>)
  func anySequence(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let world = try await ArticleWorld()
    var publisher = Publisher(count: seed % 4 == 0 ? 210 : 5, world.clock)
    world.serve(publisher.document, etag: nil)
    try await world.run()
    var wasStopped = false
    for step in 1...20 {
      world.clock.advance(days: 0.3)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: publisher.changeGuids()
      case 1: publisher.edit(Int.random(in: 0..<5, using: &random))
      case 2: break
      default: publisher.publish()
      }
      world.serve(publisher.document, etag: nil)
      let options = ArticleOptions(
        content: Int.random(in: 0..<8, using: &random) == 0 ? .full : .excerpt,
        otherWriters: Bool.random(using: &random), maxItems: Bool.random(using: &random) ? 1 : nil)
      wasStopped = !wasStopped && Int.random(in: 0..<3, using: &random) == 0
      if wasStopped {
        _ = try? await world.run(
          on: stopped(world.container, at: Int.random(in: 3..<9, using: &random)), options)
      } else {
        try await world.run(options)
      }
      let stored = try await hashes(world)
      #expect(Set(stored).count == stored.count, "step \(step)")
    }
    world.clock.advance(days: 1.1)
    try await world.run()
    #expect(publisher.hashes.isSubset(of: try await hashes(world)))
  }

  /// Carries out some requests, and none after them.
  private func stopped(_ base: any Container, at number: Int) -> FaultyContainer {
    let count = Mutex(0)
    return FaultyContainer(base) { _ in
      let index = count.withLock { count in
        count += 1
        return count
      }
      return index < number ? nil : .refuse(ContainerFailure(.unavailable(retryAfter: nil), "stopped"))
    }
  }
}

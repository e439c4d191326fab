import Articles
import CloudKitModel
import ContainerFaults
import Diagnostics
import FeedHealth
import LocalContainer
import RecordChanges
import Synchronization
import Testing

@Suite struct PurgeTests {
  private func purge(
    _ world: ArticleWorld, on target: (any Container)? = nil, isDryRun: Bool = false, limit: Int? = nil,
    _ change: (inout ArticlePurge.Options) -> Void = { _ in }
  ) async throws -> PurgeResult {
    var options = ArticlePurge.Options(lifetime: .seconds(90 * 86_400))
    change(&options)
    let clock = world.clock
    let target = target ?? world.container
    let purge = ArticlePurge(container: target, mapping: .celestra, options: options)
    if isDryRun { return try await purge.run(through: nil, limit: limit) }
    let session = WriteSession(
      WritingJob("articles purge", kind: .job), container: target,
      dependencies: WriteSessionDependencies(now: { clock.time }, runID: "run", wait: { _ in }))
    return try await session.run { try await purge.run(through: $0, limit: limit) }
  }

  private func stored(_ guids: [String]) async throws -> ArticleWorld {
    let world = try await ArticleWorld()
    world.serve(TestItem.list(guids), etag: nil)
    try await world.run()
    return world
  }

  @Test("progress counts the whole work")
  func progress() async throws {
    let world = try await stored((0..<2300).map(String.init))
    world.clock.advance(days: 91)
    let shown = Mutex<[String]>([])
    var dependencies = WriteSessionDependencies(now: { world.clock.time }, runID: "run", wait: { _ in })
    dependencies.progress = { done, total in
      shown.withLock { $0.append("\(done) of \(total.map(String.init) ?? "?")") }
    }
    let job = WritingJob("articles purge", kind: .job, knowsTotal: false)
    let purge = ArticlePurge(
      container: world.container, mapping: .celestra, options: .init(lifetime: .seconds(90 * 86_400)))
    let result = try await WriteSession(job, container: world.container, dependencies: dependencies).run {
      try await purge.run(through: $0, limit: nil)
    }
    let lines = shown.withLock(\.self)
    #expect(result.deleted == 2300 && lines.first == "200 of 2300" && lines.last == "2300 of 2300")
    #expect(Set(lines).count == lines.count)
  }

  @Test("nothing is deleted before its time, and everything after it, in pages")
  func expired() async throws {
    let world = try await stored((0..<450).map(String.init))
    world.clock.advance(days: 89.9)
    #expect(try await purge(world).expired == 0)
    world.clock.advance(days: 0.2)
    #expect(try await purge(world, isDryRun: true).expired == 450)
    #expect(try await world.articles().count == 450)
    let result = try await purge(world)
    #expect(result.expired == 450 && result.deleted == 450)
    #expect(try await world.articles().isEmpty)
    #expect(try await purge(world).expired == 0)
    // They do not return.
    #expect(try await world.run().articles?.new == 0)
  }

  @Test("a purge each day for 100 days deletes what was stored 90 days before, and nothing of it returns")
  func daily() async throws {
    let world = try await ArticleWorld()
    var items = (0..<5).map { TestItem(guid: "old-\($0)", age: Double($0)) }
    var stored: [Int] = []
    var purged: [Int] = []
    for day in 0..<100 {
      // A feed that lists its items for a year, and has one or two new ones a day.
      items += (0...day % 2).map { TestItem(guid: "\(day)-\($0)", age: -Double(day)) }
      world.serve(items, etag: nil)
      stored.append(try #require(try await world.run().articles).new)
      purged.append(try await purge(world).deleted)
      world.clock.advance(days: 1)
    }
    #expect(stored == (0..<100).map { $0 % 2 + 1 + ($0 == 0 ? 5 : 0) })
    // A record of day 0 expires on day 90, and is deleted by the first purge after that moment.
    #expect(purged == (0..<100).map { $0 > 90 ? stored[$0 - 91] : 0 })
    #expect(try await world.articles().count == stored.suffix(91).reduce(0, +))
  }

  @Test("without an index on the time of creation the expiry decides alone, and the result says so")
  func withoutCreationIndex() async throws {
    let world = try await ArticleWorld { schema in
      schema.replacing(
        "RECORD TYPE PublicArticle (\n        \"___createTime\"      TIMESTAMP QUERYABLE,",
        with: "RECORD TYPE PublicArticle (")
    }
    world.serve(TestItem.list(["1"]), etag: nil)
    try await world.run()
    world.clock.advance(days: 91)
    let result = try await purge(world)
    #expect(result.deleted == 1)
    #expect(result.json["missingIndex"] == .string("\"___createTime\" TIMESTAMP QUERYABLE in PublicArticle"))
    #expect(
      result.text(.plain).description.contains("the schema lacks \"___createTime\" TIMESTAMP QUERYABLE"))
  }

  @Test("an article without an expiry, or with one that is too late, goes a lifetime after it was created")
  func withoutExpiry() async throws {
    let world = try await ArticleWorld()
    let fields: [[String: FieldValue]] = [
      ["guid": .string("none")],
      ["guid": .string("late"), "expiresAt": .timestamp(Timestamp(milliseconds: 9_000_000_000_000))],
    ]
    for (index, fields) in fields.enumerated() {
      let operation = RecordOperation(
        .create, recordType: "PublicArticle", recordName: "x\(index)", fields: fields)
      #expect(try await world.container.modify([operation]).first?.error == nil)
    }
    world.clock.advance(days: 89)
    #expect(try await purge(world).expired == 0)
    world.clock.advance(days: 2)
    #expect(try await purge(world).deleted == 2)
  }

  @Test("the newest stay if asked for, and a limit leaves the rest to the next run")
  func keeping() async throws {
    let world = try await ArticleWorld()
    world.serve((0..<9).map { TestItem(guid: "\($0)", age: Double($0)) }, etag: nil)
    try await world.run()
    world.clock.advance(days: 91)
    let limited = try await purge(world, limit: 4)
    #expect(limited.deleted == 4 && limited.json["complete"] == false)
    let most = try await purge(world, limit: 3) { $0.keepNewest = 2 }
    #expect(most.kept == 2 && most.deleted == 3, "the limit is what there was")
    #expect(most.json["complete"] == true)
    let result = try await purge(world) { $0.keepNewest = 2 }
    #expect(result.kept == 2 && result.deleted == 0)
    #expect(result.json["complete"] == true)
    #expect(try await world.articles().count == 2)
  }

  @Test(
    "--before is a moment in the past: one in the service's future is refused, whatever this machine's clock says"
  )
  func before() async throws {
    let world = try await stored(["1"])
    world.clock.advance(days: 100)
    #expect(try await purge(world) { $0.before = .time(ArticleWorld.start) }.expired == 0)
    let behind = FaultyContainer(world.container, clock: .service(at: world.clock.time - .seconds(86_400)))
    let error = try await #require(throws: CommandFailure.self) {
      try await purge(world, on: behind) { $0.before = .time(world.clock.time) }
    }
    #expect(error.status == .usage && error.message.contains("is in the future"))
    #expect(try await world.articles().count == 1)
  }

  @Test(
    "the service's clock decides, however far this machine's is from it",
    arguments: [(91 * 86_400, -12 * 3600, 1), (80 * 86_400, 12 * 86_400, 1), (91 * 86_400, -2 * 86_400, 0)])
  func clock(passed: Int, lead: Int, deleted: Int) async throws {
    let world = try await stored(["1"])
    world.clock.advance(days: Double(passed) / 86_400)
    let time = world.clock.time + .seconds(lead)
    let container = FaultyContainer(world.container, clock: .service(at: time, within: .seconds(3)))
    #expect(try await purge(world, on: container).deleted == deleted)
  }

  @Test("nothing is deleted when the service does not state its time, or only roughly")
  func uncertain() async throws {
    let world = try await stored(["1"])
    world.clock.advance(days: 91)
    for clock in [ContainerClock.unstated, .service(at: world.clock.time, within: .seconds(61))] {
      await #expect(throws: UncertainServiceTime.self) {
        try await purge(world, on: FaultyContainer(world.container, clock: clock))
      }
    }
    #expect(try await world.articles().count == 1)
  }

  @Test("an article that another client changes after it was found stays for the next run")
  func changed() async throws {
    let world = try await stored((0..<201).map(String.init))
    world.clock.advance(days: 91)
    let later = FieldValue.timestamp(world.clock.time + .seconds(86_400 * 60))
    let container = FaultyContainer(
      world.container,
      writes: [
        .after {
          let left = try await world.articles()[0].recordName
          _ = try await world.container.modify([
            RecordOperation(
              .forceUpdate, recordType: "PublicArticle", recordName: left, fields: ["expiresAt": later])
          ])
        }
      ])
    let result = try await purge(world, on: container)
    #expect(result.deleted == 200 && result.status == .partial)
    #expect(try await world.articles().count == 1)
  }

  @Test("a run that is stopped is continued by the next one")
  func stopped() async throws {
    let world = try await stored((0..<450).map(String.init))
    world.clock.advance(days: 91)
    let container = FaultyContainer(
      world.container, writes: [nil, .refuse(ContainerFailure(.unavailable(retryAfter: nil), "stopped"))])
    let result = try await purge(world, on: container)
    #expect(result.deleted == 200 && result.json["complete"] == false && result.failure != nil)
    #expect(try await purge(world).deleted == 250)
  }
}

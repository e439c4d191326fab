import CloudKitModel
import Cryptography
import Diagnostics
import Foundation
import LocalContainer
import RecordChanges
import SchemaLanguage
import Testing

@testable import Aggregates

/// Names are checked while they are counted, with the shipped schema in the embedded container.
@Suite("Made-up names") struct MadeUpNamesTests {
  private static let text: String = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    // Without the file each test fails by itself.
    return (try? String(contentsOf: root.appending(path: "schema/celestra.ckdb"), encoding: .utf8)) ?? ""
  }()
  private static let oldKey = CallerIdentity(userRecordName: "_old key", customRoles: .all)

  private static func name(_ feed: String, _ user: String) -> String { SHA256.hex("\(feed)-\(user)") }

  /// `feed-1` with 60 true subscriptions, `madeUp` false ones of one person, 10 that this key imported, and 10 that the
  /// key before it imported, which made the lease of the last recount.
  private func container(madeUp: Int) async throws -> LocalContainer {
    let key = try LocalContainer.open(.memory)
    try await key.importSchema(Self.text)
    _ = try await key.modify([
      RecordOperation(
        .create, recordType: "PublicFeed", recordName: "feed-1", fields: ["title": .string("One")])
    ])
    func create(_ names: [String], as users: [String]) async throws {
      let operations = names.map {
        RecordOperation(
          .create, recordType: "FeedSubscription", recordName: $0,
          fields: ["feedRecordName": .string("feed-1")])
      }
      let outcomes = try await key.create(operations, as: users)
      #expect(outcomes.allSatisfy { $0.error == nil })
    }
    let people = (0..<60).map { "_person\($0)" }
    try await create(people.map { Self.name("feed-1", $0) }, as: people)
    try await create(
      (0..<madeUp).map { SHA256.hex("invented \($0)") }, as: (0..<madeUp).map { _ in "_person1" })
    try await create(
      (0..<10).map { SHA256.hex("imported \($0)") }, as: (0..<10).map { _ in key.callerRecordName ?? "" })
    try await create((0..<10).map { SHA256.hex("older \($0)") }, as: (0..<10).map { _ in "_old key" })
    let old = LocalContainer(store: key.store, identity: Self.oldKey)
    #expect(try await recount(old).run().phase == .done)
    return key
  }

  private func recount(
    _ container: any Container, _ declaration: AggregateDeclaration? = nil,
    _ configure: (inout RecountOptions) -> Void = { _ in }
  ) throws -> Recount {
    let schema = try Schema(parsing: Self.text)
    var options = RecountOptions()
    configure(&options)
    let first = try #require(AggregateDeclaration.builtIn(for: schema).first)
    return Recount(
      declaration ?? first, schema: schema, container: container, options: options,
      dependencies: Fixtures.environment(schema: schema))
  }

  private func readers(_ container: LocalContainer) async throws -> Int64? {
    try await container.lookupAll(["feed-1"]).first?.record?["subscriberCount"]?.int64
  }

  @Test(
    "sweep and names report made-up names and count them; own, rotated and imported ones are no such names",
    arguments: [ScanStrategy.sweep, .byTarget])
  func reported(_ strategy: ScanStrategy) async throws {
    let key = try await container(madeUp: 40)
    let result = try await recount(key) { $0.strategy = strategy }.run().result
    #expect(result.names == NameTally(verified: 60, own: 20, madeUp: 40))
    #expect(result.sources == 120 && result.complete)
    #expect(result.madeUpTargets == [MadeUpTarget(recordName: "feed-1", sources: 120, madeUp: 40)])
    #expect(try await readers(key) == 120)
  }

  @Test("pushdown checks names only when asked")
  func unasked() async throws {
    let result = try await recount(container(madeUp: 40)).run().result
    #expect(result.strategy == .pushdown && result.names == nil && result.sources == 120)
  }

  @Test("with names by creator, made-up ones are left out by each strategy", arguments: ScanStrategy.allCases)
  func excluded(_ strategy: ScanStrategy) async throws {
    let key = try await container(madeUp: 40)
    let outcome = try await recount(key) {
      $0.strategy = strategy
      $0.names = .verified
    }.run()
    #expect(outcome.phase == .done && outcome.result.strategy == strategy)
    #expect(outcome.result.names == NameTally(verified: 60, own: 20, madeUp: 40))
    #expect(outcome.result.sources == 80 && outcome.result.invalidNames == 0)
    #expect(outcome.result.madeUpTargets == [MadeUpTarget(recordName: "feed-1", sources: 120, madeUp: 40)])
    #expect(try await readers(key) == 80)
  }

  @Test(
    "what would fall further than allowed is the risk count-drop, and only with it written",
    arguments: [(33.0, false, 120), (34, false, 80), (33, true, 80)])
  func risk(_ maxDrop: Double, _ accepts: Bool, _ expected: Int64) async throws {
    let key = try await container(madeUp: 40)
    let outcome = try await recount(key) {
      $0.names = .verified
      $0.maxDrop = maxDrop
      $0.acceptsCountDrop = accepts
    }.run()
    #expect(try await readers(key) == expected)
    #expect(outcome.status == (expected == 120 ? .failed : .done))
    guard expected == 120 else { return }
    #expect(outcome.failure?.code == "risk-not-accepted")
    #expect(outcome.failure?.hint?.contains("--accept-risk count-drop") == true)
  }

  @Test("a drop for another reason stays one that the risk does not accept")
  func otherDrop() async throws {
    let key = try await container(madeUp: 10)
    for user in (0..<50).map({ "_person\($0)" }) {
      let person = LocalContainer(store: key.store, identity: CallerIdentity(userRecordName: user))
      let gone = try await person.modify([
        RecordOperation(.forceDelete, recordName: Self.name("feed-1", user))
      ])
      #expect(gone.allSatisfy { $0.error == nil })
    }
    let outcome = try await recount(key) {
      $0.names = .verified
      $0.maxDrop = 20
      $0.acceptsCountDrop = true
    }.run()
    #expect(outcome.failure?.code == "dropped-too-far" && outcome.text().description.contains("count-drop"))
    #expect(try await readers(key) == 90)
  }

  @Test(
    "when fewer than half of the names of others verify, nothing is left out and nothing written",
    arguments: [(60, 80), (61, nil)])
  func doubtful(_ madeUp: Int, _ expected: Int64?) async throws {
    let key = try await container(madeUp: madeUp)
    let outcome = try await recount(key) {
      $0.names = .verified
      $0.maxDrop = 100
      $0.acceptsCountDrop = true
    }.run()
    #expect(try await readers(key) == expected ?? Int64(80 + madeUp))
    #expect(outcome.failure?.code == (expected == nil ? "names-do-not-verify" : nil))
  }

  @Test("checking names makes no request more", arguments: [ScanStrategy.sweep, .byTarget])
  func requests(_ strategy: ScanStrategy) async throws {
    var shape = try #require(AggregateDeclaration.builtIn(for: try Schema(parsing: Self.text)).first)
    shape.source.recordNames = .sha256
    var counts: [RequestCounts] = []
    var all: [RequestCounts] = []
    for declaration in [shape, nil] {
      let counter = RequestCountingContainer(try await container(madeUp: 5))
      counts.append(try await recount(counter, declaration) { $0.strategy = strategy }.run().result.requests)
      all.append(counter.counts)
    }
    // The titles of the feeds that the report names are looked up together.
    counts[0].lookup += 1
    all[0].lookup += 1
    #expect(counts[0] == counts[1])
    // With those for the lease.
    #expect(all[0] == all[1])
  }

  @Test("an aggregate whose names are not declared so refuses the option")
  func undeclared() async throws {
    var shape = try #require(AggregateDeclaration.builtIn(for: try Schema(parsing: Self.text)).first)
    shape.source.recordNames = .sha256
    let recount = try recount(try await container(madeUp: 1), shape) { $0.names = .verified }
    await #expect { try await recount.run() } throws: { error in
      (error as? CommandFailure)?.code == "names-not-declared"
    }
  }

  @Test("targets with fewer than five sources are not named")
  func few() {
    var scan = Fixtures.scan(groups: ["few", "enough"])
    scan.tally.madeUp = [0: 4, 1: 1]
    scan.tally.measures = [0: .integer(4), 1: .integer(5)]
    #expect(MadeUpTarget.largest(in: scan, excluded: false).map(\.recordName) == ["enough"])
    #expect(MadeUpTarget.largest(in: scan, excluded: true).map(\.recordName) == ["few", "enough"])
  }
}

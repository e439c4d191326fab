import ContainerFaults
import Diagnostics
import RecordChanges
import SchemaLanguage
import Synchronization
import Testing

@testable import Aggregates
@testable import CloudKitModel

@Suite("Recounts under faults") struct RecountFaultTests {
  @Test("a sweep that breaks off writes nothing and says what is left")
  func brokenSweep() async throws {
    let container = MemoryContainer(pageSize: 20) { query, _ in
      if query.continuationMarker != nil, query.query.recordType == "FeedSubscription" {
        throw ContainerFailure(.outcomeUnknown, "connection reset")
      }
    }
    Fixtures.fill(container, feeds: 10)
    let outcome = try await Fixtures.recount(container) { $0.strategy = .sweep }.run()
    #expect(outcome.phase == .unread(numbers: 20))
    #expect(outcome.result.complete == false && outcome.result.sources == 20)
    #expect(outcome.interruption is ContainerFailure)
    #expect(container.modifies == 0)
  }

  @Test("when one bin breaks off, the others are written and its own targets are not")
  func brokenBin() async throws {
    let container = MemoryContainer { query, _ in
      let names = query.query.filters.first?.value.elements ?? []
      if names.contains(.string("feed-7")) { throw ContainerFailure(.outcomeUnknown, "connection reset") }
    }
    Fixtures.fill(container, feeds: 250)
    let outcome = try await Fixtures.recount(container) { $0.strategy = .byTarget }.run()
    guard case .unread(let left) = outcome.phase else {
      Issue.record("expected groups to be left, found \(outcome.phase)")
      return
    }
    #expect((1...200).contains(left))
    #expect(container["feed-7"]?["subscriberCount"] == nil)
    let exact = (0..<250).count {
      container["feed-\($0)"]?["subscriberCount"] == .int64(Int64(Fixtures.subscribers(of: $0)))
    }
    #expect(exact == 250 - left / 2)
  }

  @Test("targets that cannot all be read stop the run before anything is counted")
  func brokenTargets() async throws {
    let container = MemoryContainer(pageSize: 3) { query, _ in
      if query.query.recordType == "PublicFeed", query.continuationMarker != nil {
        throw ServerError(.throttled, "later", retryAfter: .seconds(3600))
      }
    }
    Fixtures.fill(container, feeds: 10)
    await #expect(throws: ServerError.self) { try await Fixtures.recount(container).run() }
    #expect(container.modifies == 0)
  }

  @Test("markers that go in circles end the run", arguments: [1, 2, 3, 7])
  func circles(length: Int) async throws {
    var schema = Fixtures.schema
    schema.recordTypes.removeAll { $0.name == "AdminLease" }
    let recount = Recount(
      AggregateDeclaration.subscribers, schema: schema, container: Circle(length: length),
      dependencies: Fixtures.environment(schema: schema))
    let outcome = try await recount.run()
    #expect((outcome.interruption as? ContainerFailure)?.kind == .unavailable(retryAfter: nil))
    #expect(outcome.result.complete == false)
  }

  @Test("a query whose pages repeated themselves once is read again, and nothing of it counts twice")
  func oneCircle() async throws {
    let box = Box()
    let container = MemoryContainer(pageSize: 20) { query, _ in
      guard query.query.recordType == "FeedSubscription", query.continuationMarker != nil else { return }
      let pages = box.holders.withLock {
        $0.append("")
        return $0.count
      }
      if pages == 3 { throw RepeatedPagesError() }
    }
    Fixtures.fill(container, feeds: 10)
    let outcome = try await Fixtures.recount(container) { $0.strategy = .sweep }.run()
    #expect(outcome.phase == .done)
    #expect(Fixtures.isExact(container, feeds: 10))
  }

  @Test("a drop beyond the guard stops the run before it writes, and the outcome shows it")
  func drop() async throws {
    let container = MemoryContainer()
    container.insert([Fixtures.feed(1, subscribers: 100), Fixtures.feed(2, subscribers: 1000)])
    container.insert((0..<40).map { Fixtures.subscription("feed-1", user: $0) })
    container.insert((0..<990).map { Fixtures.subscription("feed-2", user: $0) })
    let outcome = try await Fixtures.recount(container).run()
    #expect(
      outcome.phase
        == .stopped(
          [.init(recordType: "PublicFeed", recordName: "feed-1", from: .integer(100), to: .integer(40))],
          maxDrop: 50))
    let hint = outcome.failure?.hint
    #expect(hint?.hasSuffix("run 'celestra-admin recount subscribers --max-drop 60' once.") == true)
    #expect(outcome.result.complete == false)
    #expect(container.modifies == 0)
    let allowed = try await Fixtures.recount(container) { $0.maxDrop = 60 }.run()
    #expect(allowed.status == .done)
  }

  @Test(
    "the guard is the aggregate's own, which the option overrides",
    arguments: [(59.0, nil, false), (60, nil, true), (60, 59.0, false), (0, 60, true)])
  func ownDrop(_ declared: Double, _ option: Double?, _ isWritten: Bool) async throws {
    let container = MemoryContainer()
    container.insert([Fixtures.feed(1, subscribers: 100)])
    container.insert((0..<40).map { Fixtures.subscription("feed-1", user: $0) })
    var declaration = AggregateDeclaration.subscribers
    declaration.maxDrop = declared
    let outcome = try await Fixtures.recount(container, declaration) { $0.maxDrop = option }.run()
    #expect((outcome.result.written == 1) == isWritten)
    if !isWritten, case .stopped(_, let maxDrop) = outcome.phase { #expect(maxDrop == 59) }
  }

  @Test("a recount of participants publishes that all have left")
  func allLeave() throws {
    let value = SuddenDropCheck.Drop(
      recordType: "LiveSession", recordName: "s", from: .integer(900), to: .integer(0))
    #expect(SuddenDropCheck(maxDrop: AggregateDeclaration.participants.maxDrop).drops(in: [value]).isEmpty)
    #expect(
      SuddenDropCheck(maxDrop: AggregateDeclaration.subscribers.maxDrop).drops(in: [value]).count == 2)
  }

  @Test("the guard checks no target of 20 or fewer, but checks the total")
  func smallDrop() {
    let values = [(from: 20, to: 0), (from: 30, to: 29)].enumerated().map {
      SuddenDropCheck.Drop(recordType: "T", recordName: "\($0)", from: .integer($1.from), to: .integer($1.to))
    }
    #expect(SuddenDropCheck().drops(in: values).isEmpty)
    #expect(SuddenDropCheck(maxDrop: 40).drops(in: values).map(\.recordName) == [nil])
  }

  @Test("a declaration that does not fit the schema is refused before anything is read")
  func misfit() async throws {
    let container = MemoryContainer()
    var schema = Fixtures.schema
    schema.recordTypes.removeAll { $0.name == "FeedSubscription" }
    await #expect(throws: CommandFailure.self) {
      try await Fixtures.recount(container, schema: schema).run()
    }
    #expect(container.queries == 0)
  }

  @Test("without the lease's record type the run goes on and says so")
  func noLeaseType() async throws {
    let container = MemoryContainer()
    Fixtures.fill(container, feeds: 2)
    var schema = Fixtures.schema
    schema.recordTypes.removeAll { $0.name == "AdminLease" }
    let notes = Mutex<[PrintableText]>([])
    var environment = Fixtures.environment(schema: schema)
    environment.note = { note in notes.withLock { $0.append(note) } }
    let outcome = try await Recount(
      AggregateDeclaration.subscribers, schema: schema, container: container, dependencies: environment
    ).run()
    #expect(outcome.phase == .done)
    #expect(notes.withLock { $0.map(\.description) }.first?.contains("no record type AdminLease") == true)
  }

  @Test("orphans are removed only when asked, and never one whose target exists after all")
  func prune() async throws {
    let container = MemoryContainer()
    Fixtures.fill(container, feeds: 3)
    container.insert((0..<4).map { Fixtures.subscription("elsewhere", user: $0) })
    container.insert([Record(recordType: "Other", recordName: "elsewhere")])
    let plain = try await Fixtures.recount(container).run()
    #expect(plain.result.orphans == 11)
    #expect(plain.pruning == nil)
    let dry = try await Fixtures.recount(container, dryRun: true) { $0.pruneOrphans = true }.run()
    #expect(dry.pruning?.changes.count == 7)
    #expect(container.count("FeedSubscription") { $0["feedRecordName"] == .string("gone") } == 7)
    // They are asked about by their number, before anything is written.
    await #expect(throws: CancellationError.self) {
      try await Fixtures.recount(container) { options in
        options.pruneOrphans = true
        options.confirmsPruning = { count in
          #expect(count == 7)
          throw CancellationError()
        }
      }.run()
    }
    #expect(container.count("FeedSubscription") { $0["feedRecordName"] == .string("gone") } == 7)
    let outcome = try await Fixtures.recount(container) { $0.pruneOrphans = true }.run()
    #expect(outcome.pruning?.report?.applied == 7)
    #expect(container.count("FeedSubscription") { $0["feedRecordName"] == .string("gone") } == 0)
    #expect(container.count("FeedSubscription") { $0["feedRecordName"] == .string("elsewhere") } == 4)
  }

  @Test("one run deletes no more orphans than its limit")
  func pruneLimit() async throws {
    let container = MemoryContainer()
    Fixtures.fill(container, feeds: 3)
    let outcome = try await Fixtures.recount(container) { ($0.pruneOrphans, $0.pruneLimit) = (true, 5) }.run()
    #expect(outcome.pruning?.report?.applied == 5)
    #expect(container.count("FeedSubscription") { $0["feedRecordName"] == .string("gone") } == 2)
  }

  @Test("nothing can be pruned on the strength of a part")
  func pruneShard() async throws {
    let container = MemoryContainer()
    let recount = Fixtures.recount(container) {
      $0.pruneOrphans = true
      $0.shard = RecountShard(1, of: 2) ?? .whole
    }
    await #expect(throws: CommandFailure.self) { try await recount.run() }
  }
}

/// A container whose subscriptions never end.
private struct Circle: ContainerDouble {
  let length: Int
  let identity = ContainerIdentity(name: "memory:", environment: .development)

  func query(_ request: QueryRequest) async throws -> QueryPage {
    guard request.query.recordType == "FeedSubscription" else { return QueryPage(records: []) }
    let place = request.continuationMarker.flatMap(Int.init) ?? 0
    return QueryPage(records: [], continuationMarker: String((place + 1) % length))
  }

  func lookup(_ request: LookupRequest) async throws -> [RecordOutcome] {
    request.recordNames.map { .failed(recordName: $0, ServerError(.notFound, "Record not found")) }
  }

  func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] {
    throw ContainerFailure(.readOnly, "nothing may be written here")
  }
}

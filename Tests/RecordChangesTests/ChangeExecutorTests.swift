import CloudKitModel
import ContainerFaults
import CustomDump
import Diagnostics
import Synchronization
import Testing

@testable import RecordChanges

@Suite struct ChangeExecutorTests {
  private func executor(_ container: FaultyContainer, _ policy: ConflictPolicy = .refuse) -> ChangeExecutor {
    ChangeExecutor(container: container, policy: policy, wait: { _ in })
  }

  private func create(_ name: String, _ title: String = "A") -> RecordChange {
    RecordChange(
      .create, recordType: "Feed", recordName: name, fields: ["title": FieldChange(to: .string(title))])
  }

  private func retitle(_ record: Record?, from: String, to: String) -> RecordChange {
    RecordChange(
      .update, recordType: "Feed", recordName: record?.recordName ?? "", changeTag: record?.changeTag,
      fields: ["title": FieldChange(from: .string(from), to: .string(to))])
  }

  private var existing: Record {
    Record(recordType: "Feed", recordName: "a", fields: ["title": .string("A"), "score": .int64(1)])
  }

  @Test("creates, updates and deletes reach the container")
  func allActions() async throws {
    let container = try await FaultyContainer.feeds([
      existing, Record(recordType: "Feed", recordName: "gone"),
    ])
    let report = try await executor(container).apply([
      create("b"), retitle(container.record("a"), from: "A", to: "B"),
      RecordChange(
        .delete, recordType: "Feed", recordName: "gone", changeTag: container.record("gone")?.changeTag),
    ])
    #expect(report.isComplete)
    #expect(report.applied == 3)
    #expect(try await container.record("b")?["title"] == .string("A"))
    #expect(try await container.record("a")?["title"] == .string("B"))
    #expect(try await container.record("a")?["score"] == .int64(1))
    #expect(try await container.record("gone") == nil)
  }

  @Test("a request holds at most 200 records, and the order is kept")
  func batchesByCount() async throws {
    let container = try await FaultyContainer.feeds()
    let report = await executor(container).apply((0..<450).map { create("r\($0)") })
    #expect(report.applied == 450)
    expectNoDifference(container.requestSizes, [200, 200, 50])
  }

  @Test("a request stays under the size limit")
  func batchesBySize() async throws {
    let container = try await FaultyContainer.feeds()
    let large = String(repeating: "x", count: 600_000)
    let report = await executor(container).apply((0..<5).map { create("r\($0)", large) })
    #expect(report.applied == 5)
    expectNoDifference(container.requestSizes, [2, 2, 1])
  }

  @Test(
    "two changes of one record go in two requests, because the second needs the tag that the first one makes")
  func oneRecordTwice() async throws {
    let container = try await FaultyContainer.feeds([existing])
    let first = retitle(try await container.record("a"), from: "A", to: "B")
    let second = retitle(try await container.record("a"), from: "B", to: "C")
    let report = await executor(container).apply([create("x"), first, second, create("y")])
    #expect(report.isComplete && report.applied == 4)
    #expect(try await container.record("a")?["title"] == .string("C"))
    // The second one meets the new tag, is settled by reading, and is sent once more.
    #expect(container.requestSizes.first == 2 && container.requestSizes.reduce(0, +) == 5)
  }

  @Test("what refers with VALIDATE to a record that is made later, or sent again, is written after it")
  func laterTargets() async throws {
    let container = try await FaultyContainer.feeds([existing])
    var update = retitle(try await container.record("a"), from: "A", to: "B")
    update.fields["category"] = FieldChange(to: .reference(Reference("b", action: .validate)))
    let report = await executor(container).apply([update, create("b")])
    #expect(report.isComplete && report.applied == 2 && container.requestSizes == [1, 1])
    var referring = create("d")
    referring.fields["category"] = FieldChange(to: .reference(Reference("c", action: .validate)))
    let again = await ChangeExecutor(
      container: HalfBusyContainer(base: container), policy: .refuse, wait: { _ in }
    ).apply([create("c"), referring])
    #expect(again.isComplete && again.applied == 2, "\(again.results)")
  }

  @Test("a change of exactly the request's size, or larger, still goes alone")
  func exactSize() {
    let changes = [create("a", "xxxx"), create("b", "xxxx"), create("c", "xxxx")]
    let size = changes[0].estimatedSize
    #expect(changes.batchLength(maxBytes: 2 * size) == 2)
    #expect(changes.batchLength(maxBytes: 2 * size - 1) == 1)
    #expect(changes.batchLength(maxBytes: size - 1) == 1)
    #expect([changes[0], changes[0]].batchLength() == 1)
  }

  @Test("bytes count with their length in Base64, and text with an eighth more than its length")
  func estimatedSizes() {
    func size(_ value: FieldValue?) -> Int {
      RecordChange(.create, recordType: "Feed", recordName: "a", fields: ["note": FieldChange(to: value)])
        .estimatedSize
    }
    let bytes = [UInt8](repeating: 7, count: 3000)
    #expect(size(.bytes(bytes)) - size(nil) == 4000)
    #expect(size(.string(String(repeating: "x", count: 800))) - size(nil) == 900)
    #expect(size(.list(of: .bytes, [.bytes(bytes), .bytes(bytes)])) - size(nil) == 2 * 4001)
  }

  @Test("a stale tag is settled by reading again when nobody touched our fields")
  func unrelatedEdit() async throws {
    let container = try await FaultyContainer.feeds([existing])
    let change = retitle(try await container.record("a"), from: "A", to: "B")
    try await container.edit("a", ["score": .int64(2)])
    let report = await executor(container).apply([change])
    #expect(report.applied == 1)
    #expect(try await container.record("a")?.fields == ["title": .string("B"), "score": .int64(2)])
  }

  @Test("an editor's value is never overwritten; a computed one is")
  func ownFieldEdited() async throws {
    let container = try await FaultyContainer.feeds([existing])
    let change = retitle(try await container.record("a"), from: "A", to: "B")
    try await container.edit("a", ["title": .string("C")])
    let refused = await executor(container, .refuse).apply([change])
    #expect(refused.results.map(\.outcome) == [.conflict("another run or client changed title")])
    #expect(try await container.record("a")?["title"] == .string("C"))
    let reapplied = await executor(container, .reapply).apply([change])
    #expect(reapplied.applied == 1)
    #expect(try await container.record("a")?["title"] == .string("B"))
  }

  @Test("a new record adds nothing to one of its name, unless that is a job's own")
  func nameTaken() async throws {
    let container = try await FaultyContainer.feeds([
      Record(recordType: "Feed", recordName: "a", fields: ["score": .int64(1)])
    ])
    let refused = await executor(container).apply([create("a")])
    #expect(refused.conflicts == 1)
    #expect(try await container.record("a")?["title"] == nil)
    let reapplied = await executor(container, .reapply).apply([create("a")])
    #expect(reapplied.applied == 1)
    #expect(try await container.record("a")?.fields == ["score": .int64(1), "title": .string("A")])
  }

  @Test("a refusal that is about every record ends the run before each was sent alone")
  func hopeless() async throws {
    let refusal = ServerError(.quotaExceeded, "Quota exceeded")
    let faults = Array(repeating: FaultyContainer.Fault.refuse(refusal), count: 500)
    let container = try await FaultyContainer.feeds(writes: faults)
    let report = await executor(container).apply((0..<200).map { create("r\($0)") })
    #expect(container.requestSizes.count < 20)
    #expect((report.interruption as? ServerError)?.isSame(as: refusal) == true)
    #expect(report.results.count { $0.outcome == .notAttempted } == 190)
  }

  @Test("ten requests in which every record is refused for one reason end the run")
  func hopelessRecords() async throws {
    let refusal = ServerError(.accessDenied, "Access denied")
    let container = try await FaultyContainer.feeds(
      writes: Array(repeating: .eachRecord(refusal), count: 500))
    let report = await executor(container).apply((0..<2200).map { create("r\($0)") })
    #expect(container.requestSizes.count == 10)
    #expect((report.interruption as? ServerError)?.isSame(as: refusal) == true)
    #expect(report.failed == 2000)
  }

  @Test("refusals for different reasons, or between writes that succeed, end no run")
  func refusalsInBetween() async throws {
    let refused = [ServerError(.accessDenied, "no role"), ServerError(.accessDenied, "no grant")]
    let faults = (0..<20).map { FaultyContainer.Fault.eachRecord(refused[$0 % 2]) }
    let report = try await executor(FaultyContainer.feeds(writes: faults)).apply(
      (0..<4000).map { create("r\($0)") })
    #expect(report.interruption == nil)
    #expect(report.failed == 4000)
    let rare = (0..<20).map { $0 % 9 == 8 ? nil : FaultyContainer.Fault.eachRecord(refused[0]) }
    let mixed = try await executor(FaultyContainer.feeds(writes: rare)).apply(
      (0..<4000).map { create("r\($0)") })
    #expect(mixed.interruption == nil)
    #expect(mixed.applied == 2 * 200)
  }

  /// Something in front of the service that refuses larger requests.
  private func gateway(
    _ maxOperations: Int
  ) -> @Sendable (FaultyContainer.Request) -> FaultyContainer.Fault? {
    { request in
      guard case .modify(let operations) = request, operations.count > maxOperations else { return nil }
      return .refuse(ContainerFailure(.tooLarge, "HTTP status 413"))
    }
  }

  @Test("a request that is too large for the way there is halved until it passes")
  func tooLarge() async throws {
    let container = try await FaultyContainer.feeds(fault: gateway(60))
    let report = await executor(container).apply((0..<200).map { create("r\($0)") })
    #expect(report.applied == 200)
    #expect(container.requestSizes == [200, 100, 50, 50, 50, 50])
    #expect(container.writes.values.max() == 1)
  }

  @Test("a record that is too large alone is named, and what all are too large for stops soon")
  func allTooLarge() async throws {
    let container = try await FaultyContainer.feeds(fault: gateway(0))
    let report = await executor(container).apply((0..<200).map { create("r\($0)") })
    #expect(container.requestSizes.count < 20)
    #expect((report.interruption as? ServerError)?.code == .requestTooLarge)
    #expect(report.failed == 10)
  }

  @Test(
    "a change of a record that has no change tag is not sent", arguments: [ConflictPolicy.refuse, .reapply])
  func untagged(policy: ConflictPolicy) async throws {
    let container = try await FaultyContainer.feeds([existing])
    var update = retitle(try await container.record("a"), from: "A", to: "B")
    update.changeTag = nil
    let report = await executor(container, policy).apply([
      update, RecordChange(.delete, recordType: "Feed", recordName: "a"), create("b"),
    ])
    #expect(report.conflicts == 2)
    #expect(report.applied == 1)
    #expect(try await container.record("a")?["title"] == .string("A"))
    #expect(container.requestSizes == [1])
  }

  @Test("a conflict is settled by the fields of the changes alone")
  func ownFieldsOnly() async throws {
    let container = try await FaultyContainer.feeds([existing])
    let change = retitle(try await container.record("a"), from: "A", to: "B")
    try await container.edit("a", ["score": .int64(2)])
    let report = await executor(container).apply([change])
    #expect(report.applied == 1)
    let asked = container.requests.compactMap { if case .lookup(let request) = $0 { request } else { nil } }
    #expect(asked.map(\.desiredKeys) == [["title"]])
  }

  @Test("a look-up that fails does not undo what is known of the write before it")
  func lostLookup() async throws {
    let container = try await FaultyContainer.feeds([existing]) { request in
      guard case .lookup = request else { return nil }
      return .loseRequest
    }
    let stale = Record(recordType: "Feed", recordName: "a", changeTag: "t0")
    let report = await executor(container).apply([
      create("b"), retitle(stale, from: "X", to: "B"),
    ])
    #expect(report.results.map(\.outcome) == [.applied, .notAttempted])
    #expect(report.interruption is ContainerFailure)
    #expect(container.writes["b"] == 1)
  }

  @Test("a lost reply does not apply a change twice")
  func lostReply() async throws {
    let container = try await FaultyContainer.feeds([existing], writes: [.loseReply])
    let report = try await executor(container).apply([
      create("b"), retitle(container.record("a"), from: "A", to: "B"),
    ])
    #expect(report.isComplete)
    #expect(report.applied == 2)
    #expect(container.writes["a"] == 1)
    #expect(container.writes["b"] == 1)
  }

  @Test("a lost request is sent again")
  func lostRequest() async throws {
    let container = try await FaultyContainer.feeds(writes: [.loseRequest, .loseRequest])
    let report = await executor(container).apply([create("b")])
    #expect(report.applied == 1)
  }

  /// The waits of a run whose first requests are answered so, and its report.
  private func waiting(
    _ faults: [FaultyContainer.Fault?], _ changes: [RecordChange]
  ) async throws -> (waits: [Duration], report: ChangeReport) {
    let waits = Mutex<[Duration]>([])
    let executor = ChangeExecutor(
      container: try await FaultyContainer.feeds(writes: faults), policy: .refuse,
      wait: { duration in waits.withLock { $0.append(duration) } }, randomShare: { 1 })
    let report = await executor.apply(changes)
    return (waits.withLock(\.self), report)
  }

  private func busy(_ seconds: Int?) -> FaultyContainer.Fault {
    .eachRecord(ServerError(.throttled, "busy", retryAfter: seconds.map { .seconds($0) }))
  }

  @Test(
    "each wait for a busy container is announced, with the changes that wait and the end of the run's patience"
  )
  func announced() async throws {
    let announced = Mutex<[Wait]>([])
    let reporter = WaitReporter { wait in
      announced.withLock { $0.append(wait) }
      return {}
    }
    let executor = ChangeExecutor(
      container: try await FaultyContainer.feeds(writes: [busy(70), busy(70), busy(70)]),
      policy: .refuse, wait: { _ in }, waits: reporter, randomShare: { 1 })
    _ = await executor.apply([create("b"), create("c")])
    let waits = announced.withLock(\.self)
    #expect(waits.map(\.pause) == [.seconds(70), .seconds(70)])
    #expect(waits.map(\.elapsed) == [.zero, .seconds(70)])
    #expect(waits.map(\.limit) == [.seconds(180), .seconds(110)])
    #expect(waits[0].detail == "container busy, 2 changes to send again")
  }

  @Test("a busy answer is waited for as long as it asks, within the run's patience")
  func busy() async throws {
    let (waits, report) = try await waiting([busy(7)], [create("b")])
    #expect(report.applied == 1)
    #expect(waits == [.seconds(7)])
    let unsaid = try await waiting([busy(nil), busy(nil)], [create("b")])
    #expect(unsaid.report.applied == 1)
    #expect(unsaid.waits == [.milliseconds(500), .seconds(1)])
  }

  @Test("a wait beyond the run's patience ends it at once and says when to come back")
  func beyondPatience() async throws {
    let (waits, report) = try await waiting([nil, busy(3600)], (0..<450).map { create("r\($0)") })
    #expect(waits == [])
    let failure = report.interruption as? ContainerFailure
    #expect(failure?.kind == .unavailable(retryAfter: .seconds(3600)))
    #expect(failure?.hint?.contains("3601 seconds") == true)
    #expect(failure?.message.contains("refused 200 records: THROTTLED: busy") == true)
    #expect((report.applied, report.failed, report.notAttempted) == (200, 200, 50))
  }

  @Test("the waits for one request count together; a record that is written gives new patience")
  func patienceIsShared() async throws {
    let (waits, report) = try await waiting([busy(100), busy(100)], [create("b")])
    #expect(waits == [.seconds(100)])
    #expect((report.interruption as? ContainerFailure)?.kind == .unavailable(retryAfter: .seconds(100)))
    let changes = (0..<400).map { create("r\($0)") }
    let renewed = try await waiting([busy(100), nil, busy(100)], changes)
    #expect(renewed.waits == [.seconds(100), .seconds(100)])
    #expect(renewed.report.applied == 400)
  }

  @Test("a container that stays busy ends the run after the allowed attempts")
  func staysBusy() async throws {
    let (waits, report) = try await waiting(Array(repeating: busy(1), count: 9), [create("b")])
    #expect(waits.count == 4)
    #expect((report.interruption as? ContainerFailure)?.kind == .unavailable(retryAfter: .seconds(1)))
  }

  @Test("after lost replies a run pauses before it sends again, longer each time")
  func pausesAfterLoss() async throws {
    let (waits, report) = try await waiting([.loseRequest, .loseRequest], [create("b")])
    #expect(report.applied == 1)
    #expect(waits == [.milliseconds(500), .seconds(1)])
    let done = try await waiting([.loseReply], [create("b")])
    #expect(done.report.applied == 1)
    #expect(done.waits == [])
  }

  @Test(
    "a service that answers no write is waited for as long as a query waits, and then the next run is asked to go on"
  )
  func neverAnswers() async throws {
    let faults = [nil, nil] + Array(repeating: FaultyContainer.Fault.loseRequest, count: 20)
    let (waits, report) = try await waiting(faults, (0..<450).map { create("r\($0)") })
    // Nine waits; with the random shares of a real run they take half of it, a minute.
    #expect(waits.count == 9)
    #expect(waits.reduce(.zero, +) == .milliseconds(121_500))
    #expect((report.interruption as? ContainerFailure)?.kind == .unavailable(retryAfter: nil))
    #expect((report.applied, report.notAttempted) == (400, 0))
    #expect(report.results.suffix(50).allSatisfy { $0.outcome == .unknown })
  }

  @Test("after the last lost reply the records say which changes were written")
  func lastReplyLost() async throws {
    let faults = Array(repeating: FaultyContainer.Fault.loseRequest, count: 9) + [.loseReply]
    let (waits, report) = try await waiting(faults, [create("a"), create("b")])
    #expect(waits.count == 9 && report.isComplete && report.applied == 2)
  }

  @Test("one bad record does not take the others down")
  func poisonedBatch() async throws {
    let container = try await FaultyContainer.feeds { request in
      guard case .modify(let operations) = request, operations.contains(where: { $0.recordName == "r5" })
      else { return nil }
      return .refuse(ServerError(.badRequest, "BadRequestException: Unexpected input"))
    }
    let report = await executor(container).apply((0..<9).map { create("r\($0)") })
    #expect(report.applied == 8)
    #expect(report.failed == 1)
    #expect(report.remaining.map(\.change.recordName) == ["r5"])
  }

  @Test("when the container stays away, what is left is listed, and a second run finishes it")
  func unavailable() async throws {
    let away = ContainerFailure(.unavailable(retryAfter: .seconds(60)), "throttled")
    let container = try await FaultyContainer.feeds(writes: [nil, .refuse(away)])
    let changes = (0..<450).map { create("r\($0)") }
    let report = await executor(container).apply(changes)
    #expect(report.applied == 200)
    #expect(report.notAttempted == 250)
    #expect(report.interruption is ContainerFailure)
    let second = await executor(container).apply(changes)
    #expect(second.isComplete)
    #expect(second.alreadyApplied == 200)
    #expect(container.writes.values.max() == 1)
  }

  @Test("an unknown record type fails the record with the service's own words")
  func unknownType() async throws {
    let refusal = ServerError(.notFound, "could not find record_type with name 'X'")
    let container = try await FaultyContainer.feeds(writes: [.eachRecord(refusal)])
    let report = await executor(container).apply([create("b")])
    #expect(report.remaining.compactMap { $0.outcome.refusal }.map { $0.isSame(as: refusal) } == [true])
  }

  @Test("an update of a record that was deleted is a conflict, not a new record")
  func deletedMeanwhile() async throws {
    let container = try await FaultyContainer.feeds()
    let change = RecordChange(
      .update, recordType: "Feed", recordName: "a", changeTag: "t1",
      fields: ["title": FieldChange(to: .string("B"))])
    let report = await executor(container, .reapply).apply([change])
    #expect(report.conflicts == 1)
    #expect(try await container.record("a") == nil)
  }

  @Test("a record that keeps changing is given up after the bounded number of attempts")
  func endlessConflict() async throws {
    let conflict = ServerError(.conflict, "client oplock error updating record")
    let container = try await FaultyContainer.feeds(
      [existing], writes: Array(repeating: .eachRecord(conflict), count: 20))
    let report = try await executor(container, .reapply).apply([
      retitle(container.record("a"), from: "A", to: "B")
    ])
    #expect(report.conflicts == 1)
    #expect(container.requestSizes.count == 5)
  }
}

extension ChangeReport.Outcome {
  fileprivate var refusal: ServerError? { if case .failed(let error) = self { error } else { nil } }
}

/// At first it is too busy for the first record of a request, and refuses the others because they refer to it.
private final class HalfBusyContainer: ContainerWrapper {
  let base: any Container
  private let isBusy = Mutex(true)

  init(base: any Container) { self.base = base }

  func modify(_ operations: [RecordOperation]) async throws -> [RecordOutcome] {
    let isBusy = isBusy.withLock { isBusy in
      defer { isBusy = false }
      return isBusy
    }
    guard isBusy else { return try await base.modify(operations) }
    return operations.enumerated().map { index, operation in
      .failed(
        recordName: operation.recordName,
        ServerError(index == 0 ? .throttled : .validatingReferenceError, "not now"))
    }
  }
}

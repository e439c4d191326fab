import CloudKitModel
import CustomDump
import RecordChanges
import Synchronization
import Testing

@Suite struct ChangeExecutorTests {
  private func executor(_ container: FaultyContainer, _ policy: ConflictPolicy = .refuse) -> ChangeExecutor {
    ChangeExecutor(container: container, options: .init(policy: policy), wait: { _ in })
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
  func allActions() async {
    let container = FaultyContainer([existing, Record(recordType: "Feed", recordName: "gone")])
    let report = await executor(container).apply([
      create("b"), retitle(container.record("a"), from: "A", to: "B"),
      RecordChange(
        .delete, recordType: "Feed", recordName: "gone", changeTag: container.record("gone")?.changeTag),
    ])
    #expect(report.isComplete)
    #expect(report.applied == 3)
    #expect(container.record("b")?["title"] == .string("A"))
    #expect(container.record("a")?["title"] == .string("B"))
    #expect(container.record("a")?["score"] == .int64(1))
    #expect(container.record("gone") == nil)
  }

  @Test("a request holds at most 200 records, and the order is kept")
  func batchesByCount() async {
    let container = FaultyContainer()
    let report = await executor(container).apply((0..<450).map { create("r\($0)") })
    #expect(report.applied == 450)
    expectNoDifference(container.requestSizes, [200, 200, 50])
  }

  @Test("a request stays under the size limit")
  func batchesBySize() async {
    let container = FaultyContainer()
    let large = String(repeating: "x", count: 600_000)
    let report = await executor(container).apply((0..<5).map { create("r\($0)", large) })
    #expect(report.applied == 5)
    expectNoDifference(container.requestSizes, [2, 2, 1])
  }

  @Test("a stale tag is settled by reading again when nobody touched our fields")
  func unrelatedEdit() async {
    let container = FaultyContainer([existing])
    let change = retitle(container.record("a"), from: "A", to: "B")
    container.edit("a") { $0.fields["score"] = .int64(2) }
    let report = await executor(container).apply([change])
    #expect(report.applied == 1)
    #expect(container.record("a")?.fields == ["title": .string("B"), "score": .int64(2)])
  }

  @Test("an editor's value is never overwritten; a computed one is")
  func ownFieldEdited() async {
    let container = FaultyContainer([existing])
    let change = retitle(container.record("a"), from: "A", to: "B")
    container.edit("a") { $0.fields["title"] = .string("C") }
    let refused = await executor(container, .refuse).apply([change])
    #expect(refused.results.map(\.outcome) == [.conflict("somebody else changed title")])
    #expect(container.record("a")?["title"] == .string("C"))
    let reapplied = await executor(container, .reapply).apply([change])
    #expect(reapplied.applied == 1)
    #expect(container.record("a")?["title"] == .string("B"))
  }

  @Test("a new record adds nothing to one of its name, unless that is a job's own")
  func nameTaken() async {
    let container = FaultyContainer([
      Record(recordType: "Feed", recordName: "a", fields: ["score": .int64(1)])
    ])
    let refused = await executor(container).apply([create("a")])
    #expect(refused.conflicts == 1)
    #expect(container.record("a")?["title"] == nil)
    let reapplied = await executor(container, .reapply).apply([create("a")])
    #expect(reapplied.applied == 1)
    #expect(container.record("a")?.fields == ["score": .int64(1), "title": .string("A")])
  }

  @Test("a refusal that is about every record ends the run before each was sent alone")
  func hopeless() async {
    let refusal = ServerError(.quotaExceeded, "Quota exceeded")
    let faults = Array(repeating: FaultyContainer.Fault.refuse(refusal), count: 500)
    let container = FaultyContainer(faults: faults)
    let report = await executor(container).apply((0..<200).map { create("r\($0)") })
    #expect(container.requestSizes.count < 20)
    #expect(report.interruption as? ServerError == refusal)
    #expect(report.results.count { $0.outcome == .notAttempted } == 190)
  }

  @Test("a look-up that fails does not undo what is known of the write before it")
  func lostLookup() async {
    let container = FaultyContainer([existing])
    container.state.withLock { $0.lostLookups = 1 }
    let report = await executor(container).apply([
      create("b"), retitle(Record(recordType: "Feed", recordName: "a"), from: "X", to: "B"),
    ])
    #expect(report.results.map(\.outcome) == [.applied, .notAttempted])
    #expect(report.interruption is ContainerFailure)
    #expect(container.writes(of: "b") == 1)
  }

  @Test("a lost reply does not apply a change twice")
  func lostReply() async {
    let container = FaultyContainer([existing], faults: [.loseReply])
    let report = await executor(container).apply([
      create("b"), retitle(container.record("a"), from: "A", to: "B"),
    ])
    #expect(report.isComplete)
    #expect(report.alreadyApplied == 2)
    #expect(container.writes(of: "a") == 1)
    #expect(container.writes(of: "b") == 1)
  }

  @Test("a lost request is sent again")
  func lostRequest() async {
    let container = FaultyContainer(faults: [.loseRequest, .loseRequest])
    let report = await executor(container).apply([create("b")])
    #expect(report.applied == 1)
  }

  @Test("a busy answer is waited for as long as it asks")
  func busy() async {
    let waits = Mutex<[Duration]>([])
    let busy = ServerError(.tryAgainLater, "busy", retryAfter: .seconds(7))
    let container = FaultyContainer(faults: [.eachRecord(busy)])
    let executor = ChangeExecutor(
      container: container, options: .init(policy: .refuse),
      wait: { duration in waits.withLock { $0.append(duration) } })
    let report = await executor.apply([create("b")])
    #expect(report.applied == 1)
    #expect(waits.withLock(\.self) == [.seconds(7)])
  }

  @Test("one bad record does not take the others down")
  func poisonedBatch() async {
    let container = FaultyContainer()
    container.state.withLock { $0.poison = "r5" }
    let report = await executor(container).apply((0..<9).map { create("r\($0)") })
    #expect(report.applied == 8)
    #expect(report.failed == 1)
    #expect(report.remaining.map(\.change.recordName) == ["r5"])
  }

  @Test("when the container stays away, what is left is listed, and a second run finishes it")
  func unavailable() async {
    let container = FaultyContainer(faults: [nil, .unavailable])
    let changes = (0..<450).map { create("r\($0)") }
    let report = await executor(container).apply(changes)
    #expect(report.applied == 200)
    #expect(report.notAttempted == 250)
    #expect(report.interruption is ContainerFailure)
    let second = await executor(container).apply(changes)
    #expect(second.isComplete)
    #expect(second.alreadyApplied == 200)
    #expect(container.state.withLock { $0.writes.values.max() } == 1)
  }

  @Test("an unknown record type fails the record with the service's own words")
  func unknownType() async {
    let refusal = ServerError(.notFound, "could not find record_type with name 'X'")
    let container = FaultyContainer(faults: [.eachRecord(refusal)])
    let report = await executor(container).apply([create("b")])
    #expect(report.results.map(\.outcome) == [.failed(refusal)])
  }

  @Test("an update of a record that was deleted is a conflict, not a new record")
  func deletedMeanwhile() async {
    let container = FaultyContainer()
    let change = RecordChange(
      .update, recordType: "Feed", recordName: "a", changeTag: "t1",
      fields: ["title": FieldChange(to: .string("B"))])
    let report = await executor(container, .reapply).apply([change])
    #expect(report.conflicts == 1)
    #expect(container.record("a") == nil)
  }

  @Test("a record that keeps changing is given up after the bounded number of attempts")
  func endlessConflict() async {
    let conflict = ServerError(.conflict, "client oplock error updating record")
    let container = FaultyContainer([existing], faults: Array(repeating: .eachRecord(conflict), count: 20))
    let report = await executor(container, .reapply).apply([
      retitle(container.record("a"), from: "A", to: "B")
    ])
    #expect(report.conflicts == 1)
    #expect(container.requestSizes.count == 5)
  }
}

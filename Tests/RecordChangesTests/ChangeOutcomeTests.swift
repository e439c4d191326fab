import CloudKitModel
import ContainerFaults
import Diagnostics
import LocalContainer
import Testing

@testable import RecordChanges

/// What became of a change is decided by its record, not by the reply.
@Suite("Outcomes of doubtful replies") struct ChangeOutcomeTests {
  private static let doubtful: [ServerError.Code] = [.internalError, .conflict, .exists]

  private func apply(
    _ changes: [RecordChange], to container: any Container, author: RunAuthor? = nil,
    _ policy: ConflictPolicy = .refuse
  ) async -> ChangeReport {
    await ChangeExecutor(
      container: container, policy: policy, author: author, wait: { _ in }
    ).apply(changes)
  }

  private func create(_ name: String) -> RecordChange {
    RecordChange(
      .create, recordType: "Feed", recordName: name, fields: ["title": FieldChange(to: .string("new"))])
  }

  private func update(_ name: String, in container: any Container) async throws -> RecordChange {
    let record = try await container.lookup(LookupRequest([name]))[0].found
    return RecordChange(
      .update, recordType: "Feed", recordName: name, changeTag: record?.changeTag,
      fields: [
        "title": FieldChange(from: record?["title"], to: .string("new")),
        "note": FieldChange(from: record?["note"], to: .string("new")),
      ])
  }

  /// This run, which wrote for the first time then.
  private static func key(since moment: Int64 = 0) -> RunAuthor? {
    let user = CallerIdentity.serverKey.userRecordName ?? ""
    return RunAuthor(
      RecordStamp(timestamp: Timestamp(milliseconds: moment), userRecordName: user, deviceID: ""),
      isFirst: true)
  }

  @Test(
    "a record that was written although the service reported an error counts as written", arguments: doubtful)
  func carriedOut(_ code: ServerError.Code) async throws {
    let container = try await FaultyContainer.feeds([Record(recordType: "Feed", recordName: "a")]) {
      request in
      if case .modify = request { .eachRecordAfter(ServerError(code, "reported")) } else { nil }
    }
    let report = await apply(
      [create("b"), try await update("a", in: container)], to: container, author: Self.key())
    #expect(report.isComplete && report.applied == 2, "\(report.results)")
    #expect(container.requestSizes == [2])
  }

  @Test("a record that was not written keeps the error of the service")
  func notCarriedOut() async throws {
    let error = ServerError(.internalError, "reported")
    let container = try await FaultyContainer.feeds(writes: [.eachRecord(error)])
    let report = await apply([create("b")], to: container, author: Self.key())
    #expect(report.failed == 1 && report.failure?.message.contains("INTERNAL_ERROR: reported") == true)
    #expect(try await container.record("b") == nil)
  }

  @Test("the same values, written before this run with the same key, are not this run's")
  func earlierRun() async throws {
    let container = try await FaultyContainer.feeds([
      Record(recordType: "Feed", recordName: "b", fields: ["title": .string("new")])
    ])
    let written = try #require(try await container.record("b")?.modified?.timestamp.milliseconds)
    let later = await apply([create("b")], to: container, author: Self.key(since: written))
    #expect(later.alreadyApplied == 1 && later.applied == 0)
    let earlier = await apply([create("b")], to: container, author: Self.key(since: written - 1))
    #expect(earlier.applied == 1)
    let unknown = await apply([create("b")], to: container)
    #expect(unknown.alreadyApplied == 1)
  }

  @Test("the same values, written by another user, are not this run's")
  func somebodyElse() async throws {
    let base = try await LeaseSchema.container()
    let other = LocalContainer(
      store: base.store, identity: CallerIdentity(userRecordName: "_other", customRoles: .all))
    let container = FaultyContainer(base) { request in
      guard case .modify = request else { return nil }
      _ = try await other.modify([
        RecordOperation(.create, recordType: "Feed", recordName: "b", fields: ["title": .string("new")])
      ])
      return .eachRecord(ServerError(.exists, "record exists"))
    }
    let report = await apply([create("b")], to: container, author: Self.key())
    #expect(report.alreadyApplied == 1 && report.applied == 0)
  }

  @Test("a lost reply to a carried-out request counts as written, deletions too")
  func lostReply() async throws {
    let container = try await FaultyContainer.feeds(
      [Record(recordType: "Feed", recordName: "a"), Record(recordType: "Feed", recordName: "gone")],
      writes: [.loseReply])
    let deletion = RecordChange(
      .delete, recordType: "Feed", recordName: "gone",
      changeTag: try await container.record("gone")?.changeTag)
    let report = await apply([create("b"), try await update("a", in: container), deletion], to: container)
    #expect(report.isComplete && report.applied == 3, "\(report.results)")
    #expect(container.requestSizes == [3])
  }

  @Test("another client's edit after a lost reply leaves the outcome unknown, and undo takes back the rest")
  func editAfterLostReply() async throws {
    let fixture = try await UndoFixture()
    try await fixture.put("a", ["title": .string("A"), "note": .string("n")])
    let change = try await update("a", in: fixture.container)
    let container = FaultyContainer(fixture.container) { request in
      guard case .modify(let operations) = request, operations[0].recordName == "a" else { return nil }
      return .after {
        try await fixture.put("a", ["title": .string("editor")])
        throw ContainerFailure(.outcomeUnknown, "connection reset")
      }
    }
    let report = try await fixture.write([change], through: container)
    #expect(report.unknown == 1 && report.status != .done)
    #expect(try fixture.runs()[0].entries.map(\.outcome) == [.unknown])
    let (plan, _) = try await fixture.undo()
    #expect(plan.skipped.map(\.field) == ["title"])
    #expect(try await fixture.record("a")?.fields == ["title": .string("editor"), "note": .string("n")])
  }

  @Test(
    "a request that was not carried out after a lost reply is sent again, and then its conflict is believed")
  func lostThenConflict() async throws {
    let container = try await FaultyContainer.feeds(
      [Record(recordType: "Feed", recordName: "a", fields: ["title": .string("A")])],
      writes: [.loseRequest])
    let change = try await update("a", in: container)
    let editing = FaultyContainer(container) { request in
      // Between the two attempts another client writes.
      if case .modify = request, container.requestSizes.count == 1 {
        try await container.edit("a", ["title": .string("editor")])
      }
      return nil
    }
    let report = await apply([change], to: editing)
    #expect(report.results.map(\.outcome) == [.conflict("another run or client changed title")])
  }
}

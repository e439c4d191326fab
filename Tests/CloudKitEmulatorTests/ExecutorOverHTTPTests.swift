import CloudKitClient
import CloudKitEmulator
import CloudKitModel
import LocalContainer
import Testing

@testable import RecordChanges

/// What the executor promises, over real HTTP: with the replies, request ids and faults of a service.
@Suite("The executor over HTTP") struct ExecutorOverHTTPTests {
  private static let retry = RetryPolicy(attempts: 4, firstWait: .milliseconds(1))

  private func note(_ number: Int) -> RecordChange {
    RecordChange(
      .create, recordType: "Note", recordName: "n\(number)",
      fields: ["count": FieldChange(to: .int64(Int64(number)))])
  }

  /// Applies the changes, with faults from then on. `requests` is how many requests to write that took.
  private func apply(
    _ changes: [RecordChange], faults: [String] = [], policy: ConflictPolicy = .refuse,
    before prepare: (LocalContainer) async throws -> Void = { _ in }
  ) async throws -> (report: ChangeReport, requests: Int, store: LocalContainer) {
    let fixture = try await Fixture { configuration in
      // A rule that cannot be read has no effect, and the expectations fail.
      configuration.faults = try faults.map { try FaultRule(parsing: $0) }
    }
    let store = LocalContainer(store: fixture.store)
    try await prepare(store)
    let pipeline = RequestPipelineSettings(requestsPerSecond: nil, retry: Self.retry)
    return try await fixture.served(pipeline: pipeline) { client, _ in
      let counter = RequestCountingContainer(client)
      let executor = ChangeExecutor(
        container: counter, policy: policy, wait: { _ in })
      let report = await executor.apply(changes)
      return (report, Int(counter.counts.modify), store)
    }
  }

  private func record(_ name: String, _ store: LocalContainer) async throws -> Record? {
    try await store.lookup(LookupRequest([name]))[0].record
  }

  @Test("another client's edit of another field is kept, and one of our field is a conflict or written over")
  func conflicts() async throws {
    for (field, policy, isApplied) in [
      ("title", ConflictPolicy.refuse, true), ("count", .refuse, false), ("count", .reapply, true),
    ] {
      let stale = RecordChange(
        .update, recordType: "Note", recordName: "n1", changeTag: "1",
        fields: ["count": FieldChange(from: .int64(1), to: .int64(5))])
      let (report, _, store) = try await apply([stale], policy: policy) { store in
        _ = try await store.modify([
          RecordOperation(.create, recordType: "Note", recordName: "n1", fields: ["count": .int64(1)])
        ])
        let edit: FieldValue = field == "title" ? .string("theirs") : .int64(9)
        _ = try await store.modify([
          RecordOperation(.forceUpdate, recordType: "Note", recordName: "n1", fields: [field: edit])
        ])
      }
      #expect(report.applied == (isApplied ? 1 : 0) && report.conflicts == (isApplied ? 0 : 1))
      let found = try await record("n1", store)
      #expect(found?["count"] == .int64(isApplied ? 5 : 9))
      #expect(found?["title"] == (field == "title" ? .string("theirs") : nil))
    }
  }

  @Test(
    "a lost request and a lost reply write every record once",
    arguments: [
      "reset-before,endpoint=/modify,count=1", "reset-after,endpoint=/modify,count=1",
      "half,endpoint=/modify,count=1",
    ])
  func lost(_ fault: String) async throws {
    let (report, requests, store) = try await apply((0..<450).map(note), faults: [fault])
    #expect(report.isComplete && report.applied + report.alreadyApplied == 450)
    #expect(requests == (fault.hasPrefix("reset-before") ? 4 : 3))
    let notes = try await store.allRecords(Query("Note"))
    #expect(notes.count == 450 && notes.allSatisfy { $0.created == $0.modified })
  }

  @Test("a refusal that every request meets ends the run, though each reply has an id of its own")
  func hopeless() async throws {
    let full = #"status,endpoint=/modify,status=413,body={"serverErrorCode":"QUOTA_EXCEEDED"}"#
    let (report, requests, _) = try await apply((0..<300).map(note), faults: [full])
    #expect((report.interruption as? ServerError)?.code == .quotaExceeded)
    #expect(report.applied == 0 && report.failed >= 1 && requests < 30, "\(requests) requests")
  }

  @Test("what a gateway finds too large is halved, and passes")
  func gateway() async throws {
    let gateway = "status,endpoint=/modify,status=413,body=<html>too large</html>,count=3"
    let (report, requests, store) = try await apply((0..<200).map(note), faults: [gateway])
    #expect(report.isComplete && requests == 3 + 8)
    #expect(try await store.allRecords(Query("Note")).count == 200)
  }

  @Test("a pause that is too long to wait for ends the run at once and is passed on")
  func longPause() async throws {
    let fault = #"status,endpoint=/modify,status=429,retryAfter=3600,body={"serverErrorCode":"THROTTLED"}"#
    let (report, requests, _) = try await apply((0..<300).map(note), faults: [fault])
    #expect((report.interruption as? ContainerFailure)?.kind == .unavailable(retryAfter: .seconds(3600)))
    #expect(report.notAttempted == 300 && requests == 1)
  }

  @Test("a service that fails every time leaves the outcome unknown, and says so")
  func unknown() async throws {
    let fault = #"status,endpoint=/modify,status=500,body={"serverErrorCode":"INTERNAL_ERROR"}"#
    let (report, requests, _) = try await apply((0..<300).map(note), faults: [fault])
    #expect((report.interruption as? ContainerFailure)?.kind == .unavailable(retryAfter: nil))
    #expect(
      report.unknown == 200 && report.notAttempted == 100 && requests == RetryPolicy.lostReplies.attempts)
  }
}

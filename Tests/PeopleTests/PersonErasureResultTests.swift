import CloudKitModel
import Diagnostics
import RecordChanges
import Testing

@testable import People

@Suite struct PersonErasureResultTests {
  typealias Outcome = ChangeReport.Outcome

  static func record(_ name: String, _ traces: Set<FoundRecord.Trace>, type: String = "ChatMessage")
    -> FoundRecord
  {
    FoundRecord(record: Record(recordType: type, recordName: name), traces: traces)
  }

  /// A result after a run with these outcomes, one for each of the person's messages; `nil` was not sent.
  static func result(_ outcomes: [Outcome?], problem: TypeSearchPlan.Problem? = nil) -> PersonErasureResult {
    let records = outcomes.indices.map { record("x\($0)", [.creator]) }
    var result = PersonErasureResult(
      [FoundInType(plan: TypeSearchPlanTests.plan("ChatMessage", .index, problem), records: records)],
      in: TypeSearchPlanTests.container)
    result.isDryRun = false
    result.add(report(zip(records, outcomes).compactMap { found, outcome in outcome.map { (found, $0) } }))
    return result
  }

  static func report(_ outcomes: [(FoundRecord, Outcome)]) -> ChangeReport {
    ChangeReport(results: outcomes.map { (RecordChange(deleting: $0.0.record), $0.1) })
  }

  @Test("what could not be searched is incomplete, but not left")
  func notSearched() {
    let result = Self.result([.applied], problem: .noIndex)
    #expect(result.status == .findings && result.failure?.code == "not-searched")
    #expect(result.json["complete"] == false && !result.isConfirmation)
  }

  /// What stopped a run, whether a record was erased before, and the exit status.
  static let interruptions: [(any Error & Sendable, isErased: Bool, Diagnostics.ExitStatus)] = [
    (CommandFailure("lost"), false, .failed), (CommandFailure("lost"), true, .partial),
    (CommandFailure("lost", status: .denied), true, .denied),
    (ServerError(.internalError, "cannot delete x0"), true, .partial),
    (ServerError(.internalError, "cannot delete x0"), false, .failed),
    (ServerError(.throttled, "x0", retryAfter: .seconds(7)), true, .tryLater),
  ]

  @Test("an interruption after which something is erased is a part of the work", arguments: interruptions)
  func interrupted(error: any Error & Sendable, isErased: Bool, status: Diagnostics.ExitStatus) throws {
    var result = Self.result(isErased ? [.applied, nil] : [nil, nil])
    result.add(ChangeReport(interruption: error))
    result.add(ChangeReport(interruption: CommandFailure("a later one", status: .usage)))
    let failure = try #require(result.failure)
    #expect(failure.status == status && result.status == status)
    #expect(failure.message.hasSuffix("; \(isErased ? 1 : 0) of 2 records erased"))
    #expect(!failure.message.contains("x0"))
    #expect(failure.retryAfter == (status == .tryLater ? .seconds(7) : nil))
    #expect(result.json["complete"] == false && !result.isConfirmation)
  }

  /// Messages of two people, a type with a short name and nothing to report, and sessions.
  private func result() -> PersonErasureResult {
    var session = Self.record("s0", [.creator, .field("hostId")], type: "LiveSession")
    session.record.fields = ["hostId": .string("_jane")]
    return PersonErasureResult(
      [
        FoundInType(
          plan: TypeSearchPlanTests.plan(),
          records: [Self.record("m0", [.creator]), Self.record("m1", [.name])]),
        FoundInType(plan: TypeSearchPlanTests.plan("Note", .scan)),
        FoundInType(
          plan: TypeSearchPlanTests.plan("LiveSession"),
          records: [session, Self.record("s1", [.creator], type: "LiveSession")]),
      ], in: TypeSearchPlanTests.container, keptTypes: ["LiveSession"])
  }

  @Test("what the second look finds again is not erased; what it finds of a kept session stays as it was")
  func secondLook() {
    var result = result()
    result.isDryRun = false
    let records = result.found.flatMap(\.records)
    result.add(Self.report(records.map { ($0, .applied) }))
    #expect(result.types.map(\.erased) == [2, 0, 0] && result.types.map(\.kept) == [0, 0, 2])
    var again = result.found
    again[0].plan.problem = .denied
    again[0].records = [records[0], Self.record("late", [.creator])]
    result.add(again)
    #expect(result.types.map(\.found) == [3, 0, 2] && result.types.map(\.erased) == [1, 0, 0])
    #expect(result.types.map(\.kept) == [0, 0, 2] && result.types.map(\.left) == [2, 0, 0])
    #expect(result.types[0].plan.problem == .denied)
  }
}

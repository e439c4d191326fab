import CloudKitModel
import Diagnostics
import RecordChanges
import Testing

@testable import People

@Suite struct PersonErasureResultTests {
  typealias Outcome = ChangeReport.Outcome

  static let denied = Outcome.failed(ServerError(.accessDenied, "no WRITE for x0"))
  static let broken = Outcome.failed(ServerError(.internalError, "cannot delete x1"))

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
      in: PersonSearchReportTests.container)
    result.isDryRun = false
    result.add(report(zip(records, outcomes).compactMap { found, outcome in outcome.map { (found, $0) } }))
    return result
  }

  static func report(_ outcomes: [(FoundRecord, Outcome)]) -> ChangeReport {
    ChangeReport(results: outcomes.map { (RecordChange(deleting: $0.0.record), $0.1) })
  }

  /// Outcomes, how many records they erased, whether all were refused, and the failure.
  static let runs: [(outcomes: [Outcome?], erased: Int, isRefused: Bool, code: String?, detail: String?)] = [
    ([], 0, false, nil, nil), ([.applied], 1, false, nil, nil), ([.alreadyApplied], 1, false, nil, nil),
    ([.applied, .alreadyApplied, .applied], 3, false, nil, nil),
    ([denied], 0, true, "not-permitted", "ChatMessage: 1 left (ACCESS_DENIED)"),
    ([denied, broken], 0, true, "not-permitted", "ChatMessage: 2 left (ACCESS_DENIED, INTERNAL_ERROR)"),
    ([.applied, broken], 1, false, "left", "ChatMessage: 1 left (INTERNAL_ERROR)"),
    ([.applied, nil], 1, false, "left", "ChatMessage: 1 left"),
    ([.applied, .unknown, .notAttempted, .conflict("it changed")], 1, false, "left", "ChatMessage: 3 left"),
  ]

  @Test("what a run erased and left", arguments: runs)
  func counts(outcomes: [Outcome?], erased: Int, isRefused: Bool, code: String?, detail: String?) throws {
    let result = Self.result(outcomes)
    let left = outcomes.count - erased
    #expect(result.foundCount == outcomes.count && result.isRefusedThroughout == isRefused)
    #expect(
      result.json["types"]?.array.map { $0.map { $0.text() } } == [
        """
        {"type":"ChatMessage","found":\(outcomes.count),"erased":\(erased),"left":\(left),"ofOthers":0,\
        "searchedBy":"index","derivedNames":false}
        """
      ])
    #expect(result.json["complete"] == .bool(left == 0) && result.isConfirmation == (left == 0))
    #expect(result.failure?.code == code && result.failure?.details ?? [] == [detail].compactMap(\.self))
    #expect(result.status == (left == 0 ? .done : .partial))
    if left == 1 { #expect(result.failure?.message == "1 record of this person could not be erased") }
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
  private func result(keepsSessions: Bool) -> PersonErasureResult {
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
      ], in: PersonSearchReportTests.container, keptTypes: keepsSessions ? ["LiveSession"] : [])
  }

  @Test("a dry run says what would be erased")
  func dryRun() {
    let text = result(keepsSessions: false).text().description
    #expect(
      text.hasPrefix(
        """
        record type  found  kept  made by others  searched
        ChatMessage      2     0               1  by index
        Note             0     0               0  by reading all records
        LiveSession      2     0               0  by index
        would erase 4 records
        Copies to look through by hand:

        """))
    #expect(result(keepsSessions: false).json["complete"] == true)
    #expect(result(keepsSessions: false).failure == nil && !result(keepsSessions: false).isConfirmation)
  }

  @Test("a dry run does not count the sessions that would stay")
  func dryRunKeepingSessions() {
    let lines = result(keepsSessions: true).text(.plain).description.split(separator: "\n")
    #expect(
      lines[4] == "would erase 2 records; 2 records kept, would clear hostId of 1 LiveSession")
  }

  @Test("a run says what it erased, kept and left, and what the container deletes with these")
  func run() throws {
    var result = result(keepsSessions: true)
    let names = ["m0", "m1", "s0", "s1"]
    let records = result.found.flatMap(\.records)
    result.changes = (names + ["like", "reply"]).map {
      RecordChange(.delete, recordType: "ChatMessage", recordName: $0)
    }
    #expect(result.cascades == 2)
    result.isDryRun = false
    result.add(Self.report([(records[0], .applied), (records[1], Self.broken), (records[2], Self.denied)]))
    #expect(
      result.text(.plain).description.split(separator: "\n").prefix(6) == [
        "record type  found  erased  left  kept  made by others  searched",
        "ChatMessage      2       1     1     0               1  by index",
        "Note             0       0     0     0               0  by reading all records",
        "LiveSession      2       0     1     1               0  by index",
        "The container deletes 2 records of others with these.",
        "erased 1 of 2 records; 2 records kept, cleared nothing",
      ])
    let types = try #require(result.json["types"]?.array)
    #expect(types.map { $0["kept"] } == [nil, nil, 1])
    #expect(types.map { $0["ofOthers"] } == [1, 0, 0])
    #expect(result.failure?.details.count == 2)
    #expect(!result.isRefusedThroughout)
  }

  @Test("a change of the person's own record is no cascade")
  func noCascade() {
    var result = Self.result([.applied])
    result.changes = [RecordChange(.delete, recordType: "ChatMessage", recordName: "x0")]
    #expect(result.cascades == 0)
    result.changes.append(RecordChange(.delete, recordType: "ChatMessage", recordName: "other"))
    #expect(result.cascades == 1)
  }

  @Test("what the second look finds again is not erased; what it finds of a kept session stays as it was")
  func secondLook() {
    var result = result(keepsSessions: true)
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

import CloudKitModel
import Diagnostics
import RecordChanges
import Testing

@testable import Aggregates

@Suite("Reports of recounts") struct RecountOutcomeTests {
  typealias Drop = SuddenDropCheck.Drop

  static func result(_ change: (inout RecountResult) -> Void = { _ in }) -> RecountResult {
    var result = RecountResult(aggregate: "subscribers", strategy: .sweep)
    (result.sources, result.targets, result.changed, result.written, result.conflicts) = (10, 4, 3, 2, 1)
    (result.requests.query, result.requests.lookup, result.requests.modify) = (5, 6, 7)
    change(&result)
    return result
  }

  static func outcome(
    _ phase: RecountOutcome.Phase = .done, _ change: (inout RecountResult) -> Void = { _ in }
  ) -> RecountOutcome { RecountOutcome(phase: phase, result: result(change)) }

  static let head =
    "subscribers: 10 sources, 4 targets, 3 changed, 2 written, 1 conflicts (sweep, 18 requests)"

  static let drops = [
    Drop(from: 200, to: 66), Drop(recordType: "PublicFeed", recordName: "a", from: 100, to: 33),
  ]

  private func lines(_ outcome: RecountOutcome) -> [String] {
    outcome.text(.plain).description.split(separator: "\n").map(String.init)
  }

  @Test("a line has the counts; others name what is unusual")
  func text() {
    #expect(lines(Self.outcome()) == [Self.head])
    let unusual = Self.outcome {
      ($0.orphans, $0.invalidNames, $0.additionsAsOf) = (1, 2, Timestamp(milliseconds: 0))
      $0.settle = .seconds(120)
    }
    #expect(
      lines(unusual) == [
        Self.head,
        "  as of 1970-01-01T00:00:00Z, 120 s before the reading, because an index lags behind its records",
        "  1 source without a target that exists",
        "  2 sources skipped: the record name is not a SHA-256 digest",
      ])
    let plain = Self.outcome { $0.additionsAsOf = Timestamp(milliseconds: 0) }
    #expect(lines(plain) == [Self.head, "  as of 1970-01-01T00:00:00Z"])
  }

  @Test(
    "names are distinguished when some are made up or nobody's",
    arguments: [
      (NameTally(verified: 5, own: 2), "  names: 5 verified, 2 of this tool's keys"),
      (NameTally(verified: 5, madeUp: 1), "  names: 5 verified, 0 of this tool's keys, 1 made up"),
      (NameTally(unknown: 3), "  names: 0 verified, 0 of this tool's keys, 0 made up, 3 without a creator"),
    ])
  func names(names: NameTally, line: String) {
    let outcome = Self.outcome {
      $0.names = names
      $0.madeUpTargets = (0..<6).map { MadeUpTarget(recordName: "f\($0)", sources: 9, madeUp: 4) }
    }
    let shown = names.madeUp > 0 || names.unknown > 0
    #expect(lines(outcome).prefix(2) == [Self.head, line])
    #expect(lines(outcome).count == (shown ? 7 : 2))
    if shown {
      #expect(
        lines(outcome)[2] == "    f0: 9 sources, 4 of them with names that their creator cannot have")
    }
    let json = outcome.json
    #expect(json["verified"] == .integer(names.verified) && json["madeUp"] == .integer(names.madeUp))
    #expect(json["withoutCreator"] == (names.unknown > 0 ? .integer(names.unknown) : nil))
    #expect(json["madeUpTargets"]?.array?.first == ["recordName": "f0", "sources": 9, "madeUp": 4])
  }

  /// Phases with the last lines, the exit status and the failure's message.
  static let phases: [(RecountOutcome.Phase, [String], Diagnostics.ExitStatus, String?)] = [
    (.done, [], .done, nil), (.planned, ["  dry run: nothing was written"], .done, nil),
    (.unwritten, ["  not everything could be written; run it again"], .failed, nil),
    (
      .unread(groups: 2),
      ["  2 targets were not written: not everything that counts towards them was read"], .partial, nil
    ),
    (
      .stopped(drops, maxDrop: 50),
      [
        "  nothing was written: these drop by more than 50 percent", "    all together: 200 → 66",
        "    PublicFeed a: 100 → 33",
      ], .failed, "nothing was written: 2 numbers would drop by more than 50 percent"
    ),
    (
      .stopped([drops[0]], maxDrop: 12.5),
      ["  nothing was written: these drop by more than 12.5 percent", "    all together: 200 → 66"], .failed,
      "nothing was written: 1 number would drop by more than 12.5 percent"
    ),
    (
      .risky([drops[1]], maxDrop: 50),
      [
        "  nothing was written: without made-up names these drop by more than 50 percent",
        "    PublicFeed a: 100 → 33",
      ], .failed,
      "nothing was written: without made-up names 1 number would drop by more than 50 percent, a risk that was not accepted: count-drop"
    ),
    (
      .unverified(NameTally(verified: 1, own: 9, madeUp: 2, unknown: 3)),
      ["  nothing was written: fewer than half of the names verify"], .failed,
      "nothing was written: only 1 of 6 names are the digest of their creator"
    ),
  ]

  @Test("each end of a run has its words and its status", arguments: phases)
  func phase(
    phase: RecountOutcome.Phase, words: [String], status: Diagnostics.ExitStatus, message: String?
  ) {
    let outcome = Self.outcome(phase)
    #expect(lines(outcome) == [Self.head] + words)
    #expect(outcome.status == status && outcome.failure?.message == message)
    #expect(outcome.isConfirmation == (phase != .planned))
  }

  @Test("a dry run without changes is a confirmation")
  func unchanged() {
    #expect(Self.outcome(.planned) { $0.changed = 0 }.isConfirmation)
    #expect(!Self.outcome(.planned) { $0.changed = 1 }.isConfirmation)
  }

  @Test("ten of the drops are shown, and all are in JSON", arguments: [1, 10, 11])
  func drops(count: Int) {
    let drops = (0..<count).map { Drop(recordType: "T", recordName: "r\($0)", from: 100, to: 0.5) }
    for phase in [RecountOutcome.Phase.stopped(drops, maxDrop: 50), .risky(drops, maxDrop: 50)] {
      let outcome = Self.outcome(phase)
      #expect(lines(outcome).count == 2 + min(count, 10) && outcome.json["drops"]?.array?.count == count)
      #expect(
        outcome.json["drops"]?.array?.first
          == ["from": 100, "to": .double(0.5), "recordType": "T", "recordName": "r0"])
    }
    #expect(Self.outcome().json["drops"] == nil)
  }

  @Test("the hint names the drop that must be allowed, rounded up")
  func hint() {
    for (to, needed) in [(33.0, 67), (33.5, 67), (32.9, 68), (-9, 100)] {
      let outcome = Self.outcome(
        .stopped([Drop(from: 100, to: 60), Drop(from: 100, to: to)], maxDrop: 30))
      #expect(
        outcome.failure?.hint == """
          Find out why. If the drop is real, run 'recount subscribers --max-drop \(needed)' once, or set \
          "maxDrop": \(needed) for 'subscribers' in aggregates.json.
          """)
    }
  }

  /// What ended the reading, the changes that were written, and the status.
  static let interruptions: [((any Error & Sendable)?, Int64, Diagnostics.ExitStatus)] = [
    (nil, 0, .partial), (CommandFailure("x"), 0, .failed), (CommandFailure("x"), 1, .partial),
    (CommandFailure("x", status: .tryLater), 1, .tryLater),
    (CommandFailure("x", status: .denied), 0, .denied),
  ]

  @Test("an interrupted run is a part when something was written", arguments: interruptions)
  func interruption(error: (any Error & Sendable)?, written: Int64, status: Diagnostics.ExitStatus) {
    var outcome = Self.outcome(.unread(groups: 1)) { $0.written = written }
    outcome.interruption = error
    #expect(outcome.status == status)
    #expect(outcome.failure?.status == (error == nil ? nil : status))
  }

  private func change(_ name: String, _ from: FieldValue?, _ to: FieldValue?, label: String? = nil)
    -> RecordChange
  {
    RecordChange(
      .update, recordType: "PublicFeed", recordName: name, label: label,
      fields: ["subscriberCount": FieldChange(from: from, to: to)])
  }

  @Test("the largest moves, remarks and a preview are shown")
  func details() {
    var outcome = Self.outcome(.planned)
    outcome.movers = [
      change("a", .int64(976), .int64(1012), label: "Hacker News"), change("b", nil, .double(0.5)),
    ]
    outcome.remarks = ["a note"]
    #expect(
      lines(outcome) == [
        Self.head, "  Hacker News 976 → 1012", "  b no count → 0.5", "  note: a note",
        "  dry run: nothing was written",
      ])
    #expect(outcome.json["movers"]?.array?.map { $0["title"] } == ["Hacker News", nil])
    #expect(outcome.json["notes"] == ["a note"] && outcome.json["preview"] == nil)
    outcome.preview = [change("a", .int64(1), .int64(2))]
    #expect(lines(outcome).count > 5 && lines(outcome).last == "  dry run: nothing was written")
    #expect(outcome.json["preview"]?.array?.count == 1)
    let plain = Self.outcome().json
    for key in ["movers", "notes", "preview", "pruned", "remaining", "expectedRequests", "verified"] {
      #expect(plain[key] == nil, "\(key)")
    }
  }

  @Test("expected requests are those of a plan that reads sources")
  func expectedRequests() {
    for (strategy, expected) in [(ScanStrategy.sweep, JSONValue?.some(9)), (.names, 9), (.pushdown, nil)] {
      var outcome = Self.outcome()
      outcome.plan = ScanPlan(
        strategy: strategy, expectedSources: 1, expectedRequests: 9, expectedSeconds: 1, units: [])
      #expect(outcome.json["expectedRequests"] == expected)
    }
  }

  @Test("what a report did not write is listed")
  func remaining() {
    var outcome = Self.outcome(.unwritten)
    outcome.report = ChangeReport(results: [
      (change("a", nil, .int64(1)), .applied), (change("b", nil, .int64(1)), .conflict("it changed")),
    ])
    #expect(outcome.json["remaining"]?.array?.count == 1 && outcome.status == .partial)
    outcome.report = ChangeReport(results: [(change("a", nil, .int64(1)), .applied)])
    #expect(outcome.json["remaining"] == nil && outcome.status == .done)
  }

  @Test("orphans that are deleted are counted, and those that stay explained")
  func pruning() {
    func line(_ count: Int, orphans: Int64, _ outcomes: [ChangeReport.Outcome]?) -> String? {
      let changes = (0..<count).map {
        RecordChange(.delete, recordType: "FeedSubscription", recordName: "s\($0)")
      }
      var outcome = Self.outcome { $0.orphans = orphans }
      outcome.pruning = OrphanDeletion(changes: changes)
      outcome.pruning?.report = outcomes.map { ChangeReport(results: zip(changes, $0).map { ($0, $1) }) }
      return lines(outcome).last
    }
    let spared = "; the others name a record that exists, or wait for the next run"
    #expect(
      line(2, orphans: 2, nil) == "  2 to be deleted"
        && line(2, orphans: 3, nil) == "  2 to be deleted" + spared)
    #expect(line(1, orphans: 1, [.applied]) == "  1 deleted")
    #expect(line(1, orphans: 2, [.applied]) == "  1 deleted" + spared)
    #expect(line(2, orphans: 2, [.applied, .notAttempted]) == "  1 deleted; 1 left: run it again")
  }

  @Test("without the right to delete orphans, the message names the grant")
  func prunedDenied() {
    let changes = ["a", "b"].map { RecordChange(.delete, recordType: "FeedSubscription", recordName: $0) }
    func failure(_ outcomes: [ChangeReport.Outcome]) -> CommandFailure? {
      var outcome = Self.outcome()
      outcome.pruning = OrphanDeletion(changes: changes)
      outcome.pruning?.report = ChangeReport(results: zip(changes, outcomes).map { ($0, $1) })
      return outcome.failure
    }
    let denied = ChangeReport.Outcome.failed(ServerError(.accessDenied, "no"))
    let grant = "GRANT READ, WRITE TO CatalogAdmin on FeedSubscription."
    #expect(failure([.applied, .applied]) == nil)
    #expect(failure([denied, denied])?.hint?.hasSuffix(grant) == true)
    #expect(failure([denied, denied])?.status == .denied)
    #expect(failure([.applied, denied])?.hint?.hasSuffix(grant) == true)
    #expect(failure([.applied, .conflict("it changed")])?.hint?.hasSuffix(grant) == false)
    let broken = ChangeReport.Outcome.failed(ServerError(.internalError, "no"))
    #expect(failure([broken, broken])?.hint?.hasSuffix(grant) != true)
  }

  @Test("metrics distinguish what became of each target")
  func metrics() {
    let outcome = Self.outcome {
      ($0.changed, $0.written, $0.conflicts, $0.complete) = (3, 1, 1, true)
      $0.names = NameTally(verified: 5, own: 6, madeUp: 7)
      $0.additionsAsOf = Timestamp(milliseconds: 1500)
    }
    func values(_ family: MetricFamily) -> [String] {
      outcome.metrics.filter { $0.family == family }
        .map { metric in (metric.labels.dropFirst().map(\.value) + ["\(metric.value)"]).joined(separator: " ")
        }
    }
    #expect(
      values(RecountOutcome.targetsFamily) == [
        "unchanged 1.0", "written 1.0", "conflict 1.0", "unwritten 1.0",
      ])
    #expect(values(RecountOutcome.namesFamily) == ["verified 5.0", "own 6.0", "made_up 7.0"])
    #expect(values(RecountOutcome.requestsFamily) == ["query 5.0", "lookup 6.0", "modify 7.0"])
    #expect(values(RecountOutcome.completeFamily) == ["1.0"] && values(RecountOutcome.asOfFamily) == ["1.5"])
    #expect(Self.outcome().metrics.filter { $0.family == RecountOutcome.asOfFamily }.isEmpty)
    #expect(outcome.tally == "10 sources, 4 targets, 3 changed, 1 written")
  }

  @Test(
    "any client needs at least full pages",
    arguments: [(0, 0, 0), (1, 0, 1), (200, 1, 2), (201, 200, 3), (400, 201, 4)])
  func lowerBound(sources: Int64, changed: Int64, requests: Int64) {
    let result = Self.result { ($0.sources, $0.changed, $0.elapsedSeconds) = (sources, changed, 1.23456) }
    #expect(result.lowerBoundRequests == requests && result.json["elapsedSeconds"] == .double(1.235))
    #expect(!result.complete && result.json["complete"] == false)
  }

  // MARK: Several recounts

  @Test("several recounts are as good as the worst of them")
  func several() async throws {
    var report = RecountsReport()
    #expect(report.status == .done && report.isConfirmation && report.failure == nil)
    await report.add("good") {
      PlainReport(json: ["aggregate": "good"], text: "good\n", isConfirmation: true)
    }
    #expect(try report.checked().status == .done && report.isConfirmation)
    await report.add("bad") { throw CommandFailure("broken", hint: "Mend it.", status: .denied) }
    await report.add("slow") { throw CommandFailure("late", status: .failed) }
    #expect(report.status == .denied && report.failure?.message == "broken" && !report.isConfirmation)
    #expect(
      report.text(.plain).description == """
        good
        bad: error: broken
          hint: Mend it.
        slow: error: late

        """)
    #expect(report.json["aggregates"]?.array?.map { $0["aggregate"] } == ["good", "bad", "slow"])
    #expect(report.json["aggregates"]?.array?.map { $0["error"]?["message"] } == [nil, "broken", "late"])
    _ = try report.checked()
  }

  @Test("recounts of which none succeeded fail with the first reason")
  func allFailed() async {
    var report = RecountsReport()
    for message in ["first", "second"] { await report.add(message) { throw CommandFailure(message) } }
    let error = #expect(throws: CommandFailure.self) { try report.checked() }
    #expect(error?.message == "first")
  }
}

import CustomDump
import Diagnostics
import Testing

@Suite struct ReportTests {
  @Test("exit statuses never change (README.md, exit codes)")
  func statuses() {
    let statuses: [(Diagnostics.ExitStatus, Int32)] = [
      (.done, 0), (.failed, 1), (.differences, 2), (.findings, 3), (.denied, 4), (.partial, 5), (.locked, 6),
      (.usage, 64),
      (.tryLater, 75), (.interrupted, 130), (.terminated, 143),
    ]
    for (status, number) in statuses { #expect(status.rawValue == number) }
  }

  @Test("a report that says nothing else is done, and confirms nothing")
  func plain() {
    let plain = PlainReport()
    #expect(plain.status == .done && !plain.isConfirmation && plain.json == [:] && plain.failure == nil)
    #expect(plain.text(.plain).isEmpty && plain.rendered(as: .csv, .plain).isEmpty)
    #expect(PlainReport(.partial, text: "x", isConfirmation: true).isConfirmation)
    expectNoDifference(PlainReport(document: ["a": 1]).text(.plain).description, "{\n  \"a\": 1\n}\n")
    struct Bare: Report {
      var failure: CommandFailure?
      let json: JSONValue = nil
      func text(_ style: TerminalStyle) -> PrintableText { "" }
    }
    #expect(!Bare().isConfirmation && Bare().status == .done && Bare().metrics.isEmpty && Bare().tally == nil)
    #expect(Bare(failure: CommandFailure("m", status: .denied)).status == .denied)
  }

  @Test(
    "the format of a file follows from the end of its name",
    arguments: [
      ("a.json", .json), ("a.jsonl", .jsonl), ("a.ndjson", .jsonl), ("a.md", .markdown), ("a.sarif", .sarif),
      ("a.xml", .junit), ("a.csv", .csv), ("a.opml", .opml), ("a.html", .html), ("a.mmd", .mermaid),
      ("json", nil),
      ("a.txt", nil), ("", nil),
    ] as [(String, OutputFormat?)])
  func formats(name: String, format: OutputFormat?) { #expect(OutputFormat(fileName: name) == format) }

  @Test("a style without colors leaves a text as it is")
  func styles() {
    #expect(!TerminalStyle.plain.isColored)
    let colored = TerminalStyle(isColored: true)
    for (paint, number) in [
      (TerminalStyle.bold, 1), (TerminalStyle.dim, 2), (TerminalStyle.red, 31), (TerminalStyle.green, 32),
      (TerminalStyle.yellow, 33), (TerminalStyle.cyan, 36),
    ] {
      #expect(paint(.plain)("x").description == "x")
      #expect(paint(colored)("x").description == "\u{1B}[\(number)mx\u{1B}[0m")
    }
  }

  @Test("risks are named with their options, and without risks nothing is said")
  func risks() {
    #expect(RiskOptions([]).text(.plain).isEmpty && RiskOptions([]).markdown.isEmpty)
    let risks = RiskOptions(["b", "a"])
    expectNoDifference(
      risks.text(.plain).description, "risks: applying this needs --accept-risk a --accept-risk b\n")
    expectNoDifference(
      risks.markdown.description, "**risks:** applying this needs `--accept-risk a --accept-risk b`\n\n")
  }
}

@Suite struct FindingsReportTests {
  private func report(_ severities: [Diagnostic.Severity], notices: [Diagnostic] = []) -> FindingsReport {
    let findings = severities.enumerated().map { Diagnostic("X\($0)", $1, "m") }
    var report = FindingsReport(
      DiagnosticReport(tool: ("t", "1"), inputs: ["i"], diagnostics: findings), status: .findings,
      summary: "s")
    report.notices = notices
    return report
  }

  @Test(
    "findings are counted by severity, the most severe first, and those without one are left out of the text")
  func counts() {
    let findings = report([.note, .error, .error, .note, .note])
    #expect(findings.tally == "2 errors, 0 warnings, 3 notes")
    #expect(findings.text(.plain).description.hasSuffix("\ns: 2 errors, 3 notes\n"))
    #expect(findings.json == ["inputs": ["i"], "errors": 2, "warnings": 0, "notes": 3])
    #expect(findings.metrics.map(\.value) == [3, 0, 2])
    #expect(findings.metrics.map { $0.labels.map(\.value) } == [["note"], ["warning"], ["error"]])
    #expect(report([.warning]).tally == "0 errors, 1 warning, 0 notes")
    expectNoDifference(report([]).text(.plain).description, "s: no findings\n")
  }

  @Test("a remark is not counted, but it is shown, and then the report does not only confirm")
  func notices() {
    let notice = Diagnostic("N", .note, "beware")
    #expect(report([]).isConfirmation && !report([.note]).isConfirmation)
    let remarked = report([], notices: [notice])
    #expect(!remarked.isConfirmation && remarked.tally == "0 errors, 0 warnings, 0 notes")
    expectNoDifference(remarked.text(.plain).description, "note[N]: beware\ns: no findings\n")
    expectNoDifference(remarked.rendered(as: .github, .plain).description, "::notice title=N::beware\n")
  }

  @Test(
    "annotations are limited where that is asked for, and the status of a failure comes before that of findings"
  )
  func limits() {
    var findings = report([.error, .error, .error])
    #expect(findings.rendered(as: .github, .plain).description.split(separator: "\n").count == 3)
    findings.maxAnnotations = 2
    #expect(
      findings.rendered(as: .github, .plain).description.contains("::error title=X1::2 more in the log"))
    #expect(findings.status == .findings)
    let failed = FindingsReport(
      DiagnosticReport(tool: ("t", "1"), inputs: [], diagnostics: []), status: .done,
      failure: CommandFailure("m", status: .tryLater))
    #expect(failed.status == .tryLater)
  }
}

@Suite struct CommandFailureTests {
  @Test("a failure has its label, details and hint; the user's own decision has no label")
  func text() {
    let failure = CommandFailure("m", details: ["d"], hint: "h")
    expectNoDifference(failure.text(after: "error:", .plain).description, "error: m\n  d\nhint: h\n")
    expectNoDifference(
      CommandFailure.cancelled.text(after: "error:", .plain).description, "Cancelled. Nothing was written.\n")
    #expect(failure.messageWithHint == "m. h" && CommandFailure("m").messageWithHint == "m")
  }

  @Test("the JSON of a failure leaves out what it does not have")
  func json() {
    #expect(CommandFailure("m").json == ["code": "failed", "message": "m"])
    let full = CommandFailure("m", details: ["d"], code: "c", hint: "h", retryAfter: .seconds(3))
    #expect(
      full.json == ["code": "c", "message": "m", "details": ["d"], "hint": "h", "retryAfterSeconds": 3])
    #expect(CommandFailure.usage("m").status == .usage && CommandFailure("m").status == .failed)
  }
}

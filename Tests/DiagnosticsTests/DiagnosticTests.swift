import Diagnostics
import Testing

@Suite struct DiagnosticTests {
  @Test("a note is less than a warning, and a warning less than an error")
  func severities() {
    let all = Diagnostic.Severity.allCases
    for (index, severity) in all.enumerated() {
      for (other, otherSeverity) in all.enumerated() {
        #expect((severity < otherSeverity) == (index < other))
      }
    }
    #expect(all == [.note, .warning, .error])
  }

  @Test("only an error is an error")
  func errors() {
    let findings = Diagnostic.Severity.allCases.map { Diagnostic("X", $0, "m") }
    #expect(findings.map { [$0].hasErrors } == [false, false, true])
    #expect(findings.hasErrors && !findings.prefix(2).hasErrors && ![Diagnostic]().hasErrors)
  }

  @Test("findings without a place come first, then those of each file by place, code and message")
  func order() {
    let (a, b) = (SourceText(name: "a", "xyz"), SourceText(name: "b", "xyz"))
    let sorted = [
      Diagnostic("B", .error, "1"), Diagnostic("C", .error, "0"),
      Diagnostic("Z", .error, "m", at: a.range(0..<1)),
      Diagnostic("A", .error, "1", at: a.range(2..<3)), Diagnostic("A", .error, "2", at: a.range(2..<3)),
      Diagnostic("B", .error, "0", at: a.range(2..<3)), Diagnostic("A", .error, "m", at: b.range(0..<1)),
    ]
    #expect((sorted.reversed() + sorted).sortedForReading() == sorted)
  }
}

import Diagnostics
import Testing

@testable import CodeGeneration

@Suite("Reports of generated code") struct GenerateReportTests {
  private func report(_ differences: GeneratedFolder.Differences, isCheck: Bool) -> GenerateReport {
    GenerateReport(differences, folder: "code", fileCount: 4, isCheck: isCheck, command: "schema generate")
  }

  private static let all: [GeneratedFolder.Differences] = {
    var found = GeneratedFolder.Differences()
    found.missing = ["A"]
    found.changed = ["B"]
    found.leftOver = ["C"]
    return [GeneratedFolder.Differences(), found]
  }()

  @Test(
    "a check finds differences and writes nothing; a run without one writes them",
    arguments: [
      (all[0], true, Diagnostics.ExitStatus.done, true, false), (all[0], false, .done, true, false),
      (all[1], true, .differences, false, false), (all[1], false, .done, true, true),
    ])
  func outcomes(
    differences: GeneratedFolder.Differences, isCheck: Bool, status: Diagnostics.ExitStatus,
    isConfirmation: Bool,
    written: Bool
  ) {
    let report = report(differences, isCheck: isCheck)
    #expect(report.status == status)
    #expect(report.isConfirmation == isConfirmation)
    #expect(report.json["written"] == .bool(written))
    #expect(report.json["files"] == 4)
  }

  @Test("each file is listed by what is wrong with it, or by what was done")
  func files() {
    #expect(
      report(Self.all[1], isCheck: true).text(.plain).description
        == "missing code/A\nchanged code/B\nleft over code/C\ncode is out of date; run: schema generate\n")
    #expect(
      report(Self.all[1], isCheck: false).text(.plain).description
        == "wrote code/A\nwrote code/B\nremoved code/C\n")
    #expect(report(Self.all[0], isCheck: true).text(.plain).description == "code is up to date\n")
  }
}

import CloudKitModel
import Diagnostics
import RecordChanges
import Testing

@testable import AdminCommands
@testable import CommandLine

/// Not the one that swift-testing has for its exit tests.
typealias Status = Diagnostics.ExitStatus

@Suite struct ExitStatusTests {
  @Test(
    "the numbers are what scripts were promised",
    arguments: [
      (Status.done, Int32(0)), (.failed, 1), (.differences, 2), (.findings, 3), (.denied, 4),
      (.partial, 5),
      (.locked, 6), (.usage, 64), (.tryLater, 75), (.interrupted, 130), (.terminated, 143),
    ])
  func numbers(_ status: Status, _ number: Int32) { #expect(status.rawValue == number) }

  @Test(
    "a refusal of the service ends with the status of its kind",
    arguments: [
      (ServerError.Code.accessDenied, Status.denied), (.authenticationFailed, .denied),
      (.authenticationRequired, .denied), (.throttled, .tryLater), (.tryAgainLater, .tryLater),
      (.badRequest, .failed), (.notFound, .failed), (.conflict, .failed),
    ])
  func refusals(_ code: ServerError.Code, _ status: Status) {
    let failure = CommandFailure(ServerError(code, "no"))
    #expect(failure.status == status)
    #expect(failure.code == code.rawValue)
  }

  @Test(
    "what kept the container from answering ends with the status of its kind",
    arguments: [
      (ContainerFailure.Kind.storage, Status.failed), (.busy, .locked), (.readOnly, .failed),
      (.outcomeUnknown, .failed), (.unusableAnswer, .failed),
      (.unreachable, .failed), (.unavailable(retryAfter: .seconds(30)), .tryLater), (.credential, .denied),
    ])
  func failures(_ kind: ContainerFailure.Kind, _ status: Status) {
    #expect(CommandFailure(ContainerFailure(kind, "no")).status == status)
  }

  @Test("how long to wait reaches scripts")
  func retryAfter() {
    let failure = CommandFailure(ContainerFailure(.unavailable(retryAfter: .seconds(30)), "busy"))
    let text = JSONEnvelope(command: "seed apply", container: nil, environment: nil).text(failure: failure)
    #expect(text.contains(#""retryAfterSeconds": 30"#))
  }

  @Test("a report that is not complete is partial when something was written, and failed otherwise")
  func reports() {
    let change = RecordChange(.delete, recordType: "Note", recordName: "a", changeTag: nil)
    let refused = ChangeReport.Outcome.failed(ServerError(.badRequest, "no"))
    let denied = ChangeReport.Outcome.failed(ServerError(.accessDenied, "no"))
    #expect(ChangeReport(results: [(change, .applied)]).status == .done)
    #expect(ChangeReport(results: [(change, .applied), (change, refused)]).status == .partial)
    #expect(ChangeReport(results: [(change, refused)]).status == .failed)
    #expect(ChangeReport(results: [(change, denied), (change, denied)]).status == .denied)
  }

  @Test(
    "an output file's name chooses the format",
    arguments: [
      ("plan.json", OutputFormat.json), ("a/b.sarif", .sarif), ("summary.md", .markdown), ("x.jsonl", .jsonl),
    ])
  func formats(_ name: String, _ format: OutputFormat) {
    #expect(OutputFormat(fileName: name) == format)
    #expect(OutputFormat(fileName: "report") == nil)
    #expect(OutputFormat(fileName: "report.exe") == nil)
  }
}

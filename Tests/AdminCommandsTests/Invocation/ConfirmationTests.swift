import Diagnostics
import RecordChanges
import Testing

@testable import AdminCommands
@testable import CommandLine

@Suite struct ConfirmationTests {
  private let production = ["CLOUDKIT_ENVIRONMENT": "production", "CELESTRA_ADMIN_CONTAINER": "local:live"]

  @Test("a script in development needs no word")
  func development() async throws {
    try await TestProcess().context().confirm("Write?", options: .given())
  }

  @Test("a script in production needs --yes")
  func productionScript() async throws {
    let context = try await TestProcess().context(production)
    let failure = await #expect(throws: CommandFailure.self) {
      try await context.confirm("Write?", options: .given())
    }
    #expect(failure?.code == "not-confirmed")
    try await context.confirm("Write?", options: .given(yes: true))
  }

  @Test("every named risk is accepted by its name; --yes does not stand for it")
  func risks() async throws {
    let context = try await TestProcess().context()
    let failure = await #expect(throws: CommandFailure.self) {
      try await context.confirm(
        "Write?", risks: ["data-loss", "index-loss"], options: .given(yes: true, risks: ["index-loss"]))
    }
    #expect(failure?.code == "risk-not-accepted")
    #expect(failure?.hint?.contains("--accept-risk data-loss") == true)
    #expect(failure?.hint?.contains("index-loss") == false)
    try await context.confirm(
      "Write?", risks: ["data-loss"], options: .given(yes: true, risks: ["data-loss"]))
  }

  @Test("what undo restores needs no word in development, but with --no-input it needs --yes")
  func restorable() async throws {
    let loss = DeletionLoss.restorable(chosenBy: .caller)
    try await TestProcess().context().confirm("Delete?", deleting: loss, options: .given())
    var common = SharedOptionValues()
    common.noInput = true
    let context = try await TestProcess(answers: ["y"]).context([:], common)
    let failure = await #expect(throws: CommandFailure.self) {
      try await context.confirm("Delete?", deleting: loss, options: .given())
    }
    #expect(failure?.code == "not-confirmed" && failure?.hint?.contains("--yes") == true)
    try await context.confirm("Delete?", deleting: loss, options: .given(yes: true))
    try await context.confirm("Write?", options: .given())
  }

  @Test(
    "what nothing restores needs --yes and the risk in development, or the answer to a prompt that names it")
  func permanent() async throws {
    let script = try await TestProcess().context()
    for options in [MutationOptions.given(), .given(yes: true), .given(risks: ["data-loss"])] {
      let failure = await #expect(throws: CommandFailure.self) {
        try await script.confirm("Delete?", deleting: .permanent, options: options)
      }
      let missing =
        (options.yes ? [] : ["--yes"]) + (options.acceptRisk.isEmpty ? ["--accept-risk data-loss"] : [])
      #expect(missing.allSatisfy { failure?.hint?.contains($0) == true }, "\(failure?.hint ?? "")")
    }
    try await script.confirm(
      "Delete?", deleting: .permanent, options: .given(yes: true, risks: ["data-loss"]))
    let test = try TestProcess(answers: ["y"])
    try await test.context().confirm("Delete?", deleting: .permanent, options: .given())
    #expect(test.err.contains("the risk data-loss: nothing restores what is deleted"))
    // Another risk is accepted by its name only.
    let other = try await TestProcess(answers: ["y"]).context()
    let failure = await #expect(throws: CommandFailure.self) {
      try await other.confirm("Delete?", deleting: .permanent, risks: ["subscriber-loss"], options: .given())
    }
    #expect(failure?.hint?.contains("add --accept-risk subscriber-loss") == true)
  }

  @Test(
    "a person in development types y or yes",
    arguments: [("yes", true), ("y", true), ("Y", true), ("no", false), ("", false), ("yess", false)])
  func person(_ answer: String, _ isConsent: Bool) async throws {
    let test = try TestProcess(answers: [answer])
    let context = try await test.context()
    if isConsent {
      try await context.confirm("Write?", options: .given())
    } else {
      let failure = await #expect(throws: CommandFailure.self) {
        try await context.confirm("Write?", options: .given())
      }
      #expect(failure?.body.text() == "Cancelled. Nothing was written.\n")
    }
    #expect(test.err.contains("Write?"))
    #expect(test.out.isEmpty)
  }

  @Test(
    "a person in production types the container's name",
    arguments: [
      ("local:live", nil), ("cloudkit:iCloud.a.App ", nil), ("iCloud.a.App", nil), ("", "Cancelled"),
      ("live", "is not 'local:live'"),
      ("iCloud.a.app", "is not 'cloudkit:iCloud.a.App'; nothing was written"),
      ("local:love", "is not 'local:live'"),
    ] as [(String, String?)])
  func personInProduction(_ answer: String, _ refusal: String?) async throws {
    let name = answer.contains("iCloud") ? "cloudkit:iCloud.a.App" : "local:live"
    let test = try TestProcess(answers: [answer])
    let context = try await test.context(production.merging(["CELESTRA_ADMIN_CONTAINER": name]) { $1 })
    do { try await context.confirm("Write?", options: .given()) } catch let failure as CommandFailure {
      #expect(failure.code == "not-confirmed" && failure.message.contains(refusal ?? "accepted"))
      return
    }
    #expect(refusal == nil && test.err.hasSuffix("Type \(name) to continue: "), "\(test.err)")
  }

  @Test("with --no-input nobody is asked")
  func noInput() async throws {
    var common = SharedOptionValues()
    common.noInput = true
    let test = try TestProcess(answers: ["local:live"])
    let context = try await test.context(production, common)
    await #expect(throws: CommandFailure.self) { try await context.confirm("Write?", options: .given()) }
    #expect(test.err.isEmpty)
  }

  @Test("a prompt that nobody answers ends; a canceled one ends at once")
  func unanswered() async throws {
    let console = Console(
      output: .init(write: { _ in }), errors: .init(write: { _ in }), readLine: { "y" },
      inputIsReady: { false })
    let failure = await #expect(throws: CommandFailure.self) {
      _ = try await console.answer(within: .milliseconds(100))
    }
    #expect(failure?.code == "not-confirmed")
    let waiting = Task { try await console.answer(within: .seconds(3600)) }
    waiting.cancel()
    await #expect(throws: CommandFailure.self) { _ = try await waiting.value }
  }
}

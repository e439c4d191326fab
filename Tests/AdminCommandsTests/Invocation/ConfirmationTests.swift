import Diagnostics
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
    let failure = #expect(throws: CommandFailure.self) { try context.confirm("Write?", options: .given()) }
    #expect(failure?.code == "not-confirmed")
    try context.confirm("Write?", options: .given(yes: true))
  }

  @Test("every named risk is accepted by its name; --yes does not stand for it")
  func risks() async throws {
    let context = try await TestProcess().context()
    let failure = #expect(throws: CommandFailure.self) {
      try context.confirm(
        "Write?", risks: ["data-loss", "index-loss"], options: .given(yes: true, risks: ["index-loss"]))
    }
    #expect(failure?.code == "risk-not-accepted")
    #expect(failure?.hint?.contains("--accept-risk data-loss") == true)
    #expect(failure?.hint?.contains("index-loss") == false)
    try context.confirm("Write?", risks: ["data-loss"], options: .given(yes: true, risks: ["data-loss"]))
  }

  @Test(
    "a person in development types y or yes",
    arguments: [("yes", true), ("y", true), ("Y", true), ("no", false), ("", false), ("yess", false)])
  func person(_ answer: String, _ isConsent: Bool) async throws {
    let test = try TestProcess(answers: [answer])
    let context = try await test.context()
    if isConsent {
      try context.confirm("Write?", options: .given())
    } else {
      let failure = #expect(throws: CommandFailure.self) { try context.confirm("Write?", options: .given()) }
      #expect(failure?.text(after: "error:", .plain) == "Cancelled. Nothing was written.\n")
    }
    #expect(test.err.contains("Write?"))
    #expect(test.out.isEmpty)
  }

  @Test("a person in production types the container's name")
  func personInProduction() async throws {
    let careless = try await TestProcess(answers: ["yes"]).context(production)
    #expect(throws: CommandFailure.self) { try careless.confirm("Write?", options: .given()) }
    let careful = try await TestProcess(answers: ["local:live"]).context(production)
    try careful.confirm("Write?", options: .given())
  }

  @Test("with --no-input nobody is asked")
  func noInput() async throws {
    var common = SharedOptionValues()
    common.noInput = true
    let test = try TestProcess(answers: ["local:live"])
    let context = try await test.context(production, common)
    #expect(throws: CommandFailure.self) { try context.confirm("Write?", options: .given()) }
    #expect(test.err.isEmpty)
  }
}

internal import ArgumentParser
internal import CommandLine
internal import Diagnostics
internal import SchemaLanguage

struct AuthCheck: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check that the credentials work, and say which one does not and why.",
    discussion: """
      CloudKit answers every signing mistake with the same refusal, so the key, its signature and the clock are checked \
      on this machine first. Then the service is asked. What the credential may do to each record type is found out by \
      reading; nothing is written.

      Example: celestra-admin auth check --container cloudkit:iCloud.com.example.App
      """)

  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<AuthCheck>

  func perform(in context: CommandContext) async throws -> any Report {
    try await context.credentialReport()
  }
}

struct CredentialCheckReport: Report {
  struct Check: Sendable {
    var name: String
    var isGood: Bool
    var detail: String
  }

  let checks: [Check]
  /// The access rights of the credentials; `nil` if they were not checked.
  var rights: AccessRightsReport?

  var status: ExitStatus { checks.allSatisfy(\.isGood) ? .done : .denied }
  var isConfirmation: Bool { true }
  var urgent: ReportBody? { body.troubles }

  var json: JSONValue {
    let list = checks.map { check -> JSONValue in
      ["check": .string(check.name), "ok": .bool(check.isGood), "detail": .string(check.detail)]
    }
    return .object(["checks": .array(list), "rights": rights?.json])
  }

  var body: ReportBody {
    for check in checks { ListItem(check.isGood ? .good : .bad, "\(check.name): \(check.detail)") }
  }
}

internal import Diagnostics

/// The report of `auth check`: one check for each credential, in the order in which commands use them.
struct CredentialCheckReport: Report {
  /// The result of one check.
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

  var json: JSONValue {
    let list = checks.map { check -> JSONValue in
      ["check": .string(check.name), "ok": .bool(check.isGood), "detail": .string(check.detail)]
    }
    var object: JSONObject = ["checks": .array(list)]
    object["rights"] = rights?.json
    return .object(object)
  }

  func text(_ style: TerminalStyle) -> PrintableText {
    checks.map { check -> PrintableText in
      "\(check.isGood ? style.green("✓") : style.red("✗")) \(check.name): \(check.detail)\n"
    }.joined()
  }
}

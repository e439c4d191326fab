internal import Diagnostics

/// Why a command cannot go on, in words for the person who ran it.
struct CommandFailure: Error, Sendable {
  /// What happened and where.
  var message: String
  /// For scripts: stable, lower case, hyphenated.
  var code: String
  /// What to do.
  var hint: String?
  var status: ExitStatus
  var retryAfter: Duration?
  var diagnostics: [Diagnostic]

  init(
    _ message: String, code: String = "failed", hint: String? = nil, status: ExitStatus = .failed,
    retryAfter: Duration? = nil, diagnostics: [Diagnostic] = []
  ) {
    self.message = message.withoutUserInfo
    self.code = code
    self.hint = hint?.withoutUserInfo
    self.status = status
    self.retryAfter = retryAfter
    self.diagnostics = diagnostics
  }

  /// What happened and what to do, a line each.
  func text(after label: String, _ style: Style) -> String {
    "\(style.red(label)) \(message.printable)\n"
      + (hint.map { "\(style.dim("hint:")) \($0.printable)\n" } ?? "")
  }

  static func usage(_ message: String, hint: String? = nil) -> CommandFailure {
    CommandFailure(message, code: "usage", hint: hint, status: .usage)
  }
}

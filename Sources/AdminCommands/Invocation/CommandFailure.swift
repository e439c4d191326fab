internal import Diagnostics

/// Why a command cannot go on, in words for the person who ran it.
struct CommandFailure: Error, Sendable {
  /// What happened and where: one line, whatever it quotes.
  var message: String { didSet { message = message.withoutUserInfo.printableLine } }
  /// What belongs to it, a line each below the message.
  var details: [String]
  /// For scripts: stable, lower case, hyphenated.
  var code: String
  /// What to do, in one line.
  let hint: String?
  var status: ExitStatus
  var retryAfter: Duration?
  var diagnostics: [Diagnostic]

  init(
    _ message: String, details: [String] = [], code: String = "failed", hint: String? = nil,
    status: ExitStatus = .failed,
    retryAfter: Duration? = nil, diagnostics: [Diagnostic] = []
  ) {
    self.message = message.withoutUserInfo.printableLine
    self.details = details.map(\.withoutUserInfo.printableLine)
    self.code = code
    self.hint = hint?.withoutUserInfo.printableLine
    self.status = status
    self.retryAfter = retryAfter
    self.diagnostics = diagnostics
  }

  /// What happened and what to do, a line each.
  func text(after label: PrintableText, _ style: Style) -> PrintableText {
    var text: PrintableText = "\(style.red(label)) \(message)\n" + PrintableText(lines: details)
    if let hint { text += "\(style.dim("hint:")) \(hint)\n" }
    return text
  }

  static func usage(_ message: String, hint: String? = nil) -> CommandFailure {
    CommandFailure(message, code: "usage", hint: hint, status: .usage)
  }
}

/// Why a command cannot go on, in words for the person who ran it.
public struct CommandFailure: Error, Sendable {
  /// What happened and where: one line, whatever it quotes.
  public var message: String { didSet { message = message.withoutUserInfo.printableLine } }
  /// What belongs to it, a line each below the message.
  public var details: [String]
  /// For scripts: stable, lower case, hyphenated.
  public var code: String
  /// What to do, in one line.
  public let hint: String?
  public var status: ExitStatus
  public var retryAfter: Duration?
  public var diagnostics: [Diagnostic]

  public init(
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
  public func text(after label: PrintableText, _ style: Style) -> PrintableText {
    var text: PrintableText = "\(style.red(label)) \(message)\n" + PrintableText(lines: details)
    if let hint { text += "\(style.dim("hint:")) \(hint)\n" }
    return text
  }

  public static func usage(_ message: String, hint: String? = nil) -> CommandFailure {
    CommandFailure(message, code: "usage", hint: hint, status: .usage)
  }
}

extension CommandFailure {
  /// The envelope's `error`.
  public var json: JSONValue {
    var error: JSONObject = ["code": .string(code), "message": .string(message)]
    if !details.isEmpty { error["details"] = .array(details.map(JSONValue.string)) }
    error["hint"] = hint.map(JSONValue.string)
    error["retryAfterSeconds"] = retryAfter.map { .integer($0.components.seconds) }
    return .object(error)
  }
}

/// An error that says itself what a command reports when it ends with it.
public protocol ExplainedError: Error {
  var failure: CommandFailure { get }
}

extension CommandFailure {
  /// Any error in the words and with the exit status that a user needs.
  public init(_ error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as any ExplainedError: self = error.failure
    case is CancellationError:
      self.init("interrupted", code: "interrupted", hint: "Run the command again: it finishes the rest.")
    default: self.init(String(describing: error))
    }
  }
}

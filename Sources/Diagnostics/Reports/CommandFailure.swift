/// The error with which a command ends: message, hint, code and exit status.
public struct CommandFailure: Error, Sendable {
  /// What happened and where, cleaned to one line.
  public var message: String { didSet { message = message.withoutUserInfo.printableLine } }
  /// Details, printed as lines below the message.
  public var details: [String]
  /// A stable code for scripts, in lower case with hyphens.
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

  /// The message, details and hint as lines of text.
  public func text(after label: PrintableText, _ style: TerminalStyle) -> PrintableText {
    // The answer to a question is not printed as an error.
    let label = message == Self.cancelled.message ? "" : style.red(label) + " "
    var text: PrintableText = "\(label)\(message)\n" + PrintableText(lines: details)
    if let hint { text += "\(style.dim("hint:")) \(hint)\n" }
    return text
  }

  /// A person answered "no" to a prompt.
  public static let cancelled = CommandFailure("Cancelled. Nothing was written.", code: "not-confirmed")

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

/// An error that converts itself to the ``CommandFailure`` that a command reports.
public protocol CommandFailureConvertible: Error {
  var failure: CommandFailure { get }
}

extension CommandFailure {
  /// Converts any error to a message and an exit status.
  public init(_ error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as any CommandFailureConvertible: self = error.failure
    case is CancellationError:
      self.init("interrupted", code: "interrupted", hint: "Run the command again to finish the rest.")
    default: self.init(String(describing: error))
    }
  }
}

/// The error with which a command ends: message, hint, code and exit status.
package struct CommandFailure: Error, Sendable {
  package var message: String { didSet { message = message.printableLine } }
  package var details: [String]
  /// A stable code for scripts, in lower case with hyphens.
  package var code: String
  package var hint: String? { didSet { hint = hint?.printableLine } }
  package var status: ExitStatus
  package var retryAfter: Duration?
  package var diagnostics: [Diagnostic]
  /// Whether the user ended the command by answering "no", which is not printed as an error.
  package private(set) var isUserDecision = false

  package init(
    _ message: String, details: [String] = [], code: String = "failed", hint: String? = nil,
    status: ExitStatus = .failed,
    retryAfter: Duration? = nil, diagnostics: [Diagnostic] = []
  ) {
    self.message = message.printableLine
    self.details = details.map(\.printableLine)
    self.code = code
    self.hint = hint?.printableLine
    self.status = status
    self.retryAfter = retryAfter
    self.diagnostics = diagnostics
  }

  package var messageWithHint: String { hint.map { "\(message). \($0)" } ?? message }

  @ReportBodyBuilder package var body: ReportBody {
    let label: StyledText = isUserDecision ? "" : "\("error:", .bad) "
    ListItem(label + "\(message)", details: details.map { StyledText($0) })
    if let hint { "\("hint:", .dim) \(hint)" }
  }

  /// The status of a run that this failure ended: after writes, the next run finishes the rest.
  package func status(afterWriting written: Int) -> ExitStatus {
    status == .failed && written > 0 ? .partial : status
  }

  package static let cancelled: CommandFailure = {
    var failure = CommandFailure("Cancelled. Nothing was written.", code: "not-confirmed")
    failure.isUserDecision = true
    return failure
  }()

  package static func usage(_ message: String, hint: String? = nil) -> CommandFailure {
    CommandFailure(message, code: "usage", hint: hint, status: .usage)
  }

  package func mappingTexts(_ change: (String) -> String) -> CommandFailure {
    var failure = self
    failure.details = details.map(change)
    failure.hint = hint.map(change)
    failure.diagnostics = diagnostics.map { $0.mappingTexts(change) }
    return failure
  }

  package var json: JSONValue {
    .object([
      "code": .string(code), "message": message.withoutUserRecordNames.json,
      "details": details.isEmpty ? nil : .array(details.map(\.withoutUserRecordNames.json)),
      "hint": hint?.withoutUserRecordNames.json,
      "retryAfterSeconds": retryAfter.map { .integer($0.components.seconds) },
    ])
  }
}

extension SourceText {
  /// The text parsed as JSON. Throws a failure with a finding, under the code of `rule`, at a syntax error.
  package func json(_ rule: some RuleCode) throws(CommandFailure) -> JSONValue {
    do { return try JSONValue(parsing: bytes) } catch {
      throw CommandFailure(
        "\(name) is not valid JSON", code: "bad-input",
        diagnostics: [error.diagnostic(in: self, code: rule.code)])
    }
  }
}

package protocol CommandFailureConvertible: Error {
  var failure: CommandFailure { get }
}

extension CommandFailure {
  package init(_ error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as any CommandFailureConvertible: self = error.failure
    case is CancellationError:
      self.init("interrupted", code: "interrupted", hint: "Run the command again to finish the rest.")
    default: self.init(String(describing: error))
    }
  }
}

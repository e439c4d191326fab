internal import Diagnostics

/// What a command found or did: the one value that text, JSON and exit code all come from.
struct CommandResult: Report {
  var status: ExitStatus
  /// The `result` of the JSON envelope.
  var json: JSONValue
  var diagnostics: [Diagnostic]
  /// The rendered forms tell of the diagnostics themselves; those of other results are shown beside the result.
  var rendersDiagnostics = false
  /// Why less was done than was asked for: the `error` of the envelope, beside the `result` that says what was done
  /// all the same. The rendered forms say it in their own words.
  var failure: CommandFailure?
  /// It says only that all is well, which `-q` keeps back. Data that was asked for, and a report with something to
  /// tell, are always written.
  var isConfirmation: Bool
  /// Every other form, made only when asked for. A form that gives `nil` has been written already, line by line.
  var render: @Sendable (OutputFormat, Style) -> PrintableText?

  var findings: [Diagnostic] { rendersDiagnostics ? diagnostics : [] }
  var notes: [Diagnostic] { rendersDiagnostics ? [] : diagnostics }
  func text(_ style: Style) -> PrintableText { render(.text, style) ?? "" }
  func rendered(as format: OutputFormat, _ style: Style) -> PrintableText { render(format, style) ?? "" }

  init(
    _ status: ExitStatus = .done, isConfirmation: Bool = false, json: JSONValue,
    diagnostics: [Diagnostic] = [], render: @escaping @Sendable (OutputFormat, Style) -> PrintableText?
  ) {
    self.status = status
    self.isConfirmation = isConfirmation
    self.json = json
    self.diagnostics = diagnostics
    self.render = render
  }

  /// A result whose only form besides JSON is a text.
  init(
    _ status: ExitStatus = .done, isConfirmation: Bool = false, json: JSONValue,
    diagnostics: [Diagnostic] = [], text: PrintableText
  ) {
    self.init(status, isConfirmation: isConfirmation, json: json, diagnostics: diagnostics) { _, _ in text }
  }
}

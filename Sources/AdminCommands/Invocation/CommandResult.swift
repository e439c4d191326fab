internal import Diagnostics

/// What a command found or did: the one value that text, JSON and exit code all come from.
struct CommandResult {
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
  /// It has been written while it came about; nothing is left to show.
  var isWritten = false
  /// Every other form, made only when asked for. A form that gives `nil` has been written already, line by line.
  var render: (OutputFormat, Style) throws -> PrintableText?

  init(
    _ status: ExitStatus = .done, isConfirmation: Bool = false, json: JSONValue,
    diagnostics: [Diagnostic] = [], render: @escaping (OutputFormat, Style) throws -> PrintableText?
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

/// Colours, or their absence. Every coloured text of the tool goes through here.
struct Style: Sendable {
  let isColored: Bool

  func bold(_ text: PrintableText) -> PrintableText { painted(text, .bold) }
  func dim(_ text: PrintableText) -> PrintableText { painted(text, .dim) }
  func red(_ text: PrintableText) -> PrintableText { painted(text, .red) }
  func green(_ text: PrintableText) -> PrintableText { painted(text, .green) }
  func yellow(_ text: PrintableText) -> PrintableText { painted(text, .yellow) }
  func cyan(_ text: PrintableText) -> PrintableText { painted(text, .cyan) }

  private func painted(_ text: PrintableText, _ paint: PrintableText.Paint) -> PrintableText {
    isColored ? text.painted(paint) : text
  }

  /// Obeys NO_COLOR, CLICOLOR_FORCE and TERM=dumb when the choice is left to the tool.
  static func resolve(_ choice: ColorChoice, isTerminal: Bool, environment: [String: String]) -> Style {
    func isSet(_ name: String) -> Bool { environment[name].map { !$0.isEmpty && $0 != "0" } ?? false }
    switch choice {
    case .always: return Style(isColored: true)
    case .never: return Style(isColored: false)
    case .auto:
      if environment["NO_COLOR"].map({ !$0.isEmpty }) ?? false { return Style(isColored: false) }
      if isSet("CLICOLOR_FORCE") { return Style(isColored: true) }
      return Style(isColored: isTerminal && environment["TERM"] != "dumb")
    }
  }
}

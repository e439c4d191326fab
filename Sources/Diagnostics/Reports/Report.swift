/// What a command found or did: the one value from which every output format and the exit status are made.
///
/// A library returns a report; a command passes it on. A report that is written element by element while the
/// command runs has a text only for what is left to say at its end.
public protocol Report: Sendable {
  var status: ExitStatus { get }
  /// The `result` of the JSON envelope. Made only when JSON is asked for.
  var json: JSONValue { get }
  /// Diagnostics that the result consists of: every form of it shows them itself.
  var findings: [Diagnostic] { get }
  /// Diagnostics beside the result: on standard error for a person, in the envelope for scripts.
  var notes: [Diagnostic] { get }
  /// Why less was done than was asked for: the `error` of the envelope, beside the `result` that says what was
  /// done. With every other format it is printed on standard error, so no form repeats it.
  var failure: CommandFailure? { get }
  /// Whether the report says only that all is well: `-q` omits such a text.
  var isConfirmation: Bool { get }
  /// The numbers of the result for monitoring.
  var metrics: [Metric] { get }
  /// The main numbers in one line, for a service that watches runs: no name, no address and no text from outside.
  var tally: String? { get }

  func text(_ style: Style) -> PrintableText
  /// Any form but JSON, of those that the command offers. By default the text, whatever the format.
  func rendered(as format: OutputFormat, _ style: Style) -> PrintableText
}

extension Report {
  public var status: ExitStatus { failure?.status ?? .done }
  public var findings: [Diagnostic] { [] }
  public var notes: [Diagnostic] { [] }
  public var failure: CommandFailure? { nil }
  public var isConfirmation: Bool { false }
  public var metrics: [Metric] { [] }
  public var tally: String? { nil }

  public func rendered(as format: OutputFormat, _ style: Style) -> PrintableText { text(style) }
}

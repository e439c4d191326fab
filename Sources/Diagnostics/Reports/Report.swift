/// The result of a command, from which all output formats and the exit status are made.
///
/// A library returns a report; the command prints it. If elements were written while the command ran, the report's
/// text only contains the rest.
public protocol Report: Sendable {
  var status: ExitStatus { get }
  /// The `result` of the JSON envelope. Made only when JSON is asked for.
  var json: JSONValue { get }
  /// Findings that are part of the result. All formats show them.
  var findings: [Diagnostic] { get }
  /// Findings in addition to the result: printed to standard error, or added to the JSON envelope.
  var notes: [Diagnostic] { get }
  /// Why the command did not do everything: the envelope's `error`, in addition to its `result`. Other formats do
  /// not contain it, because it is printed to standard error.
  var failure: CommandFailure? { get }
  /// Whether the text only confirms success; `-q` omits it.
  var isConfirmation: Bool { get }
  /// The numbers of the result for monitoring.
  var metrics: [Metric] { get }
  /// The main numbers in one line, for a monitoring service. Contains no names, URLs or input text.
  var tally: String? { get }

  func text(_ style: TerminalStyle) -> PrintableText
  /// The report in one of the command's formats except JSON. By default, the text.
  func rendered(as format: OutputFormat, _ style: TerminalStyle) -> PrintableText
}

extension Report {
  public var status: ExitStatus { failure?.status ?? .done }
  public var findings: [Diagnostic] { [] }
  public var notes: [Diagnostic] { [] }
  public var failure: CommandFailure? { nil }
  public var isConfirmation: Bool { false }
  public var metrics: [Metric] { [] }
  public var tally: String? { nil }

  public func rendered(as format: OutputFormat, _ style: TerminalStyle) -> PrintableText { text(style) }
}

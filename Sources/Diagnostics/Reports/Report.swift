/// The result of a command, from which all output formats and the exit status are made.
///
/// A library returns a report; the command prints it. If elements were written while the command ran, the report's
/// text only contains the rest.
public protocol Report: Sendable {
  var status: ExitStatus { get }
  /// The `result` of the JSON envelope. Made only when JSON is asked for.
  var json: JSONValue { get }
  /// Whether the JSON envelope is around ``json``. A document that another program takes as it is has none.
  var hasEnvelope: Bool { get }
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

  /// What the report says to people, of which the renderers make every format.
  @ReportBodyBuilder var body: ReportBody { get }
  /// What matters most: the last lines of a text, and the first ones of a page or comment.
  @ReportBodyBuilder var conclusion: ReportBody { get }
  /// The heading of a page or comment.
  var title: StyledText? { get }
  /// Whether a text has the heading, too: of a plan, it says for which container.
  var hasTitleInText: Bool { get }
  /// Whether a text has more than the conclusion: what was applied is repeated on a page only.
  var hasBodyInText: Bool { get }
  /// The most bytes that the report has as a page; `nil` for no limit.
  var maxPageBytes: Int? { get }
  /// The findings with what was checked, for the formats that have findings only.
  var checked: DiagnosticReport? { get }
  /// The report in one of the command's formats except JSON.
  func rendered(as format: OutputFormat, _ style: TerminalStyle) -> PrintableText
}

extension Report {
  public var status: ExitStatus { failure?.status ?? .done }
  public var hasEnvelope: Bool { true }
  public var findings: [Diagnostic] { [] }
  public var notes: [Diagnostic] { [] }
  public var failure: CommandFailure? { nil }
  public var isConfirmation: Bool { false }
  public var metrics: [Metric] { [] }
  public var tally: String? { nil }

  public var body: ReportBody { ReportBody() }
  public var conclusion: ReportBody { ReportBody() }
  public var title: StyledText? { nil }
  public var hasTitleInText: Bool { false }
  public var hasBodyInText: Bool { true }
  public var maxPageBytes: Int? { nil }
  public var checked: DiagnosticReport? { nil }

  public func text(_ style: TerminalStyle = .plain) -> PrintableText { TextRenderer(style).render(self) }
  public func rendered(as format: OutputFormat, _ style: TerminalStyle) -> PrintableText {
    rendering(as: format, style)
  }

  /// What ``rendered(as:_:)`` does for a report that has no format of its own.
  public func rendering(as format: OutputFormat, _ style: TerminalStyle) -> PrintableText {
    switch (format, checked) {
    case (.markdown, _): PrintableText(MarkdownRenderer(maxBytes: maxPageBytes).render(self))
    case (.csv, _): CSVRenderer().render(body)
    case (.sarif, let checked?): PrintableText(document: SARIFRenderer().render(checked))
    case (.junit, let checked?): PrintableText(document: JUnitRenderer().render(checked))
    case (.github, let checked?): GitHubRenderer().render(checked)
    default: text(style)
    }
  }
}

/// A simple report with a fixed JSON value and text.
public struct PlainReport: Report {
  public let json: JSONValue
  public var status: ExitStatus
  public var isConfirmation: Bool
  public let body: ReportBody

  public init(
    _ status: ExitStatus = .done, json: JSONValue = [:], isConfirmation: Bool = false,
    @ReportBodyBuilder _ body: () -> ReportBody = { ReportBody() }
  ) {
    self.status = status
    self.json = json
    self.isConfirmation = isConfirmation
    self.body = body()
  }

  /// A JSON document, which is the text as well.
  public init(document json: JSONValue) {
    self.init(json: json) { ReportBody.document(json.text(.pretty)) }
  }
}

/// A format of a command's result.
public enum OutputFormat: String, CaseIterable, Sendable {
  case text
  /// One JSON document with an envelope around the result.
  case json
  /// One JSON object on each line, written while the command runs.
  case jsonl
  case sarif
  case junit
  /// GitHub workflow commands, shown as annotations.
  case github
  case markdown
  case table
  case csv
  case opml
  case html
  case mermaid

  /// The format for a file name extension; `nil` if unknown.
  public init?(fileName: String) {
    let endings: [(String, OutputFormat)] = [
      (".json", .json), (".jsonl", .jsonl), (".ndjson", .jsonl), (".md", .markdown), (".sarif", .sarif),
      (".xml", .junit), (".csv", .csv), (".opml", .opml), (".html", .html), (".mmd", .mermaid),
    ]
    guard let format = endings.first(where: { fileName.hasSuffix($0.0) })?.1 else { return nil }
    self = format
  }
}

/// The exit status of a command. The numbers never change (Documentation/reference/commands.md#exit-codes).
public struct ExitStatus: RawRepresentable, Sendable, Hashable {
  public var rawValue: Int32

  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// Done, with nothing pending.
  public static let done = ExitStatus(rawValue: 0)
  public static let failed = ExitStatus(rawValue: 1)
  /// `--exit-code` was passed and differences were found.
  public static let differences = ExitStatus(rawValue: 2)
  /// Findings at or above the level of `--fail-on`.
  public static let findings = ExitStatus(rawValue: 3)
  /// Authentication failed, or a permission is missing.
  public static let denied = ExitStatus(rawValue: 4)
  /// Some changes were applied; the report lists the others, and running the command again applies them.
  public static let partial = ExitStatus(rawValue: 5)
  /// Another run holds the lock.
  public static let locked = ExitStatus(rawValue: 6)
  public static let usage = ExitStatus(rawValue: 64)
  /// The service was throttled or unavailable after all retries.
  public static let tryLater = ExitStatus(rawValue: 75)
  public static let interrupted = ExitStatus(rawValue: 130)
  public static let terminated = ExitStatus(rawValue: 143)
}

/// How a text is shown: in colors or plain, and in lines of which width. All output uses it.
public struct TerminalStyle: Sendable {
  public let isColored: Bool
  /// The terminal's columns; `nil` for a file, whose lines are not wrapped.
  public var width: Int?

  public init(isColored: Bool, width: Int? = nil) {
    self.isColored = isColored
    self.width = width
  }

  public static let plain = TerminalStyle(isColored: false)
}

/// The `--accept-risk` options for a set of risks, as a user types them.
public struct RiskOptions: CustomStringConvertible {
  private let risks: Set<String>

  public init(_ risks: Set<String>) { self.risks = risks }

  /// `--accept-risk data-loss --accept-risk mass-deletion`
  public var description: String { risks.sorted().map { "--accept-risk \($0)" }.joined(separator: " ") }

  /// The line of a plan that says which options applying it needs; `nil` without risks.
  public var line: StyledText? {
    risks.isEmpty ? nil : "\("risks:", .caution) applying this needs \(description, .code)"
  }
}

/// The result of a command, from which all output formats and the exit status are made. A library returns a report; the
/// command prints it. If elements were written while the command ran, the report's text only contains the rest.
package protocol Report: Sendable {
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
  /// All that `-q` leaves of the text: what needs a person. `nil` for a text that `-q` does not shorten.
  var urgent: ReportBody? { get }
  var metrics: [Metric] { get }
  /// The main numbers, for a monitoring service.
  var tally: Tally? { get }

  @ReportBodyBuilder var body: ReportBody { get }
  /// What matters most: the last lines of a text, and the first ones of a page or comment.
  @ReportBodyBuilder var conclusion: ReportBody { get }
  var title: StyledText? { get }
  /// Whether a text has the heading, too: of a plan, it says for which container.
  var hasTitleInText: Bool { get }
  /// Whether a text has more than the conclusion: what was applied is repeated on a page only.
  var hasBodyInText: Bool { get }
  /// The most bytes that the report has as a page; `nil` for no limit.
  var maxPageBytes: Int? { get }
  /// The findings with what was checked, for the formats that have findings only.
  var checked: DiagnosticReport? { get }
  /// The report in a format that it makes itself; `nil` for one that a renderer makes of its parts.
  func ownRendering(as format: OutputFormat, _ style: TerminalStyle) -> PrintableText?
}

extension Report {
  package var status: ExitStatus { failure?.status ?? .done }
  package var hasEnvelope: Bool { true }
  package var findings: [Diagnostic] { [] }
  package var notes: [Diagnostic] { [] }
  package var failure: CommandFailure? { nil }
  package var isConfirmation: Bool { false }
  package var urgent: ReportBody? { nil }
  package var metrics: [Metric] { [] }
  package var tally: Tally? { nil }

  package var body: ReportBody { ReportBody() }
  package var conclusion: ReportBody { ReportBody() }
  package var title: StyledText? { nil }
  package var hasTitleInText: Bool { false }
  package var hasBodyInText: Bool { true }
  package var maxPageBytes: Int? { nil }
  package var checked: DiagnosticReport? { nil }

  package func text(_ style: TerminalStyle = .plain) -> PrintableText {
    TextRenderer(style).render(self) { $0 }
  }
  package func ownRendering(as format: OutputFormat, _ style: TerminalStyle) -> PrintableText? { nil }

  /// The report in one of the command's formats except JSON.
  ///
  /// - Parameters:
  ///   - complete: what is done with each text that may name a command.
  ///   - path: the name of a file in the formats that GitHub reads, where paths start from the repository's root.
  package func rendered(
    as format: OutputFormat, _ style: TerminalStyle, completing complete: (String) -> String = { $0 },
    pathOnGitHub path: @escaping @Sendable (String) -> String = { $0 }
  ) -> PrintableText {
    if let own = ownRendering(as: format, style) { return own }
    // Findings of ten thousand differences take as long as the text.
    let checked = [.sarif, .junit, .github].contains(format) ? self.checked : nil
    return switch (format, checked) {
    case (.markdown, _): PrintableText(MarkdownRenderer(maxBytes: maxPageBytes).render(self, complete))
    case (.csv, _): CSVRenderer().render(body)
    case (.sarif, let checked?): PrintableText(document: SARIFRenderer(report: checked, path: path).render())
    case (.junit, let checked?): PrintableText(document: JUnitRenderer().render(checked))
    case (.github, let checked?): GitHubRenderer(path: path).render(checked)
    default: TextRenderer(style).render(self, complete)
    }
  }
}

package struct PlainReport: Report {
  package let json: JSONValue
  package var status: ExitStatus
  package var failure: CommandFailure? { didSet { status = failure?.status ?? status } }
  package var isConfirmation: Bool
  package var urgent: ReportBody?
  package let findings: [Diagnostic]
  package let notes: [Diagnostic]
  package let body: ReportBody

  package init(
    _ status: ExitStatus = .done, json: JSONValue = [:], findings: [Diagnostic] = [],
    notes: [Diagnostic] = [], failure: CommandFailure? = nil, isConfirmation: Bool = false,
    @ReportBodyBuilder _ body: () -> ReportBody = { ReportBody() }
  ) {
    self.status = failure?.status ?? status
    self.json = json
    self.findings = findings
    self.notes = notes
    self.failure = failure
    self.isConfirmation = isConfirmation
    self.body = body()
  }
}

package enum OutputFormat: String, CaseIterable, Sendable {
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

  package init?(fileName: String) {
    let endings: [(String, OutputFormat)] = [
      (".json", .json), (".jsonl", .jsonl), (".ndjson", .jsonl), (".md", .markdown), (".sarif", .sarif),
      (".xml", .junit), (".csv", .csv), (".opml", .opml), (".html", .html), (".mmd", .mermaid),
    ]
    guard let format = endings.first(where: { fileName.hasSuffix($0.0) })?.1 else { return nil }
    self = format
  }
}

/// The exit status of a command. The numbers never change (Documentation/reference/commands.md#exit-codes).
package struct ExitStatus: RawRepresentable, Sendable, Hashable {
  package var rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  package static let done = ExitStatus(rawValue: 0)
  package static let failed = ExitStatus(rawValue: 1)
  /// `--exit-code` was passed and differences were found.
  package static let differences = ExitStatus(rawValue: 2)
  /// Findings at or above the level of `--fail-on`.
  package static let findings = ExitStatus(rawValue: 3)
  /// Authentication failed, or a permission is missing.
  package static let denied = ExitStatus(rawValue: 4)
  /// Some changes were applied; the report lists the others, and running the command again applies them.
  package static let partial = ExitStatus(rawValue: 5)
  /// Another run holds the lock.
  package static let locked = ExitStatus(rawValue: 6)
  package static let usage = ExitStatus(rawValue: 64)
  /// The service was throttled or unavailable after all retries.
  package static let tryLater = ExitStatus(rawValue: 75)
  package static let interrupted = ExitStatus(rawValue: 130)
  package static let terminated = ExitStatus(rawValue: 143)
}

/// How a text is shown: in colors or plain, and in lines of which width. All output uses it.
package struct TerminalStyle: Sendable {
  package let isColored: Bool
  /// The terminal's columns; `nil` for a file, whose lines are not wrapped.
  package var width: Int?
  /// Whether a document is written to the byte: for a file or a program. Else what a terminal or a runner would obey is
  /// replaced.
  let keepsDocuments: Bool

  package init(isColored: Bool, width: Int? = nil, keepsDocuments: Bool = false) {
    self.isColored = isColored
    self.width = width
    self.keepsDocuments = keepsDocuments
  }

  package static let plain = TerminalStyle(isColored: false)
}

/// The report of a plan that is saved for another command to apply.
package protocol PlanReport: Report {
  /// Whether there is something to apply, and all of it is applied once ``risks`` are accepted.
  var canBeApplied: Bool { get }
  var risks: RiskOptions { get }
}

/// The `--accept-risk` options for a set of risks, as a user types them, and what each risk means.
package struct RiskOptions: CustomStringConvertible {
  private let risks: Set<String>

  /// - Parameter accepted: what the command was given already.
  package init(_ risks: Set<String>, accepted: [String] = []) { self.risks = risks.subtracting(accepted) }

  /// `--accept-risk data-loss --accept-risk mass-deletion`
  package var description: String { risks.sorted().map { "--accept-risk \($0)" }.joined(separator: " ") }

  /// What a plan says about its risks: which options applying it needs, and what each risk means. Empty without risks.
  package var items: [ListItem] {
    guard !risks.isEmpty else { return [] }
    return [
      ListItem(
        "\("risks:", .caution) applying this needs \(description, .code)", details: lines.map { "\($0)" })
    ]
  }

  /// `index-loss: queries that need a dropped index fail`, for each risk.
  package var lines: [String] {
    risks.sorted().map { risk in Self.meanings[risk].map { "\(risk): \($0)" } ?? risk }
  }

  /// What each named risk means, in a clause.
  package static let meanings = [
    "data-loss": "data is deleted",
    "index-loss": "queries that need a dropped index fail",
    "permission-widening": "more people may read or write",
    "permission-narrowing": "people who may read or write now may not any more",
    "mass-deletion": "more than half of the records of a type are deleted",
    "readers-move": "the readers of a feed get an address that may be another publisher's",
    "subscriber-loss": "readers lose a feed that is deleted or gets a new record",
    "count-drop": "published counts fall further than allowed, because made-up names are left out",
    "person-disclosure": "data of one person is written without encryption",
  ]

  /// What to do about a named risk, in sentences.
  package static func advice(about risk: String) -> String {
    switch risk {
    case "readers-move":
      "Open the new address: if it is the same feed, --accept-risk readers-move lets its readers follow. If it is another feed, "
        + "give it a new slug, and keep or retire the entry with the old one."
    case "subscriber-loss":
      "Keep the feed's record for its readers: write \"retired\": true or \"replacedBy\" in its seed instead. Or accept with "
        + "--accept-risk subscriber-loss that they get nothing new from the feed that they follow."
    case "permission-narrowing": "Nothing has to be accepted. Check in the plan who loses what."
    default: "Read the plan first; --accept-risk \(risk) accepts it."
    }
  }
}

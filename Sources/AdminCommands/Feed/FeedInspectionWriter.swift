internal import CommandLine
internal import Diagnostics

/// Writes inspected feeds in the chosen format, each as soon as it is available.
struct FeedInspectionWriter {
  private let context: CommandContext
  private let envelope: JSONEnvelope
  private var count = 0
  private var unreadable = 0

  /// Throws if the output file cannot be written.
  init(_ context: CommandContext) throws {
    self.context = context
    envelope = try context.envelope(for: FeedInspect.title)
    try context.results.open()
  }

  mutating func write(_ feed: InspectedFeed) throws {
    let results = context.results
    switch context.format {
    case .json:
      try results.beginElement(of: "feeds", in: envelope)
      try feed.writeJSON(to: results.append(json:))
    case .text:
      let style = context.common.outputStyle(in: context.process)
      try results.append((count == 0 ? "" : "\n") + InspectedFeedText(feed, style).text)
    default:
      try feed.writeJSON(to: results.append(json:))
      try results.append("\n")
    }
    try results.flush()
    count += 1
    unreadable += feed.isUnreadable ? 1 : 0
  }

  var report: some Report { FeedInspectionReport(isEmpty: unreadable == count) }
}

/// The report after all inputs were written: only the exit status and the error.
private struct FeedInspectionReport: Report {
  /// Whether none of the inputs could be read.
  let isEmpty: Bool

  var json: JSONValue { [:] }
  var failure: CommandFailure? {
    isEmpty ? CommandFailure("none of the inputs could be read", code: "unreadable-input") : nil
  }

  func text(_ style: TerminalStyle) -> PrintableText { "" }
}

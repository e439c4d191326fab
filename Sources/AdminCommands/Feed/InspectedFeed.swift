internal import CommandLine
internal import Diagnostics
internal import FeedParsing

/// The result of inspecting one input.
struct InspectedFeed: Sendable {
  /// The parsed feed, or why the input could not be read.
  enum Outcome {
    case parsed(ParsedFeed)
    /// The input could not be read.
    case unreadable(code: String, message: String)
  }

  let input: String
  let outcome: Outcome
  /// The size of the document in bytes, as an estimate of the memory that the result needs.
  let weight: Int
  /// The final URL, if the server redirected.
  var redirectedTo: String?
  /// The feeds that a web page at the address links to.
  var feedLinks: [String] = []

  var isUnreadable: Bool { if case .unreadable = outcome { true } else { false } }

  /// Writes the result as one line of JSON, in parts.
  func writeJSON(to write: (String) throws -> Void) rethrows {
    switch outcome {
    case .parsed(let feed):
      var more: JSONObject = [:]
      more["redirectedTo"] = redirectedTo.map(JSONValue.string)
      if !feedLinks.isEmpty { more["feedLinks"] = .array(feedLinks.map(JSONValue.string)) }
      try feed.writeJSON(input: input, beside: more, to: write)
    case .unreadable(let code, let message):
      let json: JSONValue = [
        "input": .string(input), "format": "unknown", "wellFormed": false, "recovered": false, "items": [],
        "diagnostics": [["code": .string(code), "severity": "error", "message": .string(message)]],
      ]
      try write(json.text())
    }
  }
}

extension InspectedFeed {
  init(input: String, unreadable code: String, _ message: String) {
    self.init(input: input, outcome: .unreadable(code: code, message: message), weight: message.utf8.count)
  }
}

extension InspectedFeed {
  private static let itemsShown = 5

  /// What people read about the input.
  @ReportBodyBuilder var body: ReportBody {
    switch outcome {
    case .unreadable(let code, let message):
      ListItem("\(input, .strong)", details: ["\(code, .bad): \(message)"])
    case .parsed(let feed): ListItem("\(feed.title ?? "(no title)", .strong)  \(input)", details: lines(feed))
    }
  }

  private func lines(_ feed: ParsedFeed) -> [StyledText] {
    let items = feed.items.prefix(Self.itemsShown).map { item -> StyledText in
      "\((item.published ?? item.updated)?.iso8601 ?? "undated", .dim)  \(item.title ?? "(no title)")"
    }
    return ["\(feed.format.rawValue), \(counted(feed.items.count, "item")), \(feed.encoding)"] + items
      + feed.diagnostics.map { "\($0.code, .caution): \($0.message)" }
      + (redirectedTo.map { ["redirected to \($0)"] } ?? []) + feedLinks.map { "links to a feed: \($0)" }
  }
}

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
      try results.append((count == 0 ? "" : "\n") + feed.body.text(style))
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
}

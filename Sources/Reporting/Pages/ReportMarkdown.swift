internal import Diagnostics
internal import FeedHealth
internal import FeedState

/// Renders the report as Markdown, for the summary of a job. The days of each feed are blocks in a code span.
struct ReportMarkdown {
  /// GitHub takes no more of a step's summary.
  private static let maxBytes = 1 << 20
  private static let maxListed = 20
  private let report: CatalogReport

  init(_ report: CatalogReport) { self.report = report }

  var text: MarkdownText {
    var text: MarkdownText = "# \(report.health.verdict)\n\n"
    text += "\(report.options.subject), as of \(report.health.asOf.minute).\n\n"
    for late in report.overdue { text += "Late: \(late)\n\n" }
    for note in report.notes { text += "\(note)\n\n" }
    guard !report.feeds.isEmpty else { return text }
    text += numbers + changes + worst + drift
    return text + table(room: (report.options.maxBytes ?? Self.maxBytes) - text.description.utf8.count)
  }

  private var articles: MarkdownText {
    report.health.articlesSentence.map { "| Articles | \($0) by the last complete check |\n" } ?? ""
  }

  private var numbers: MarkdownText {
    let total = report.health.total
    let asOf =
      report.health.readersAsOf.map { "as of \($0.minute)" } ?? "no complete recount is known"
    let drift = report.drift?.words ?? "not compared"
    return """
      | | |
      | --- | --- |
      | Feeds | \(total.feeds): \(total[.down]) down, \(total[.degraded]) degraded, \(total[.unknown]) not checked, \
      \(total[.healthy]) healthy |
      | Readers | \(report.readers.map { ReadableNumber.grouped($0) } ?? "not counted"), \(asOf) |
      | Quality, median | \(report.medianQuality.map(ReadableNumber.tenths) ?? "no score") |
      | Schema | \(ReadableNumber.shortened(drift)) |
      \(articles)
      """
  }

  private var changes: MarkdownText {
    guard let changes = report.changes else { return "" }
    var text: MarkdownText = "\n## Since \(changes.since.minute)\n\n"
    if changes.isEmpty { return text + "Nothing changed.\n" }
    text += listed(changes.moves) { "\(short($0.feed)): \($0.before.word) → \($0.feed.entry.status.word)" }
    text += listed(changes.new) { "new: \(short($0)), \($0.entry.status.word)" }
    text += listed(changes.gone) { "no longer in the container: \($0)" }
    return text + "- readers: \(ReadableNumber.change(changes.readers))\n"
  }

  private func listed<Item>(_ items: some Collection<Item>, _ line: (Item) -> MarkdownText) -> MarkdownText {
    let lines = items.prefix(Self.maxListed).map { "- \(line($0))\n" as MarkdownText }.joined()
    let more = items.count - Self.maxListed
    return lines + (more > 0 ? "- and \(ReadableNumber.grouped(more)) more\n" : "")
  }

  private var worst: MarkdownText {
    guard !report.worst.isEmpty else { return "" }
    let states = report.states
    let lines = report.worstGroups.map { group, feed -> MarkdownText in
      let name =
        group.feeds.count == 1 ? short(feed) : "\(states.name(of: group)): \(states.place(of: group))"
      let facts = [states.state(of: group), states.facts(of: group)].filter { !$0.isEmpty }.joined(
        separator: "; ")
      let why =
        (feed.entry.reasons.map { "\($0.code) \($0.explanation)" }
        + [states.detail(of: group)].compactMap(\.self))
        .joined(separator: "; ")
      return
        "| \(name) | \(facts) | \(why) | \(ReadableNumber.shortened(states.advice(for: feed.entry))) |\n"
    }.joined()
    return
      "\n## Look at these first\n\n| feed | state | why | what to do |\n| --- | --- | --- | --- |\n\(lines)"
  }

  private var drift: MarkdownText {
    guard let drift = report.drift, !drift.changes.isEmpty else { return "" }
    return "\n## Schema: what \(drift.file) would change\n\n"
      + listed(drift.lines) { "\(ReadableNumber.shortened($0))" }
  }

  private func table(room: Int) -> MarkdownText {
    var text: MarkdownText = """

      ## All feeds

      | feed | category | state | uptime | last 30 days | quality | readers |
      | --- | --- | --- | ---: | --- | ---: | ---: |

      """
    let accounting: MarkdownText = "\n\(CatalogReport.accounting)\n"
    let spare = 100
    var left = room - text.description.utf8.count - accounting.description.utf8.count - spare
    var written = 0
    for feed in report.feeds.prefix(report.options.rows ?? .max) {
      let row = row(feed)
      left -= row.description.utf8.count
      guard left >= 0 else { break }
      text += row
      written += 1
    }
    let more = report.feeds.count - written
    if more == 1 { text += "\n1 more feed is left out, the best one.\n" }
    if more > 1 { text += "\n\(ReadableNumber.grouped(more)) more feeds are left out, the best ones.\n" }
    return text + accounting
  }

  private func row(_ feed: ReportedFeed) -> MarkdownText {
    let unknown = feed.entry.lastCheck == nil ? "not checked" : "unknown"
    let uptime = feed.uptime.map { ReadableNumber.percent(tenths: $0) } ?? unknown
    let quality = feed.quality.map(ReadableNumber.tenths) ?? unknown
    let readers = feed.entry.readers.map { ReadableNumber.grouped($0) } ?? "not counted"
    return """
      | \(short(feed)) | \(ReadableNumber.shortened(feed.entry.category ?? "", to: 60)) | \(feed.entry.status.word) \
      | \(uptime) | \(tableCode: feed.strip.blocks) | \(quality) | \(readers) |

      """
  }

  private func short(_ feed: ReportedFeed) -> String { ReadableNumber.shortened(feed.title, to: 80) }
}

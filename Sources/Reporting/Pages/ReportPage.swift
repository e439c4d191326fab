internal import Diagnostics
internal import FeedHealth
internal import FeedState
internal import HTMLWriting

/// Renders the report as one HTML file that loads nothing else.
struct ReportPage {
  private static let maxBytes = 4_000_000
  private let report: CatalogReport

  init(_ report: CatalogReport) { self.report = report }

  var html: HTML {
    let limit = report.options.maxBytes ?? Self.maxBytes
    let sections = sections
    var data = Self.data(report.snapshot.json)
    let frame = page(sections + FeedTable(report, room: 0).html).bytes.count
    // Numbers in the notes above the table may grow.
    let slack = 1000
    if frame + data.bytes.count + slack > limit { data = Self.data(.null) }
    let table = FeedTable(report, room: limit - frame - data.bytes.count - slack)
    return page(sections + table.html + data)
  }

  private func page(_ body: HTML) -> HTML {
    HTMLPage(
      title: "\(report.health.verdict) Report of \(report.options.subject)", style: ReportStyleSheet.css,
      script: ReportScript.source, body: "<main>\n\(body)</main>\n"
    ).html()
  }

  private static func data(_ json: JSONValue) -> HTML {
    "\(HTML(stringLiteral: PreviousReport.start))\(json: json)\(HTML(stringLiteral: PreviousReport.end))\n"
  }

  private var sections: HTML {
    let intro: HTML = """
      <h1>\(report.health.verdict)</h1>
      <p class="soft">\(report.options.subject), as of \(HTMLPageParts.time(report.health.asOf)).</p>
      \(HTMLPageParts.late(report.overdue))\(report.notes.map { "<p>\($0)</p>\n" as HTML }.joined())
      """
    return intro + tiles + changes + worst + qualityAndReaders + drift + accounting
  }

  // MARK: Tiles

  private var tiles: HTML {
    guard !report.feeds.isEmpty else { return "" }
    return HTMLPageParts.list([states, readers, quality, checks, schema], "tiles")
  }

  private var states: HTML {
    let total = report.health.total
    let troubled = total[.down] + total[.degraded]
    return """
      Feeds that need attention<strong>\(ReadableNumber.grouped(troubled)) of \(ReadableNumber.grouped(total.feeds))</strong>\
      \(ReadableNumber.grouped(total[.down])) down, \(ReadableNumber.grouped(total[.degraded])) degraded, \
      \(ReadableNumber.grouped(total[.unknown])) not checked, \(ReadableNumber.grouped(total[.healthy])) healthy
      """
  }

  private var readers: HTML {
    let asOf: HTML =
      report.health.readersAsOf.map { "as of the recount of \(HTMLPageParts.time($0))" }
      ?? "no complete recount is known"
    let change: HTML =
      report.changes.map { "\(ReadableNumber.change($0.readers)) since the last report, " } ?? ""
    return """
      Readers<strong>\(report.readers.map { ReadableNumber.grouped($0) } ?? "not counted")</strong>\
      \(change)\(asOf)\(HTMLPageParts.sparkline(report.snapshot.totals.map(\.readers)))
      """
  }

  private var quality: HTML {
    let scored = report.feeds.count { $0.quality != nil }
    return """
      Quality, median<strong>\(report.medianQuality.map(ReadableNumber.tenths) ?? "no score")</strong>\
      \(ReadableNumber.grouped(scored)) of \(ReadableNumber.counted(report.feeds.count, "feed")) scored, from 0 to 100
      """
  }

  private var articles: HTML { report.health.articlesSentence.map { ", \($0)" } ?? "" }

  private var checks: HTML {
    let age: HTML =
      report.health.lastRun.map { "last complete check \(HTMLPageParts.time($0))" }
      ?? "when the last complete check was is not recorded"
    let days = DailyChecks(report.feeds, today: report.health.asOf.utcDay)
    return """
      Checks that succeeded\
      <strong>\(days.share.map { ReadableNumber.percent(tenths: $0) } ?? "no checks")</strong>\
      of the last 30 UTC days, rounded down; \(age)\(articles)\(HTMLPageParts.sparkline(days.shares))
      """
  }

  private var schema: HTML {
    guard let drift = report.drift else {
      return "Schema<strong>not compared</strong>--schema FILE names what it should be"
    }
    return """
      Schema<strong>\(drift.changes.isEmpty ? "as declared" : counted(drift.changes.count, "difference"))</strong>\
      compared with \(drift.file)
      """
  }

  // MARK: Sections

  private static let maxListed = 20

  private var changes: HTML {
    guard let changes = report.changes else { return "" }
    var html: HTML = "<h2>Since \(HTMLPageParts.time(changes.since))</h2>\n"
    if let other = changes.otherSubject {
      html += "<p>The earlier report is about \(other). Records with the same name are compared.</p>\n"
    }
    if changes.isEmpty { return html + "<p>Nothing changed.</p>\n" }
    html += listed(changes.moves) {
      "\(HTMLPageParts.link(to: $0.feed)): \($0.before.word) → \(HTMLPageParts.state(of: $0.feed, report))"
    }
    html += listed(changes.new) { "new: \(HTMLPageParts.link(to: $0)), \($0.entry.status.word)" }
    html += listed(changes.gone) { "no longer in the container: <bdi>\($0)</bdi>" }
    html += listed(changes.movers.prefix(5), noteMore: false) { feed in
      let change = feed.readersChange ?? 0
      return
        "\(HTMLPageParts.link(to: feed)): \(ReadableNumber.change(change)) reader\(change.magnitude == 1 ? "" : "s")"
        as HTML
    }
    return html
  }

  private func listed<Item>(
    _ items: some Collection<Item>, noteMore: Bool = true, _ line: (Item) -> HTML
  ) -> HTML {
    let lines = items.prefix(Self.maxListed).map(line)
    let more = items.count - lines.count
    return HTMLPageParts.list(
      lines + (more > 0 && noteMore ? ["and \(ReadableNumber.grouped(more)) more"] : []))
  }

  private var worst: HTML {
    let states = report.states
    let items = report.worstGroups.map { group, feed -> HTML in
      let isOne = group.feeds.count == 1
      let name = isOne ? feed.title : states.name(of: group)
      let facts = [
        isOne ? "" : states.place(of: group), states.facts(of: group), states.detail(of: group) ?? "",
      ]
      .filter { !$0.isEmpty }.map { "<p>\(ReadableNumber.shortened($0, to: 500))</p>\n" as HTML }.joined()
      let reasons = feed.entry.reasons.map { "<p>\($0.code) \($0.explanation)</p>\n" as HTML }.joined()
      return """
        <li><div class="case"><div><a\(linkToID: feed.entry.recordName)><bdi>\(ReadableNumber.shortened(name))</bdi></a>
        <p>\(states.state(of: group))</p></div>
        <div>\(reasons)\(facts)<p>\(ReadableNumber.shortened(states.advice(for: feed.entry), to: 500))</p></div>
        <p>\(feed.strip.picture) \(feed.strip.words)</p></div></li>

        """
    }.joined()
    return report.worst.isEmpty ? "" : "<h2>Look at these first</h2>\n<ol class=\"worst\">\n\(items)</ol>\n"
  }

  private var qualityAndReaders: HTML {
    guard !report.feeds.isEmpty else { return "" }
    let all = Double(max(1, report.feeds.count))
    let steps = report.distribution.steps.map { step in
      "<tr><th scope=\"row\">\(step.label)</th><td class=\"number\">\(ReadableNumber.grouped(step.feeds))</td><td>\(HTMLPageParts.bar(Double(step.feeds) / all))</td></tr>\n"
        as HTML
    }.joined()
    let uncounted = report.distribution.uncounted
    let left: HTML =
      uncounted > 0
      ? "<p>\(ReadableNumber.counted(uncounted, "feed")) \(uncounted == 1 ? "was" : "were") not counted.</p>\n"
      : ""
    let top: HTML =
      report.distribution.shareOfTopTenth.map {
        "<p>The tenth of the feeds with the most readers has \($0) % of them.</p>\n"
      } ?? ""
    return """
      <h2>Readers of a feed</h2>
      <table class="small bars"><thead><tr><th scope="col">Readers</th><th scope="col">Feeds</th><th scope="col">Share</th></tr></thead>
      <tbody>
      \(steps)</tbody></table>
      \(top)\(left)\(parts)
      """
  }

  private var parts: HTML {
    let means = report.qualityParts
    guard !means.parts.isEmpty else { return "" }
    let rows = means.parts.map { part in
      "<tr><th scope=\"row\">\(part.name)</th><td class=\"number\">\(part.mean) %</td><td class=\"number\">\(part.weight)</td><td>\(HTMLPageParts.bar(Double(part.mean) / 100))</td></tr>\n"
        as HTML
    }.joined()
    return """
      <h2>What quality is made of</h2>
      <p>The mean of each part over \(ReadableNumber.counted(means.feeds, "checked feed")). A part that is not known counts half.</p>
      <table class="small bars"><thead><tr><th scope="col">Part</th><th scope="col">Mean</th><th scope="col">Weight</th><th scope="col">Picture</th></tr></thead>
      <tbody>
      \(rows)</tbody></table>

      """
  }

  private var drift: HTML {
    guard let drift = report.drift, !drift.changes.isEmpty else { return "" }
    return "<h2>Schema: what \(drift.file) would change</h2>\n"
      + listed(drift.lines) { "\(ReadableNumber.shortened($0))" }
  }

  private var accounting: HTML {
    guard !report.feeds.isEmpty else { return "" }
    let ages = HTMLPageParts.list(report.ages.map { "\(ReadableNumber.shortened($0, to: 300))" as HTML })
    return "<h2>How this is counted</h2>\n<p>\(CatalogReport.accounting)</p>\n\(ages)"
  }
}

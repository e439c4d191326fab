internal import Diagnostics
internal import FeedHealth
internal import FeedState

/// Renders the report as one HTML file that loads nothing else.
struct ReportPage {
  private static let maxBytes = 4_000_000
  let report: CatalogReport
  /// Where the name of a feed that needs attention leads, as an attribute: by default to its row.
  var link: @Sendable (String) -> HTML = { "\(linkToID: $0)" }

  var html: HTML {
    let limit = report.options.maxBytes ?? Self.maxBytes
    let (before, after) = (heading + tiles + changes + causes, qualityAndReaders + drift + accounting)
    var data = Self.data(report.snapshot.json)
    let frame = page(before + FeedTable(report, room: 0).html + after).bytes.count
    // Numbers in the notes above the table may grow.
    let slack = 1000
    if frame + data.bytes.count + slack > limit { data = Self.data(.null) }
    let table = FeedTable(report, room: limit - frame - data.bytes.count - slack)
    return page(before + table.html + after + data)
  }

  private func page(_ body: HTML) -> HTML {
    HTMLPage(
      title: "\(report.verdict) Report of \(report.options.subject)", script: PackageResources.report_js,
      body: "<main>\n\(body)</main>\n"
    ).html()
  }

  private static func data(_ json: JSONValue) -> HTML {
    "\(HTML(stringLiteral: ReportSnapshot.start))\(json: json)\(HTML(stringLiteral: ReportSnapshot.end))\n"
  }

  private var heading: HTML {
    let counted: HTML = report.allFeeds.isEmpty ? "" : " <a href=\"#counted\">How this is counted</a>"
    let moment: HTML =
      report.options.isOfPart ? "incomplete" : "as of \(HTMLPageParts.time(report.health.asOf))"
    return """
      <h1\(attribute: "class", "verdict \(report.worstState.rawValue)")>\(report.verdict)</h1>
      <p class="soft">\(report.options.subject), \(moment).\(counted)</p>
      \(warnings)
      """
  }

  /// Jobs that are late, and what else makes the verdict less than it seems.
  var warnings: HTML {
    let late = report.states.overdue.map { "<strong class=\"degraded\">Late:</strong> \($0)" as HTML }
    let notes = late + report.notes.map { "\($0)" as HTML }
    return notes.map { "<p class=\"notice\">\($0)</p>\n" as HTML }.joined()
  }

  // MARK: Tiles

  var tiles: HTML {
    guard !report.allFeeds.isEmpty else { return "" }
    return HTMLPageParts.list([states, readers, checks, quality, schema].filter { !$0.isEmpty }, "tiles")
  }

  private var states: HTML {
    let total = report.health.total
    let parts = [HealthStatus.down, .degraded, .unknown, .healthy].filter { total[$0] > 0 }.map {
      "\(ReadableNumber.grouped(total[$0])) \($0.word)".replacing(" ", with: "\u{A0}")
    }
    let states = [parts.joined(separator: ", "), report.retired.map { "also \($0)" } ?? ""]
    return """
      Need attention<strong>\(ReadableNumber.grouped(total[.down] + total[.degraded])) of \
      \(ReadableNumber.grouped(total.feeds))</strong><small>\(states.filter { !$0.isEmpty }.joined(separator: "; "))</small>
      """
  }

  private var readers: HTML {
    let asOf: HTML =
      report.health.readersAsOf.map { "as of \(HTMLPageParts.time($0))" } ?? "\(report.health.readersUnknown)"
    let change: HTML =
      report.changes?.readers.map { "\(ReadableNumber.change($0)) since the last report, " } ?? ""
    let totals = report.snapshot.totals.map(\.readers)
    return """
      Subscriptions<strong>\(report.readers.map { ReadableNumber.grouped($0) } ?? "not counted")</strong>\
      \(Self.line(totals) { ReadableNumber.grouped($0) })<small>\(change)\(asOf)</small>
      """
  }

  private var quality: HTML {
    let scored = report.feeds.count { $0.quality != nil }
    return """
      Quality, median<strong>\(report.medianQuality.map(ReadableNumber.tenths) ?? "no score")</strong>\
      <small>of 100; \(ReadableNumber.grouped(scored)) of \(ReadableNumber.counted(report.feeds.count, "feed")) scored</small>
      """
  }

  private var checks: HTML {
    let days = DailyChecks(report.feeds, today: report.health.asOf.utcDay)
    return """
      Checks that succeeded\
      <strong>\(days.share.map { ReadableNumber.percent(tenths: $0) } ?? "no checks")</strong>\
      \(Self.line(days.shares) { ReadableNumber.percent(tenths: $0) })<small>by day, in the last 30</small>
      """
  }

  private static func line(_ values: [Int64], _ name: (Int64) -> String) -> HTML {
    guard values.count > 1, let low = values.min(), let high = values.max() else { return "" }
    return "\(HTMLPageParts.sparkline(values))<small>\(name(low)) to \(name(high))</small>"
  }

  private var schema: HTML {
    guard let drift = report.drift else { return "" }
    return """
      Schema<strong>\(drift.changes.isEmpty ? "as declared" : counted(drift.changes.count, "difference"))</strong>\
      <small>compared with \(drift.file)</small>
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
    html += listed(changes.retired) { "\(HTMLPageParts.link(to: $0)): \($0.retirement)" }
    html += listed(changes.gone) { "no longer in the container: <bdi>\($0)</bdi>" }
    html += listed(changes.movers.prefix(5), noteMore: false) { feed in
      let change = feed.readersChange ?? 0
      return
        "\(HTMLPageParts.link(to: feed)): \(ReadableNumber.change(change)) reader\(change.magnitude == 1 ? "" : "s")"
        as HTML
    }
    html += listed([changes.readers].compactMap(\.self)) { "subscriptions: \(ReadableNumber.change($0))" }
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

  var causes: HTML {
    let causes = report.causes
    guard !causes.isEmpty else { return "" }
    let shown = causes.prefix(CatalogReport.maxCauses)
    let left = causes.dropFirst(shown.count).reduce(0) { $0 + $1.feeds }
    let more: HTML =
      left == 0 ? "" : "<p>and \(ReadableNumber.counted(left, "more feed")) with other causes.</p>\n"
    return "<h2>Look at these first</h2>\n\(shown.map(section).joined())\(more)"
  }

  private func section(_ cause: CatalogReport.Cause) -> HTML {
    let advice = Set(cause.groups.map { report.advice(for: $0.feeds[0]) })
    let common = advice.count == 1 ? advice.first : nil
    let readers =
      cause.readers.map { ", \(ReadableNumber.counted($0, CatalogHealth.nounOfReaders(cause.feeds)))" } ?? ""
    let heads = cause.reasons.map {
      "<a\(linkToID: Self.id(of: $0))>\($0.code)</a> \($0.rule.summary)" as HTML
    }
    let shown = cause.groups.prefix(CatalogReport.maxCases)
    let left = cause.feeds - shown.reduce(0) { $0 + $1.feeds.count }
    let more: HTML =
      left == 0 ? "" : "<p class=\"soft\">and \(ReadableNumber.counted(left, "more feed"))</p>\n"
    return """
      <section\(attribute: "class", "cause \(cause.groups[0].status.rawValue)")>
      <h3>\(heads.isEmpty ? "No reason is recorded" : heads.joined(separator: "; ")) \
      <small>\(ReadableNumber.counted(cause.feeds, "feed"))\(readers)</small></h3>
      \(common.map { "<p>\(ReadableNumber.shortened($0, to: 500))</p>\n" as HTML } ?? "")<ul>
      \(shown.map { line($0, showsAdvice: common == nil) }.joined())</ul>
      \(more)</section>

      """
  }

  /// One feed, or several of one host, in a line.
  private func line(_ group: CatalogHealth.Group, showsAdvice: Bool) -> HTML {
    guard let feed = report.feed(group.feeds[0].recordName) else { return "" }
    let states = report.states
    let isOne = group.feeds.count == 1
    let facts = [
      isOne ? "" : states.place(of: group), states.facts(of: group), states.detail(of: group) ?? "",
      showsAdvice ? report.advice(for: feed.entry) : "",
    ].filter { !$0.isEmpty }.joined(separator: "; ")
    let small: HTML = facts.isEmpty ? "" : "<small>\(ReadableNumber.shortened(facts, to: 500))</small>"
    let name = isOne ? feed.title : states.name(of: group)
    let readers =
      group.readers.map { ReadableNumber.counted($0, CatalogHealth.nounOfReaders(group.feeds.count)) } ?? ""
    return """
      <li class="case"><a\(link(feed.entry.recordName))><bdi>\(ReadableNumber.shortened(name))</bdi></a>\
      <span>\(HTMLPageParts.state(of: feed, report))</span><span class="number">\(readers)</span>\(feed.strip.picture(isAlone: true))\
      \(small)</li>

      """
  }

  /// What the codes above mean, below the table.
  var codes: HTML {
    let reasons = report.causes.prefix(CatalogReport.maxCauses).flatMap(\.reasons).unique
    guard !reasons.isEmpty else { return "" }
    let rows = reasons.sorted { $0.code < $1.code }.map { reason in
      "<dt\(id: Self.id(of: reason))>\(reason.code)</dt><dd>\(reason.rule.summary). \(reason.rule.rationale) \(reason.advice)</dd>\n"
        as HTML
    }
    return "<h2>What the codes mean</h2>\n<dl>\n\(rows.joined())</dl>\n"
  }

  private static func id(of reason: HealthReason) -> String { "code \(reason.code)" }

  private var qualityAndReaders: HTML {
    guard !report.allFeeds.isEmpty else { return "" }
    let all = Double(max(1, report.allFeeds.count))
    let steps = report.distribution.steps.map { step in
      "<tr><th scope=\"row\">\(step.label)</th><td class=\"number\">\(ReadableNumber.grouped(step.feeds))</td><td>\(HTMLPageParts.bar(Double(step.feeds) / all))</td></tr>\n"
        as HTML
    }.joined()
    let uncounted = report.distribution.uncounted
    let left: HTML =
      uncounted > 0
      ? "<p>\(ReadableNumber.counted(uncounted, "feed")) \(uncounted == 1 ? "was" : "were") not counted.</p>\n"
      : ""
    return """
      <div class="columns"><div>
      <h2>Readers of a feed</h2>
      <table class="bars"><thead><tr><th scope="col">Readers</th><th scope="col" class="number">Feeds</th><th scope="col">Share</th></tr></thead>
      <tbody>
      \(steps)</tbody></table>
      \(left)</div>
      <div>
      \(parts)</div></div>

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
      <table class="bars"><thead><tr><th scope="col">Part</th><th scope="col" class="number">Mean</th><th scope="col" class="number">Weight</th><th scope="col">Of 100 %</th></tr></thead>
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
    guard !report.allFeeds.isEmpty else { return "" }
    let ages = HTMLPageParts.list(
      report.states.ages.map { "\(ReadableNumber.shortened($0, to: 300))" as HTML })
    return "\(codes)<h2 id=\"counted\">How this is counted</h2>\n<p>\(CatalogReport.accounting)</p>\n\(ages)"
  }
}

internal import Diagnostics
internal import FeedHealth
internal import FeedState
internal import HTMLWriting

/// The HTML page of `status`.
struct StatusPage {
  private let report: CatalogHealthReport
  private var health: CatalogHealth { report.health }

  /// A sentence below the verdict.
  private let note: String?

  init(_ report: CatalogHealthReport, note: String? = nil) {
    self.report = report
    self.note = note
  }

  var html: HTML {
    let body: HTML = """
      <main>
      <h1>\(health.verdict)</h1>
      <p class="soft">Feed health as recorded, as of \(HTMLPageParts.time(health.asOf)).</p>
      \(HTMLPageParts.late(report.overdue))\(noted)\(refused)\(troubled)\(unchecked)\(counts)\(ages)</main>

      """
    return HTMLPage(title: "\(health.verdict) Feed health", style: ReportStyleSheet.css, body: body).html()
  }

  private var noted: HTML { note.map { "<p>\($0)</p>\n" as HTML } ?? "" }

  private var refused: HTML { report.refusedSentence.map { "<p>Refused: \($0).</p>\n" as HTML } ?? "" }

  private var troubled: HTML {
    let items = health.troubledGroups.map { group -> HTML in
      let entry = group.feeds[0]
      let facts = report.facts(of: group)
      let names = group.feeds.count > 1 ? "<p>\(report.place(of: group))</p>\n" as HTML : ""
      let reasons = entry.reasons.map { "<p>\($0.code) \($0.explanation)</p>\n" as HTML }.joined()
      return """
        <li>\(HTMLPageParts.link(to: entry.feedURL, titled: report.name(of: group)))
        \(names)<p\(attribute: "class", entry.status.rawValue)>\(report.state(of: group))</p>
        \(facts.isEmpty ? "" : "<p>\(facts)</p>\n" as HTML)\(reasons)<p>\(ReadableNumber.shortened(report.advice(for: entry), to: 500))</p></li>

        """
    }
    return items.isEmpty
      ? "" : "<h2>Feeds that need attention</h2>\n<ol class=\"worst\">\n\(items.joined())</ol>\n"
  }

  private var unchecked: HTML {
    let feeds = health.unchecked
    guard !feeds.isEmpty else { return "" }
    let listed = feeds.prefix(CatalogHealthReport.maxListed).map {
      HTMLPageParts.link(to: $0.feedURL, titled: name(of: $0))
    }
    let more = feeds.count - listed.count
    return "<h2>\(counted(feeds.count, "feed")) not checked yet</h2>\n"
      + HTMLPageParts.list(listed + (more > 0 ? ["and \(ReadableNumber.grouped(more)) more"] : []))
  }

  private var counts: HTML {
    guard !health.feeds.isEmpty else { return "" }
    var rows = health.counts.map { row($0, named: $0.category ?? "(none)") }
    if rows.count > 1 { rows.append(row(health.total, named: "all")) }
    return """
      <h2>By category</h2>
      <div class="wide" role="region" tabindex="0" aria-label="Feeds by category">
      <table class="small"><thead><tr><th scope="col">Category</th><th scope="col">Feeds</th><th scope="col">Healthy</th>\
      <th scope="col">Degraded</th><th scope="col">Down</th><th scope="col">Not checked</th></tr></thead>
      <tbody>
      \(rows.joined())</tbody></table>
      </div>

      """
  }

  private func row(_ count: CatalogHealth.Count, named name: String) -> HTML {
    let numbers = [count.feeds, count[.healthy], count[.degraded], count[.down], count[.unknown]]
    let cells = numbers.map { "<td class=\"number\">\(ReadableNumber.grouped($0))</td>" as HTML }.joined()
    return "<tr><th scope=\"row\">\(ReadableNumber.shortened(name, to: 60))</th>\(cells)</tr>\n"
  }

  private var ages: HTML {
    "<h2>How old this is</h2>\n"
      + HTMLPageParts.list(report.ages.map { "\(ReadableNumber.shortened($0, to: 300))" as HTML })
  }

  private func name(of entry: CatalogHealth.Entry) -> String {
    [entry.title, entry.feedURL].compactMap(\.self).first { !$0.isEmpty } ?? entry.recordName
  }
}

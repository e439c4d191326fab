internal import CloudKitModel
internal import Diagnostics
internal import FeedHealth
internal import FeedState
internal import HTMLWriting

enum HTMLPageParts {
  /// The feed's title, which leads to the feed where its address is one of the web. Its letters may run from right to
  /// left, so that they are set apart.
  static func link(to feed: ReportedFeed) -> HTML {
    link(to: feed.entry.feedURL, "<bdi>\(ReadableNumber.shortened(feed.title))</bdi>")
  }

  /// The same alone in a cell, where there is nothing that the title's direction could disturb.
  static func cell(of feed: ReportedFeed) -> HTML {
    link(to: feed.entry.feedURL, "\(ReadableNumber.shortened(feed.title))")
  }

  private static func link(to url: String, _ name: HTML) -> HTML {
    // A longer URL is not a feed's, and would fill the page. One with a secret in it is not for everyone who has the page.
    guard url.utf8.count <= 2000, HTML.isWebAddress(url), url.withoutSecrets == url else { return name }
    return "<a\(link: url)>\(name)</a>"
  }

  /// The word and for how long: `down 7 d`. The color only repeats the word; that of a feed that is well is its cell's.
  static func state(of feed: ReportedFeed, _ report: CatalogReport) -> HTML {
    guard let status = feed.status else { return "\(feed.status.word)" }
    let word: HTML =
      status == .healthy
      ? "\(status.word)" : "<b\(attribute: "class", status.rawValue)>\(status.word)</b>"
    guard let since = feed.entry.statusSince,
      let words = ReadableDuration.short(report.health.asOf.since(since))
    else { return word }
    return "\(word) \(words)"
  }

  /// Jobs that are late, below the verdict: it may be as old as they are.
  static func late(_ overdue: [String]) -> HTML {
    overdue.map { "<p class=\"notice\"><strong class=\"degraded\">Late:</strong> \($0)</p>\n" as HTML }
      .joined()
  }

  static func time(_ time: Timestamp) -> HTML {
    "<time\(attribute: "datetime", time.iso8601)>\(time.minute)</time>"
  }

  static func list(_ items: some Sequence<HTML>, _ kind: StaticString = "") -> HTML {
    let rows = items.map { "<li>\($0)</li>\n" as HTML }.joined()
    return rows.isEmpty
      ? "" : "<ul\(attribute: "class", kind.description.isEmpty ? nil : kind.description)>\n\(rows)</ul>\n"
  }

  /// A bar of a share, 0...1, in a cell of its own; the number is in the cell before it.
  static func bar(_ share: Double) -> HTML {
    "<svg width=\"160\" height=\"10\" aria-hidden=\"true\"><path stroke=\"#0B6E99\" stroke-width=\"10\" d=\"M0 5h\(Int(160 * min(1, max(0, share))))\"/></svg>"
  }

  /// A line of at least two numbers, scaled to its own smallest and largest, which the text beside it names.
  static func sparkline(_ values: [Int64]) -> HTML {
    guard values.count > 1, let low = values.min(), let high = values.max() else { return "" }
    let (width, height) = (160.0, 28.0)
    let span = max(1, Double(high) - Double(low))
    let points = values.enumerated().map { index, value in
      let x = Int(width * Double(index) / Double(values.count - 1)) + 1
      let y = Int((height * (1 - (Double(value) - Double(low)) / span)).rounded()) + 1
      return "\(x),\(y)"
    }.joined(separator: " ")
    return
      "<svg viewBox=\"0 0 162 30\" height=\"30\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><polyline fill=\"none\" stroke=\"#0B6E99\" stroke-width=\"2\" vector-effect=\"non-scaling-stroke\"\(attribute: "points", points)/></svg>"
  }
}

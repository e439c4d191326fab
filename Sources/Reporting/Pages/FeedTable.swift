internal import CloudKitModel
internal import Diagnostics
internal import FeedHealth
internal import FeedState

/// Renders the table of all feeds as HTML, with as many rows as the size limit of the page allows.
struct FeedTable {
  private(set) var rows: HTML = ""
  /// Feeds whose row has a strip; those after them have only its words.
  private(set) var withStrip = 0
  private(set) var written = 0
  private let report: CatalogReport

  /// - Parameter room: the bytes that all rows together may take.
  init(_ report: CatalogReport, room: Int) {
    self.report = report
    let feeds = report.allFeeds.prefix(report.options.rows ?? .max)
    let columns = FeedColumn.all(of: report)
    let full = feeds.map { Self.row($0, columns, hasStrip: true) }
    let brief = feeds.map { Self.row($0, columns, hasStrip: false) }
    // What is left for strips when every feed has a row.
    var spare = room - brief.reduce(0) { $0 + $1.bytes.count }
    var used = 0
    for (full, brief) in zip(full, brief) {
      let extra = full.bytes.count - brief.bytes.count
      let hasStrip = extra <= spare && withStrip == written
      let row = hasStrip ? full : brief
      guard used + row.bytes.count <= room else { break }
      if hasStrip {
        spare -= extra
        withStrip += 1
      }
      used += row.bytes.count
      written += 1
      rows += row
    }
  }

  /// The script reads numbers from their text, and the state from its first word: each byte is there 10,000 times.
  private static func row(_ feed: ReportedFeed, _ columns: [FeedColumn], hasStrip: Bool) -> HTML {
    var feed = feed
    feed.showsStrip = hasStrip
    return "<tr\(id: feed.entry.recordName)>" + columns.map { $0.cell(of: feed) }.joined() + "\n"
  }

  var html: HTML {
    guard !report.allFeeds.isEmpty else { return "" }
    let hasRetired = report.retired != nil
    let option: HTML = hasRetired ? "<option>retired</option>" : ""
    let order: HTML = hasRetired ? ", the retired last" : ""
    return """
      <h2 id="feeds">All feeds</h2>
      <form class="filter" hidden>
      <div><label for="text">Title or category</label><input type="search" id="text" name="text"></div>
      <div><label for="state">State</label><select id="state" name="state"><option value="">all</option>\
      <option>down</option><option>degraded</option><option>not checked</option><option>healthy</option>\(option)</select></div>
      <p role="status" id="shown">\(ReadableNumber.counted(report.allFeeds.count, "feed"))</p>
      </form>
      \(note)<table\(attribute: "class", report.changes == nil ? "feeds" : "feeds since")>
      <caption>The worst first, of equal ones those with the most readers\(order). A bar is a day: high is good, middle is mixed, \
      low is failed, a dash is no check.</caption>
      <thead><tr>\(header)</tr></thead>
      <tbody>
      \(rows)</tbody>
      </table>

      """
  }

  private var header: HTML {
    FeedColumn.all(of: report).map {
      "<th scope=\"col\"\(attribute: "data-n", $0.sorting)>\($0.title)\($0.note)</th>" as HTML
    }.joined()
  }

  /// What was left out to stay within the limits.
  private var note: HTML {
    let left = report.allFeeds.count - written
    let strips = written - withStrip
    let feeds = left == 1 ? "1 more feed has" : "\(ReadableNumber.grouped(left)) more feeds have"
    let pictures =
      strips == 1
      ? "The last row has no picture of its days"
      : "The last \(ReadableNumber.grouped(strips)) rows have no picture of their days"
    let ofRows: HTML = left == 0 ? "" : "<p>\(feeds) no row here, \(report.lastFeeds(left)).</p>\n"
    let ofPictures: HTML = strips == 0 ? "" : "<p>\(pictures), to keep this page small.</p>\n"
    return ofRows + ofPictures
  }
}

struct FeedColumn: Sendable {
  let title: String
  var alignment = Table.Column.Alignment.left
  /// How the page's script reads the cells to sort by them; `nil` for words, `none` for what has no order.
  var sorting: String?
  /// Below the title, where a page shows it.
  var note: HTML = ""
  let text: @Sendable (ReportedFeed) -> StyledText
  /// The cell with its start tag, where a page shows more than the text.
  var html: (@Sendable (ReportedFeed) -> HTML)?

  /// Feeds of a page whose days have titles. On a larger one the pictures of more feeds are worth more.
  private static let maxTitled = 1000

  /// A number that is not known is a word: 0 would be a judgment.
  static func all(of report: CatalogReport) -> [FeedColumn] {
    let hasTitles = report.allFeeds.count <= maxTitled
    let change = FeedColumn(title: "Change", alignment: .right, sorting: "text") {
      "\($0.readersChange.map { ReadableNumber.change($0) } ?? "")"
    }
    return [
      FeedColumn(
        title: "Feed", text: { "\(ReadableNumber.shortened($0.title, to: 80))" },
        html: { "<th scope=\"row\">\(HTMLPageParts.cell(of: $0))" }),
      FeedColumn(title: "Category") { "\(ReadableNumber.shortened($0.entry.category ?? "", to: 60))" },
      FeedColumn(
        title: "State", sorting: "value", text: { "\($0.status.word)" },
        html: { feed in
          let since = feed.status == nil ? nil : feed.entry.statusSince.map { "\($0.milliseconds / 60_000)" }
          return "<td\(attribute: "data-v", since)>\(HTMLPageParts.state(of: feed, report))"
        }),
      FeedColumn(title: "Uptime", alignment: .right, sorting: "text") {
        "\($0.uptime.map { ReadableNumber.percent(tenths: $0) } ?? "unknown")"
      },
      FeedColumn(
        title: "Last 30 days", sorting: "none",
        note: CheckHistoryStrip.scale(until: report.health.asOf.utcDay),
        text: { "\($0.strip.blocks, .code)" },
        html: {
          "<td>\($0.showsStrip ? $0.strip.picture(isAlone: false, hasTitles: hasTitles) : "\($0.strip.words)")"
        }),
      FeedColumn(title: "Quality", alignment: .right, sorting: "text") {
        "\($0.quality.map(ReadableNumber.tenths) ?? "unknown")"
      },
      FeedColumn(title: "Readers", alignment: .right, sorting: "text") {
        "\($0.entry.readers.map { ReadableNumber.grouped($0) } ?? "unknown")"
      },
    ] + (report.changes == nil ? [] : [change]) + [
      FeedColumn(title: "Newest item", sorting: "date") {
        "\($0.entry.metadata.newestItem.map { String($0.iso8601.prefix(10)) } ?? "unknown")"
      }
    ]
  }

  func cell(of feed: ReportedFeed) -> HTML { html?(feed) ?? "<td>\(text(feed).plain)" }
}

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

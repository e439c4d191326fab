internal import CloudKitModel
internal import Diagnostics
internal import FeedHealth
internal import FeedState
internal import HTMLWriting

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
    var notes: [HTML] = []
    if left > 0 {
      notes.append(
        left == 1
          ? "<p>1 more feed has no row here, \(report.lastFeeds(left)).</p>\n"
          : "<p>\(ReadableNumber.grouped(left)) more feeds have no row here, \(report.lastFeeds(left)).</p>\n"
      )
    }
    if strips > 0 {
      notes.append(
        strips == 1
          ? "<p>The last row has no picture of its days, to keep this page small.</p>\n"
          : "<p>The last \(ReadableNumber.grouped(strips)) rows have no picture of their days, to keep this page small.</p>\n"
      )
    }
    return notes.joined()
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

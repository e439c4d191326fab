internal import CloudKitModel
internal import Diagnostics
internal import FeedHealth
internal import FeedState
internal import HTMLWriting

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
    let hasTitles = report.feeds.count <= maxTitled
    let change = FeedColumn(title: "Change", alignment: .right, sorting: "text") {
      "\($0.readersChange.map { ReadableNumber.change($0) } ?? "")"
    }
    return [
      FeedColumn(
        title: "Feed", text: { "\(ReadableNumber.shortened($0.title, to: 80))" },
        html: { "<th scope=\"row\">\(HTMLPageParts.cell(of: $0))" }),
      FeedColumn(title: "Category") { "\(ReadableNumber.shortened($0.entry.category ?? "", to: 60))" },
      FeedColumn(
        title: "State", sorting: "value", text: { "\($0.entry.status.word)" },
        html: { feed in
          let since = feed.entry.statusSince.map { "\($0.milliseconds / 60_000)" }
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

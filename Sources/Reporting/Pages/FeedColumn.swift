internal import CloudKitModel
internal import Diagnostics
internal import FeedHealth
internal import FeedState
internal import HTMLWriting

/// A column of the table of feeds, for every format that has the table.
struct FeedColumn: Sendable {
  let title: String
  var alignment = Table.Column.Alignment.left
  /// How the page's script reads the cells to sort by them; `nil` for words.
  var sorting: String?
  let text: @Sendable (ReportedFeed) -> StyledText
  /// The cell with its start tag, where a page shows more than the text.
  var html: (@Sendable (ReportedFeed) -> HTML)?

  static func all(of report: CatalogReport) -> [FeedColumn] {
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
        "\($0.uptime.map { ReadableNumber.percent(tenths: $0) } ?? unknown($0))"
      },
      FeedColumn(
        title: "Last 30 days", sorting: "text", text: { "\($0.strip.blocks, .code)" },
        html: { "<td>\($0.showsStrip ? $0.strip.picture + " " : "")\($0.strip.words)" }),
      FeedColumn(title: "Quality", alignment: .right, sorting: "text") {
        "\($0.quality.map(ReadableNumber.tenths) ?? unknown($0))"
      },
      FeedColumn(title: "Readers", alignment: .right, sorting: "text") {
        "\($0.entry.readers.map { ReadableNumber.grouped($0) } ?? "not counted yet")"
      },
    ] + (report.changes == nil ? [] : [change]) + [
      FeedColumn(title: "Newest item", sorting: "date") {
        "\($0.entry.metadata.newestItem.map { String($0.iso8601.prefix(10)) } ?? "unknown")"
      }
    ]
  }

  /// A number that is not known is a word: 0 would be a judgment.
  private static func unknown(_ feed: ReportedFeed) -> String {
    feed.entry.lastCheck == nil ? "not checked yet" : "unknown"
  }

  func cell(of feed: ReportedFeed) -> HTML { html?(feed) ?? "<td>\(text(feed).plain)" }
}

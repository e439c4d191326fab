internal import Diagnostics
internal import FeedParsing

/// An inspected feed for a person.
struct FeedSummary {
  let text: String

  init(_ inspected: InspectedFeed, _ style: Style) {
    let input = inspected.input.printableLine
    switch inspected.outcome {
    case .parsed(let feed): text = FeedSummary.text(of: feed, input, style)
    case .unreadable(let code, let message):
      text = "\(style.bold(input))\n  \(style.red(code)): \(message.printableLine)\n"
    }
  }

  private static let itemsShown = 5

  private static func text(of feed: ParsedFeed, _ input: String, _ style: Style) -> String {
    var text = "\(style.bold(shown(feed.title)))  \(input)\n"
    text += "  \(feed.format.rawValue), \(feed.items.count) items, \(feed.encoding)\n"
    for item in feed.items.prefix(itemsShown) {
      let date = (item.published ?? item.updated)?.iso8601 ?? "no date"
      text += "  \(style.dim(date))  \(shown(item.title))\n"
    }
    for finding in feed.diagnostics {
      text += "  \(style.yellow(finding.code)): \(finding.message.printableLine)\n"
    }
    return text
  }

  private static func shown(_ title: String?) -> String { (title ?? "(no title)").printableLine }
}

internal import Diagnostics
internal import FeedParsing

/// The text of an inspected feed for a terminal.
struct InspectedFeedText {
  let text: PrintableText

  init(_ inspected: InspectedFeed, _ style: TerminalStyle) {
    switch inspected.outcome {
    case .parsed(let feed):
      var text = InspectedFeedText.text(of: feed, inspected.input, style)
      if let target = inspected.redirectedTo { text += "  redirected to \(target)\n" }
      for link in inspected.feedLinks { text += "  links to a feed: \(link)\n" }
      self.text = text
    case .unreadable(let code, let message):
      text = "\(style.bold("\(inspected.input)"))\n  \(style.red("\(code)")): \(message)\n"
    }
  }

  private static let itemsShown = 5

  private static func text(of feed: ParsedFeed, _ input: String, _ style: TerminalStyle) -> PrintableText {
    var text: PrintableText = "\(style.bold(shown(feed.title)))  \(input)\n"
    text += "  \(feed.format.rawValue), \(feed.items.count) items, \(feed.encoding)\n"
    for item in feed.items.prefix(itemsShown) {
      let date = (item.published ?? item.updated)?.iso8601 ?? "no date"
      text += "  \(style.dim("\(date)"))  \(shown(item.title))\n"
    }
    for finding in feed.diagnostics {
      text += "  \(style.yellow("\(finding.code)")): \(finding.message)\n"
    }
    return text
  }

  private static func shown(_ title: String?) -> PrintableText { PrintableText(title ?? "(no title)") }
}

public import Catalog
public import Diagnostics
internal import FeedParsing

/// The report of `feed find`: the feeds of each input.
public struct FeedSearchReport: Report {
  private let results: [FeedSearchResult]
  private let taken: Set<String>
  private let fields: [SeedField]
  private let explains: Bool
  public let notes: [Diagnostic]

  /// - Parameters:
  ///   - catalog: the slugs that are taken.
  ///   - explains: also show every request.
  public init(_ results: [FeedSearchResult], catalog: SeedCatalog, explains: Bool, notes: [Diagnostic] = []) {
    self.results = results
    taken = Set(catalog.feeds.map(\.slug))
    fields = catalog.fields.feed
    self.explains = explains
    self.notes = notes
  }

  public var failure: CommandFailure? {
    let missing = results.filter(\.feeds.isEmpty)
    guard let first = missing.first else { return nil }
    let others = missing.count - 1
    return CommandFailure(
      (first.problem ?? "no feed was found at \(first.input)")
        + (others > 0 ? " and at \(others) other \(others == 1 ? "address" : "addresses")" : ""),
      code: "no-feed-found",
      hint: first.privateAddressHint ?? first.listHint
        ?? (explains ? nil : "Run the command with --explain to see every address that was tried."))
  }

  public var json: JSONValue { ["inputs": .array(results.map(json))] }

  private func json(_ result: FeedSearchResult) -> JSONValue {
    var json: JSONObject = ["input": .string(result.input)]
    json["page"] = result.page.map(JSONValue.string)
    json["problem"] = result.problem.map(JSONValue.string)
    json["requests"] = JSONValue(result.requests)
    json["candidates"] = .array(result.feeds.map(\.json))
    json["attempts"] = .array(result.attempts.map(\.json))
    json["seed"] = entry(result).map { .object($0.values.json(fields)) }
    return .object(json)
  }

  private func entry(_ result: FeedSearchResult) -> SeedFeed? {
    result.choices.first.map { SeedFeed($0, of: result, taken: taken) }
  }

  // MARK: Text

  public func text(_ style: TerminalStyle) -> PrintableText {
    results.map { text($0, style) }.joined(separator: "\n")
  }

  private func text(_ result: FeedSearchResult, _ style: TerminalStyle) -> PrintableText {
    var text: PrintableText = "\(style.bold("\(result.input)"))"
    if let page = result.page, page != result.input { text += "  \(style.dim("\(page)"))" }
    text += "  \(style.dim("(\(counted(result.requests, "request")))"))\n"
    for (index, feed) in result.feeds.enumerated() { text += line(feed, index + 1, style) }
    if result.feeds.isEmpty {
      text += "  \(style.red("no feed found"))\(result.problem.map { ": \($0)" } ?? "")\n"
      if let hint = result.listHint { text += "  \(hint)\n" }
    }
    if explains {
      text += "  Tried:\n"
      for attempt in result.attempts {
        text +=
          "    \(attempt.status.map(String.init) ?? "---")  \(attempt.url)  \(style.dim("\(attempt.outcome)"))\n"
      }
    }
    guard let entry = entry(result) else { return text }
    return text + "  Seed entry of the first:\n"
      + PrintableText(
        lines: JSONValue.object(entry.values.json(fields)).text(.pretty).split(separator: "\n").map(
          String.init),
        indent: "    ")
  }

  private func line(_ found: FoundFeed, _ number: Int, _ style: TerminalStyle) -> PrintableText {
    let title = TitleCleaner.plain(found.feed.title ?? "")
    var text: PrintableText =
      "  \(number). \(style.bold("\(title.isEmpty ? "(no title)" : title)"))  \(found.facts)\n"
    text += "     \(style.cyan("\(found.feedURL)"))\n"
    if let known = found.known { text += "     \(style.yellow("\(known.sentence)"))\n" }
    return text + "     \(style.dim("\(found.reasons.joined(separator: "; "))"))\n"
  }
}

extension MatchingCatalogFeed {
  var sentence: String {
    switch level {
    case .same: "in the catalog already, as \(slug)"
    case .likely: "probably in the catalog already, as \(slug): the addresses are almost the same"
    case .proven: "in the catalog already, as \(slug), at another address"
    }
  }
}

extension FoundFeed {
  /// One element of `candidates`.
  var json: JSONValue {
    var json: JSONObject = ["feedURL": .string(feedURL), "format": .string(feed.format.rawValue)]
    json["title"] = feed.title.map { .string(TitleCleaner.plain($0)) }
    json["language"] = language.map(JSONValue.string)
    json["items"] = JSONValue(feed.items.count)
    json["newestItem"] = newestItem.map { .string($0.iso8601) }
    json["foundBy"] = .string(origin.rawValue)
    json["reasons"] = .array(reasons.map(JSONValue.string))
    json["twinOf"] = twinOf.map(JSONValue.string)
    if isCommentsFeed { json["commentsFeed"] = true }
    json["known"] = known.map { ["slug": .string($0.slug), "level": .string($0.level.rawValue)] }
    return .object(json)
  }
}

extension FeedSearchAttempt {
  fileprivate var json: JSONValue {
    var json: JSONObject = ["url": .string(url)]
    json["status"] = status.map { JSONValue($0) }
    json["outcome"] = .string(outcome)
    return .object(json)
  }
}

package import Catalog
package import Diagnostics
internal import FeedParsing

package struct FeedSearchReport: Report {
  private let results: [FeedSearchResult]
  private let taken: Set<String>
  private let explains: Bool
  private let catalogNotes: [Diagnostic]

  package init(_ results: [FeedSearchResult], catalog: SeedCatalog, explains: Bool, notes: [Diagnostic] = [])
  {
    self.results = results
    taken = Set(catalog.feeds.map(\.slug))
    self.explains = explains
    catalogNotes = notes
  }

  package var notes: [Diagnostic] { catalogNotes + results.compactMap { newEntry($0)?.slugNote } }

  package var failure: CommandFailure? {
    let missing = results.filter(\.feeds.isEmpty)
    guard let first = missing.first else { return nil }
    let others = missing.count - 1
    // The reason stands beside the input.
    return CommandFailure(
      "no feed was found at \(first.input)"
        + (others > 0 ? " and at \(others) other \(others == 1 ? "address" : "addresses")" : ""),
      code: "no-feed-found",
      hint: first.privateAddressHint
        ?? (explains || first.attempts.isEmpty || first.listHint != nil
          ? nil : "Run the command with --explain to see every address that was tried."))
  }

  package var json: JSONValue { ["inputs": .array(results.map(json))] }

  private func json(_ result: FeedSearchResult) -> JSONValue {
    let seed = entry(result).map { JSONValue.object($0.values.json(of: .feed)) }
    return .object([
      "input": result.input.json, "page": result.page?.json, "problem": result.problem?.json,
      "requests": result.requests.json, "candidates": result.feeds.map(\.json).json,
      "attempts": result.attempts.map(\.json).json,
      "seed": seed ?? .null,
    ])
  }

  private func entry(_ result: FeedSearchResult) -> SeedFeed? {
    result.choices.first.map { SeedFeed($0, of: result, taken: taken) }
  }

  /// The entry, of a feed that the catalog does not have at the same address.
  private func newEntry(_ result: FeedSearchResult) -> SeedFeed? {
    result.choices.first?.known?.level == .same ? nil : entry(result)
  }

  // MARK: Text

  package var body: ReportBody {
    for (place, result) in results.enumerated() {
      if place > 0 { ReportBody.space }
      body(of: result)
    }
  }

  @ReportBodyBuilder private func body(of result: FeedSearchResult) -> ReportBody {
    let page = result.page.flatMap { $0 == result.input ? nil : "  \($0)" } ?? ""
    "\(result.input, .strong)\("\(page)  (\(counted(result.requests, "request")))", .dim)"
    for (index, feed) in result.feeds.enumerated() { item(feed, index + 1) }
    if result.feeds.isEmpty {
      ListItem(
        "  \("no feed found", .bad)\(result.problem.map { ": \($0)" } ?? "")",
        details: result.listHint.map { ["\($0)"] } ?? [])
    }
    if explains, !result.attempts.isEmpty {
      ListItem(
        "  Tried:",
        details: result.attempts.map { attempt in
          "  \(attempt.status.map(String.init) ?? "---")  \(attempt.url)  \(attempt.outcome, .dim)"
        })
    }
    if let entry = newEntry(result) {
      Section("Seed entry of the first:") {
        ReportBody.document(JSONValue.object(entry.values.json(of: .feed)).text(.pretty))
      }
    }
  }

  private func item(_ found: FoundFeed, _ number: Int) -> ListItem {
    ListItem(
      "  \(number). \(found.shownTitle, .strong)  \(found.facts)",
      details: ["   \(found.feedURL, .address)"] + (found.known.map { ["   \($0.sentence, .caution)"] } ?? [])
        + ["   \(found.reasons.joined(separator: "; "), .dim)"])
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
  var json: JSONValue {
    .object([
      "feedURL": feedURL.json, "format": feed.format.rawValue.json,
      "title": JSONValue(orNull: feed.title.map(TitleCleaner.plain)), "language": JSONValue(orNull: language),
      "items": feed.items.count.json, "newestItem": JSONValue(orNull: newestItem?.iso8601),
      "foundBy": origin.rawValue.json, "reasons": reasons.json, "twinOf": twinOf?.json,
      "commentsFeed": isCommentsFeed ? true : nil,
      "known": known.map { ["slug": $0.slug.json, "level": $0.level.rawValue.json] },
    ])
  }
}

extension FeedSearchAttempt {
  fileprivate var json: JSONValue {
    ["url": url.json, "status": status?.json ?? .null, "outcome": outcome.json]
  }
}

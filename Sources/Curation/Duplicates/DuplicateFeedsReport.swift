package import Catalog
package import Diagnostics

package struct DuplicateFeedsReport: Report {
  private let pairs: [DuplicateFeedPair]
  private let unread: [String]
  private let readers: [String: Int64]
  private let feeds: [String: SeedFeed]
  private let collections: [SeedCollection]
  private let search: DuplicateFeedSearch
  private let fetched: Bool
  package let notes: [Diagnostic]

  /// - Parameters:
  ///   - search: what the pairs were found by.
  ///   - fetched: the feeds that look alike were read, except the unread ones.
  package init(
    _ pairs: [DuplicateFeedPair], of search: DuplicateFeedSearch, fetched: Bool = false,
    unread: [String] = [],
    catalog: SeedCatalog, readers: [String: Int64], notes: [Diagnostic] = []
  ) {
    self.pairs = pairs
    self.search = search
    self.fetched = fetched
    self.unread = unread
    self.readers = readers
    feeds = Dictionary(catalog.feeds.map { ($0.slug, $0) }, uniquingKeysWith: { first, _ in first })
    collections = catalog.collections
    self.notes = notes
  }

  package var isConfirmation: Bool { pairs.isEmpty && unread.isEmpty }

  /// The edits of the seed files that a merge needs, each as one sentence.
  private func steps(_ pair: DuplicateFeedPair) -> [String] {
    if pair.level == .different {
      return [
        "Add \"differentFrom\": [\"\(pair.keep)\"] to '\(pair.retire)': this pair is not reported again."
      ]
    }
    let count = readers[pair.retire] ?? 0
    var steps = [
      count > 0
        ? "Add \"replacedBy\": \"\(pair.keep)\" to '\(pair.retire)': its \(counted(count, "reader")) "
          + "\(count == 1 ? "keeps" : "keep") it, and apps offer \(count == 1 ? "this person" : "them") the other."
        : "Add \"replacedBy\": \"\(pair.keep)\" to '\(pair.retire)', or remove it from the seeds: no reader is known."
    ]
    for collection in collections where collection.feeds.contains(pair.retire) {
      steps.append(
        collection.feeds.contains(pair.keep)
          ? "Take '\(pair.retire)' out of the collection '\(collection.slug)', which has '\(pair.keep)' too."
          : "Put '\(pair.keep)' in place of '\(pair.retire)' in the collection '\(collection.slug)'.")
    }
    let tags = (feeds[pair.retire]?.tags ?? []).filter { feeds[pair.keep]?.tags.contains($0) != true }
    if !tags.isEmpty {
      steps.append("Consider its tags for '\(pair.keep)': \(tags.joined(separator: ", ")).")
    }
    return steps
  }

  package var json: JSONValue {
    [
      "pairs": .array(
        pairs.map { pair in
          [
            "level": .string(pair.level.rawValue), "evidence": .array(pair.evidence.map(JSONValue.string)),
            "keep": json(pair.keep), "retire": json(pair.retire),
            "merge": .array(steps(pair).map(JSONValue.string)),
          ]
        }), "unread": .array(unread.map(JSONValue.string)), "compared": JSONValue(search.count),
      "incomparable": JSONValue(search.count - search.comparableCount), "fetched": .bool(fetched),
    ]
  }

  private func json(_ slug: String) -> JSONValue {
    var json: JSONObject = ["slug": .string(slug)]
    json["feedURL"] = feeds[slug].map { .string($0.feedURL) }
    json["readers"] = readers[slug].map(JSONValue.integer)
    return .object(json)
  }

  /// What was compared, and what was not.
  private var scope: String {
    let left = search.count - search.comparableCount
    return "Compared the addresses, titles and sites of \(counted(search.count, "feed"))"
      + (left > 0 ? "; the addresses of \(left) cannot be compared" : "")
      + (fetched
        ? "; read those that look alike."
        : ". Their items were not compared: --fetch reads the feeds that look alike.")
  }

  package var body: ReportBody {
    if isConfirmation { "No duplicates were found." }
    for pair in pairs {
      ListItem(
        "\("\(pair.keep) and \(pair.retire)", .strong)  \(pair.level.rawValue): \(pair.evidence.joined(separator: "; "))",
        details: [pair.keep, pair.retire].map { slug in
          let count = readers[slug].map { "  \(counted($0, "reader"))" } ?? ""
          return "\(feeds[slug]?.feedURL ?? slug, .address)\(count)"
        } + steps(pair).map { StyledText($0) })
    }
    if !unread.isEmpty { "Could not be read: \(unread.joined(separator: ", "))." }
    "\(scope, .dim)"
  }
}

internal import Catalog
package import Diagnostics

extension DuplicateFeedSearch {
  func feed(_ slug: String) -> SeedFeed? { feeds.first { $0.slug == slug } }

  /// The edits of the seed files that a merge needs, each as one sentence.
  ///
  /// - Parameter pairs: all pairs in their order; the proven ones before this pair are merged by then.
  private func steps(_ pair: DuplicateFeedPair, of pairs: [DuplicateFeedPair]) -> [String] {
    if pair.level == .different {
      return [
        "Add \"differentFrom\": [\"\(pair.keep)\"] to '\(pair.retire)': this pair is not reported again."
      ]
    }
    let count = readers[pair.retire] ?? 0
    var steps = [
      "\(pair.level == .proven ? "" : "If they are one feed, ")'\(pair.keep)' stays: \(pair.reason).",
      count > 0
        ? "Add \"replacedBy\": \"\(pair.keep)\" to '\(pair.retire)': its \(counted(count, "reader")) "
          + "\(count == 1 ? "keeps" : "keep") it, and apps offer \(count == 1 ? "this person" : "them") the other."
        : "Add \"replacedBy\": \"\(pair.keep)\" to '\(pair.retire)', or remove it from the seeds: no reader is known.",
    ]
    for former in catalog.feeds where former.replacedBy == pair.retire {
      steps.append(
        former.slug == pair.keep
          ? "Remove the \"replacedBy\" of '\(pair.keep)', which names '\(pair.retire)'."
          : "Set \"replacedBy\" of '\(former.slug)' to \"\(pair.keep)\", too: '\(pair.retire)' replaces it so far."
      )
    }
    let merged = pairs.prefix { $0 != pair }.filter { $0.level == .proven && $0.keep == pair.keep }.map(
      \.retire)
    for collection in catalog.collections where collection.feeds.contains(pair.retire) {
      steps.append(
        !Set(merged + [pair.keep]).isDisjoint(with: collection.feeds)
          ? "Take '\(pair.retire)' out of the collection '\(collection.slug)', which has '\(pair.keep)' too."
          : "Put '\(pair.keep)' in place of '\(pair.retire)' in the collection '\(collection.slug)'.")
    }
    let tags = (feed(pair.retire)?.tags ?? []).filter { feed(pair.keep)?.tags.contains($0) != true }
    if !tags.isEmpty {
      steps.append("Consider its tags for '\(pair.keep)': \(tags.joined(separator: ", ")).")
    }
    return steps
  }

  private func json(_ slug: String) -> JSONValue {
    .object([
      "slug": slug.json, "feedURL": feed(slug)?.feedURL.json, "readers": readers[slug]?.json,
    ])
  }

  /// - Parameter unread: of the feeds that look alike, those that could not be read; `nil` if none was fetched.
  package func report(
    _ pairs: [DuplicateFeedPair], unread: [String]?, notes: [Diagnostic] = []
  ) -> PlainReport {
    let left = feeds.count { FeedURLComparisonKey($0.feedURL) == nil }
    let result: JSONValue = [
      "pairs": .array(
        pairs.map { pair in
          [
            "level": pair.level.rawValue.json, "evidence": pair.evidence.json, "keep": json(pair.keep),
            "retire": json(pair.retire), "merge": steps(pair, of: pairs).json,
          ]
        }),
      "unread": .array((unread ?? []).map(JSONValue.string)), "compared": feeds.count.json,
      "incomparable": left.json, "fetched": .bool(unread != nil),
    ]
    let scope =
      "Compared the addresses, titles and sites of \(counted(feeds.count, "feed"))"
      + (left > 0 ? "; the addresses of \(left) cannot be compared" : "")
      + (unread == nil
        ? ". Their items were not compared: --fetch reads the feeds that look alike."
        : "; read those that look alike.")
    let isConfirmation = pairs.isEmpty && unread?.isEmpty ?? true
    return PlainReport(json: result, notes: pairs.isEmpty ? [] : notes, isConfirmation: isConfirmation) {
      if isConfirmation { "No duplicates were found." }
      for pair in pairs {
        ListItem(
          "\("\(pair.keep) and \(pair.retire)", .strong)  \(pair.level.rawValue): \(pair.evidence.joined(separator: "; "))",
          details: [pair.keep, pair.retire].map { slug in
            let count = readers[slug].map { "  \(counted($0, "reader"))" } ?? ""
            return "\(feed(slug)?.feedURL ?? slug, .address)\(count)"
          } + steps(pair, of: pairs).map { StyledText($0) })
      }
      if let unread, !unread.isEmpty { "Could not be read: \(unread.joined(separator: ", "))." }
      "\(scope, .dim)"
    }
  }
}

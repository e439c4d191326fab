internal import Catalog
package import Diagnostics

extension DuplicateFeedSearch {
  /// The edits of the seed files that each merge needs, as sentences, when the merges before it are made; whether those
  /// that are only likely are, is open.
  private func steps(of pairs: [DuplicateFeedPair]) -> [[String]] {
    var replaced = Dictionary(grouping: catalog.feeds.filter { $0.replacedBy != nil }, by: \.replacedBy)
      .mapValues { $0.map(\.slug) }
    var members = catalog.collections.map { Set($0.feeds) }
    var possible = members
    return pairs.map { pair in
      let (keep, retire) = (pair.keep, pair.retire)
      if pair.level == .different {
        return ["Add \"differentFrom\": [\"\(keep)\"] to '\(retire)': this pair is not reported again."]
      }
      let count = readers[retire] ?? 0
      var steps = [
        "\(pair.level == .proven ? "" : "If they are one feed, ")'\(keep)' stays: \(pair.reason).",
        count > 0
          ? "Add \"replacedBy\": \"\(keep)\" to '\(retire)': its \(counted(count, "reader")) "
            + "\(count == 1 ? "keeps" : "keep") it, and apps offer \(count == 1 ? "this person" : "them") the other."
          : "Add \"replacedBy\": \"\(keep)\" to '\(retire)', or remove it from the seeds: no reader is known.",
      ]
      let formers = replaced[retire] ?? []
      steps += formers.map { former in
        former == keep
          ? "Remove the \"replacedBy\" of '\(keep)', which names '\(retire)'."
          : "Set \"replacedBy\" of '\(former)' to \"\(keep)\", too: '\(retire)' replaces it so far."
      }
      for (place, collection) in catalog.collections.enumerated() where members[place].contains(retire) {
        let other =
          possible[place].contains(keep) ? ", or take '\(retire)' out if '\(keep)' is in it by then" : ""
        steps.append(
          members[place].contains(keep)
            ? "Take '\(retire)' out of the collection '\(collection.slug)', which has '\(keep)' too."
            : "Put '\(keep)' in place of '\(retire)' in the collection '\(collection.slug)'\(other).")
        possible[place].insert(keep)
        guard pair.level == .proven else { continue }
        members[place].remove(retire)
        members[place].insert(keep)
      }
      if pair.level == .proven { replaced[keep, default: []] += formers.filter { $0 != keep } + [retire] }
      let tags = (feed(retire)?.tags ?? []).filter { feed(keep)?.tags.contains($0) != true }
      if !tags.isEmpty { steps.append("Consider its tags for '\(keep)': \(tags.joined(separator: ", ")).") }
      return steps
    }
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
    let merges = zip(pairs, steps(of: pairs))
    let result: JSONValue = [
      "pairs": .array(
        merges.map { pair, steps in
          [
            "level": pair.level.rawValue.json, "evidence": pair.evidence.json, "keep": json(pair.keep),
            "retire": json(pair.retire), "merge": steps.json,
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
      for (pair, steps) in merges {
        ListItem(
          "\("\(pair.keep) and \(pair.retire)", .strong)  \(pair.level.rawValue): \(pair.evidence.joined(separator: "; "))",
          details: [pair.keep, pair.retire].map { slug in
            let count = readers[slug].map { "  \(counted($0, "reader"))" } ?? ""
            return "\(feed(slug)?.feedURL ?? slug, .address)\(count)"
          } + steps.map { StyledText($0) })
      }
      if let unread, !unread.isEmpty { "Could not be read: \(unread.joined(separator: ", "))." }
      "\(scope, .dim)"
    }
  }
}

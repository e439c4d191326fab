internal import CloudKitModel
internal import RecordChanges

/// Finds the record of each feed among records of the type Feed, whose names are random: the record that the seed names,
/// else the one with its address, else a new one named after the address. So two runs at once, and a run after one that
/// was stopped, make no second record. Of several records with its address the seed names the one to keep; a record with
/// another address cannot take it from one that has it.
struct CloudFeedMatching {
  /// Record names by slug. A retired feed without a record has none, and neither has one in conflict.
  private(set) var names: [String: String] = [:]
  private(set) var conflicts: [PlanConflict] = []
  /// Records that are part of a conflict.
  private(set) var disputed: Set<String> = []
  private var claims: [String: [SeedFeed]] = [:]

  init(_ feeds: [SeedFeed], _ records: [String: Record]) {
    let declared = Set(feeds.compactMap(\.recordName))
    let byAddress = Dictionary(grouping: records.values.sorted { $0.recordName < $1.recordName }) {
      WebAddress.normalized($0["feedURL"]?.string ?? "")
    }.mapValues { $0.map(\.recordName) }
    for feed in feeds {
      let holders = byAddress[WebAddress.normalized(feed.feedURL)] ?? []
      if let name = feed.recordName {
        if let rival = holders.first, !holders.contains(name) {
          report(
            feed.slug, [name, rival],
            "it names the record \(name), but its feed URL belongs to the record \(rival)",
            "Delete the record without readers, or remove the \"recordName\".")
        } else if !feed.isRetired || records[name] != nil {
          claims[name, default: []].append(feed)
        }
        continue
      }
      let free = holders.filter { !declared.contains($0) }
      if free.count > 1 {
        report(
          feed.slug, free, "its feed URL belongs to several records: \(free.joined(separator: ", "))",
          "Choose the one to keep, for example with \"recordName\": \"\(free[0])\". The others stay until you delete them."
        )
      } else if let name = free.first {
        claims[name, default: []].append(feed)
      } else if !feed.isRetired {
        claimNew(feed, records)
      }
    }
    for (name, feeds) in claims {
      if feeds.count == 1 {
        names[feeds[0].slug] = name
      } else {
        for feed in feeds {
          let other = feeds.first { $0.slug != feed.slug }?.slug ?? feed.slug
          report(
            feed.slug, [name], "its record \(name) also belongs to the feed '\(other)'",
            "Give one of the two a \"recordName\" of its own.")
        }
      }
    }
    conflicts.sort { $0.slug < $1.slug }
  }

  private mutating func claimNew(_ feed: SeedFeed, _ records: [String: Record]) {
    let name = CatalogRecordNames.feed(url: feed.feedURL)
    if let url = records[name]?["feedURL"]?.string {
      report(
        feed.slug, [name],
        "the record name for its feed URL, \(name), belongs to a record with another URL, \(url)",
        "If it is that feed, add \"recordName\": \"\(name)\" to '\(feed.slug)'; else give it another \"recordName\"."
      )
    } else {
      claims[name, default: []].append(feed)
    }
  }

  /// A new record would leave the readers of an existing one behind.
  mutating func refuse(_ move: MovedFeed) {
    names[move.slug] = nil
    report(
      move.slug, [move.recordName],
      "\(move.label.quoted) at \(move.from) has its title and "
        + "\(move.readers.wordsWithReason), and no seed mentions it",
      "If it is that feed, add \"recordName\": \"\(move.recordName)\" to '\(move.slug)', and its readers stay. "
        + "If it is another feed, apply with --accept-risk subscriber-loss.")
  }

  private mutating func report(_ slug: String, _ records: [String], _ reason: String, _ help: String) {
    disputed.formUnion(records)
    conflicts.append(
      PlanConflict(recordType: CatalogRecordType.cloudFeed, slug: slug, reason: reason, help: help))
  }
}

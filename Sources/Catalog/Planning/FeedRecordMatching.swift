import CloudKitModel
import RecordChanges

/// Finds the record of each feed in the seeds (Documentation/reference/catalog.md#feed-matching): the one it names,
/// else the one that already has its URL, else one whose URL changed to it, else a new one named after the URL.
///
/// Each step is applied to all feeds before the next one, so the order of the feeds has no effect. A record with
/// another URL is never adopted because of its name alone: it belongs to another feed and its subscribers.
struct FeedRecordMatching {
  /// Record names by slug; a feed in conflict has none.
  private(set) var names: [String: String] = [:]
  /// In the order of the feeds.
  private(set) var conflicts: [PlanConflict] = []
  /// Records that are part of a conflict, with the slug of a feed in the conflict. The plan must not change or
  /// delete them.
  private(set) var disputed: [String: String] = [:]

  private(set) var moves: [MovedFeed] = []
  /// Feeds that get new records although they look like existing ones without a seed.
  private(set) var suspected: [MovedFeed] = []

  private let existing: ExistingCatalogRecords
  /// The record names that feeds declare, each with the feed's slug.
  private let declared: [String: String]
  /// Slugs by record name.
  private var claims: [String: [String]] = [:]
  private var found: [String: Conflict] = [:]

  /// Why a feed has no certain record, and what the editor can do.
  private struct Conflict {
    var records: [String]
    var reason: String
    var help: String
  }

  init(_ feeds: [SeedFeed], existing: ExistingCatalogRecords, acceptsLoss: Bool = false) {
    self.existing = existing
    declared = Dictionary(
      feeds.compactMap { feed in feed.recordName.map { ($0, feed.slug) } }, uniquingKeysWith: min)
    // By index: most feeds match at once, and a feed's copy would take longer than that.
    for index in feeds.indices { matchName(of: feeds[index]) }
    for index in feeds.indices where feeds[index].recordName == nil { matchHolder(of: feeds[index]) }
    matchMoves(unmatched(of: feeds), acceptsLoss: acceptsLoss)
    let taken = claims
    for feed in unmatched(of: feeds) { matchNewName(of: feed, taken: taken) }
    refuseSharedRecords()
    if !found.isEmpty { for feed in feeds { report(feed) } }
  }

  private func unmatched(of feeds: [SeedFeed]) -> [SeedFeed] {
    feeds.indices.filter {
      feeds[$0].recordName == nil && names[feeds[$0].slug] == nil && found[feeds[$0].slug] == nil
    }.map { feeds[$0] }
  }

  /// A feed with a declared record name may get a new URL, unless another record has that URL.
  private mutating func matchName(of feed: SeedFeed) {
    guard let name = feed.recordName else { return }
    let holders = existing.feedNames(url: feed.feedURL)
    if !holders.contains(name), let rival = holders.first(where: { declared[$0] == nil }) {
      found[feed.slug] = Conflict(
        records: [name] + holders, reason: "its feed URL already belongs to the record \(rival)",
        help: "Give the feed \"recordName\": \"\(rival)\", or remove that record.")
    } else {
      claim(name, for: feed)
    }
  }

  private mutating func matchHolder(of feed: SeedFeed) {
    let holders = existing.feedNames(url: feed.feedURL).filter { declared[$0] == nil }
    if holders.count > 1 {
      found[feed.slug] = Conflict(
        records: holders,
        reason: "its feed URL belongs to several records: \(holders.joined(separator: ", "))",
        help: "Give the feed the \"recordName\" of the one to keep.")
    } else if let holder = holders.first {
      claim(holder, for: feed)
    }
  }

  /// A feed with a changed URL keeps its record, because subscribers' records refer to it and a server key cannot
  /// change those.
  private mutating func matchMoves(_ feeds: [SeedFeed], acceptsLoss: Bool) {
    guard !feeds.isEmpty else { return }
    // An existing record with the name derived from the new URL is a separate conflict.
    let newNames = feeds.map { CatalogRecordNames.feed(url: $0.feedURL) }
    let free = existing.feeds(
      besides: Set(claims.keys).union(declared.keys).union(found.values.flatMap(\.records)).union(newNames))
    let (certain, doubtful) = MovedFeedSearch(feeds, free, redirects: existing.redirects).moves()
    let bySlug = Dictionary(feeds.map { ($0.slug, $0) }, uniquingKeysWith: { first, _ in first })
    for move in certain { if let feed = bySlug[move.slug] { claim(move.recordName, for: feed) } }
    moves = certain
    for move in doubtful {
      guard move.evidence == .titleOnly, move.readers > 0, !acceptsLoss else {
        suspected.append(move)
        continue
      }
      found[move.slug] = Conflict(
        records: [move.recordName],
        reason: "\(SanitizedText.quoted(move.label)) at \(SanitizedText.line(move.from)) has its title and "
          + "\(move.readers == 1 ? "1 reader" : "\(move.readers) readers"), and no seed mentions it any more",
        help: "If it is that feed, add \"recordName\": \"\(move.recordName)\" and its readers stay. "
          + "If it is another feed, apply with --accept-risk subscriber-loss.")
    }
  }

  /// - Parameter taken: the records that other feeds already have, by declared name or URL.
  private mutating func matchNewName(of feed: SeedFeed, taken: [String: [String]]) {
    let name = CatalogRecordNames.feed(url: feed.feedURL)
    if let owner = taken[name]?.min() ?? declared[name] {
      found[feed.slug] = Conflict(
        records: [name], reason: "its record \(name) already belongs to the feed '\(owner)'",
        help: "Give the feed a \"recordName\" of its own.")
    } else if let url = existing.feedURL(of: name) {
      found[feed.slug] = Conflict(
        records: [name],
        reason: "the record name for its feed URL, \(name), belongs to a record with another URL, "
          + SanitizedText.line(url),
        help: "Give the feed \"recordName\": \"\(name)\" if it is that feed and its URL changed; "
          + "give it a \"recordName\" of its own if it is another feed.")
    } else {
      claim(name, for: feed)
    }
  }

  private mutating func claim(_ name: String, for feed: SeedFeed) {
    claims[name, default: []].append(feed.slug)
    names[feed.slug] = name
  }

  /// Two feeds match the same record equally well: neither gets it.
  private mutating func refuseSharedRecords() {
    for (name, slugs) in claims where slugs.count > 1 {
      for slug in slugs {
        let other = slugs.filter { $0 != slug }.min() ?? slug
        names[slug] = nil
        found[slug] = Conflict(
          records: [name], reason: "its record \(name) also belongs to the feed '\(other)'",
          help: "Give one of the two a \"recordName\" of its own.")
      }
    }
  }

  private mutating func report(_ feed: SeedFeed) {
    guard let conflict = found[feed.slug] else { return }
    for name in conflict.records { disputed[name] = min(disputed[name] ?? feed.slug, feed.slug) }
    conflicts.append(
      PlanConflict(
        recordType: CatalogRecordType.publicFeed, slug: feed.slug, reason: conflict.reason,
        help: conflict.help))
  }
}

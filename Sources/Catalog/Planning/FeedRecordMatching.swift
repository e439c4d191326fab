import CloudKitModel
import Diagnostics
import RecordChanges

/// Finds the record of each feed in the seeds (Documentation/reference/catalog.md#feed-matching): the one it names,
/// else the one with its slug, else one without a slug that has its URL, else one whose slug or URL changed to its own,
/// else a new one named after the URL.
///
/// Each step is applied to all feeds before the next one, so the order of the feeds has no effect. A feed whose record
/// is not certain is a conflict, because a wrong record would give it the readers of another feed.
struct FeedRecordMatching {
  /// Record names by slug; a feed in conflict has none.
  private(set) var names: [String: String] = [:]
  /// In the order of the feeds.
  private(set) var conflicts: [PlanConflict] = []
  /// Records that are part of a conflict, with the slug of a feed in the conflict. The plan must not change or
  /// delete them.
  private(set) var disputed: [String: String] = [:]
  /// Why a feed has a record with another URL, by slug, where neither a name nor a slug says so.
  private(set) var evidence: [String: MovedFeed.Evidence] = [:]
  /// Feeds that get new records, although they look like existing ones without a seed.
  private(set) var suspected: [MovedFeed] = []
  /// Feeds with a new slug, by slug: the slug that the record has.
  private var formerSlugs: [String: String] = [:]

  private let existing: ExistingCatalogRecords
  /// The record names that feeds declare, each with the feed's slug.
  private let declared: [String: String]
  /// Feeds by slug.
  private let positions: [String: Int]
  /// Names of the records with a slug that no seed declares for another record.
  private let slugHolders: [String: [String]]
  /// Slugs by the titles of seeds, in lower case; made when it is needed first.
  private var titles: [String: [String]]?
  /// Slugs by record name.
  private var claims: [String: [String]] = [:]
  /// By slug, with the records that are part of it.
  private var found: [String: (records: [String], conflict: PlanConflict)] = [:]

  init(_ feeds: [SeedFeed], existing: ExistingCatalogRecords, acceptsLoss: Bool = false) {
    self.existing = existing
    let declared = feeds.slugs(by: \.recordName)
    self.declared = declared
    positions = Dictionary(feeds.indices.map { (feeds[$0].slug, $0) }) { first, _ in first }
    slugHolders =
      declared.isEmpty
      ? existing.slugHolders : existing.slugHolders.mapValues { $0.filter { declared[$0] == nil } }
    // By index: most feeds match at once, and a feed's copy would take longer than that.
    for index in feeds.indices { matchName(of: feeds[index]) }
    var rest = feeds.indices.filter { feeds[$0].recordName == nil }
    for index in rest { matchSlug(of: feeds[index]) }
    rest = unmatched(rest, of: feeds)
    for isRenamed in [false, true] {
      for index in rest { matchHolder(of: feeds[index], in: feeds, isRenamed: isRenamed) }
      rest = unmatched(rest, of: feeds)
    }
    if !rest.isEmpty {
      matchMoves(feeds, acceptsLoss: acceptsLoss)
      let taken = claims
      for index in unmatched(rest, of: feeds) { matchNewName(of: feeds[index], taken: taken) }
    }
    refuseSharedRecords()
    refuseTakenAddresses(feeds)
    if found.isEmpty { return }
    for index in feeds.indices {
      let slug = feeds[index].slug
      guard let (records, conflict) = found[slug] else { continue }
      for name in records { disputed[name] = min(disputed[name] ?? slug, slug) }
      conflicts.append(conflict)
    }
  }

  /// A note for each feed with the record of a slug that no seed has any more.
  var renames: [SeedPlanNote] {
    formerSlugs.sorted { $0.key < $1.key }.compactMap { slug, former in
      names[slug].map { .renamed(slug: slug, from: former, recordName: $0) }
    }
  }

  private func unmatched(_ indices: [Int], of feeds: [SeedFeed]) -> [Int] {
    indices.filter { names[feeds[$0].slug] == nil && found[feeds[$0].slug] == nil }
  }

  // MARK: Steps

  /// A declared record name is certain, unless another seed or record has a right to the slug.
  private mutating func matchName(of feed: SeedFeed) {
    guard let name = feed.recordName else { return }
    if let slug = existing.slug(of: name), slug != feed.slug, positions[slug] != nil {
      refuse(
        feed.slug, [name], "its record \(name) has the slug of the feed '\(slug)'",
        help: "If it is the record of '\(feed.slug)', run '\(Self.update(name, slug: feed.slug))'. "
          + "Otherwise remove the \"recordName\".")
    } else if let rival = slugHolders[feed.slug]?.first {
      refuse(
        feed.slug, [name, rival], "its slug belongs to the record \(rival), but it names \(name)",
        help: "Remove the other slug: \(clearing(rival)). Or remove the \"recordName\".")
    } else {
      claim(name, for: feed)
    }
  }

  private mutating func matchSlug(of feed: SeedFeed) {
    guard let holders = slugHolders[feed.slug], let holder = holders.first else { return }
    guard holders.count == 1 else {
      let conflict = PlanConflict.repeatedSlug(
        feed.slug, of: CatalogRecordType.publicFeed, holders.compactMap { existing[$0].map(ReadRecord.init) })
      found[feed.slug] = (holders.sorted(), conflict)
      return
    }
    claim(holder, for: feed)
  }

  /// The record with the feed's URL: one without a slug, or one whose slug no seed has any more.
  private mutating func matchHolder(of feed: SeedFeed, in feeds: [SeedFeed], isRenamed: Bool) {
    let holders = existing.feedNames(url: feed.feedURL).filter { name in
      guard declared[name] == nil, claims[name] == nil else { return false }
      guard let slug = existing.slug(of: name) else { return !isRenamed }
      return isRenamed && positions[slug] == nil
    }
    guard let holder = holders.first else { return }
    if holders.count > 1 {
      refuse(
        feed.slug, holders, "its feed URL belongs to several records: \(holders.joined(separator: ", "))",
        help: "Choose the one to keep, for example the first: \(remedy(holder, feed.slug)).")
    } else if let other = otherFeed(withTitleOf: holder, than: feed, in: feeds) {
      refuse(
        feed.slug, [holder],
        "its feed URL belongs to the record \(holder), which has the title of the feed '\(other)'",
        help: "If the feeds changed addresses, the readers of that record read '\(other)': "
          + "\(remedy(holder, other)). If only titles changed: \(remedy(holder, feed.slug)).")
    } else {
      if isRenamed { formerSlugs[feed.slug] = existing.slug(of: holder) }
      claim(holder, for: feed)
    }
  }

  /// The feed whose title the record has, when it is another than the one with the record's URL.
  private mutating func otherFeed(
    withTitleOf name: String, than feed: SeedFeed, in feeds: [SeedFeed]
  ) -> String? {
    guard let title = existing[name]?["title"]?.string?.lowercased(), title != feed.title.lowercased() else {
      return nil
    }
    let known =
      titles
      ?? Dictionary(grouping: feeds.indices) { feeds[$0].title.lowercased() }.mapValues {
        $0.map { feeds[$0].slug }
      }
    titles = known
    return known[title]?.filter { $0 != feed.slug }.min()
  }

  /// A feed with a changed URL keeps its record, because subscribers' records refer to it and a server key cannot
  /// change those.
  private mutating func matchMoves(_ feeds: [SeedFeed], acceptsLoss: Bool) {
    var unmatched = UnmatchedFeeds(feeds, existing)
    let (certain, doubtful) = existing.moves(of: unmatched.feeds, among: unmatched.records)
    let bySlug = unmatched.feeds.keyed(by: \.slug)
    for move in certain {
      guard let feed = bySlug[move.slug] else { continue }
      evidence[move.slug] = move.evidence
      formerSlugs[move.slug] = existing.slug(of: move.recordName)
      claim(move.recordName, for: feed)
    }
    for move in doubtful {
      guard move.hasSameTitle, move.readers.mayHaveReaders, !acceptsLoss else {
        suspected.append(move)
        continue
      }
      refuse(
        move.slug, [move.recordName],
        "\(move.label.quoted) at \(move.from) has its title and "
          + "\(move.readers.wordsWithReason), and no seed mentions it any more",
        help: "If it is that feed, \(remedy(move.recordName, move.slug)), and its readers stay. "
          + "If it is another feed, apply with --accept-risk subscriber-loss.")
    }
  }

  private mutating func matchNewName(of feed: SeedFeed, taken: [String: [String]]) {
    let name = CatalogRecordNames.feed(url: feed.feedURL)
    if let owner = taken[name]?.min() ?? declared[name] {
      refuse(
        feed.slug, [name], "its record \(name) already belongs to the feed '\(owner)'",
        help: "Give '\(feed.slug)' a \"recordName\" of its own, or remove it from the seeds.")
    } else if let other = existing.slug(of: name), positions[other] != nil {
      refuse(
        feed.slug, [name], "the record of its feed URL, \(name), has the slug of the feed '\(other)'",
        help: "If it is the record of '\(feed.slug)', \(remedy(name, feed.slug)).")
    } else if let url = existing.feedURL(of: name) {
      refuse(
        feed.slug, [name],
        "the record name for its feed URL, \(name), belongs to a record with another URL, " + url,
        help: "If it is that feed and its URL changed, \(remedy(name, feed.slug)). "
          + "If it is another feed, give it a \"recordName\" of its own.")
    } else {
      claim(name, for: feed)
    }
  }

  private mutating func claim(_ name: String, for feed: SeedFeed) {
    claims[name, default: []].append(feed.slug)
    names[feed.slug] = name
  }

  // MARK: Conflicts

  /// Two feeds match the same record equally well: neither gets it.
  private mutating func refuseSharedRecords() {
    for (name, slugs) in claims where slugs.count > 1 {
      for slug in slugs {
        let other = slugs.filter { $0 != slug }.min() ?? slug
        names[slug] = nil
        refuse(
          slug, [name], "its record \(name) also belongs to the feed '\(other)'",
          help: "Give one of the two a \"recordName\" of its own.")
      }
    }
  }

  /// An address changes hands only when its record gets another one in the same plan. A feed that is refused here keeps
  /// its address, so a feed that was to take that one is refused, too.
  private mutating func refuseTakenAddresses(_ feeds: [SeedFeed]) {
    // By the record that holds the address.
    var waiting: [String: [String]] = [:]
    var refused: [(slug: String, holder: String)] = []
    for index in feeds.indices {
      let slug = feeds[index].slug
      guard let name = names[slug] else { continue }
      let current = existing.feedURL(of: name)
      if current == feeds[index].feedURL { continue }
      let url = WebAddress.normalized(feeds[index].feedURL)
      if current.map(WebAddress.normalized) == url { continue }
      for holder in existing.feedNames(url: url) where holder != name {
        let owner = claims[holder]?.first.flatMap { names[$0] == holder ? positions[$0] : nil }
        if let owner, WebAddress.normalized(feeds[owner].feedURL) != url {
          waiting[holder, default: []].append(slug)
        } else {
          refused.append((slug, holder))
        }
      }
    }
    while !refused.isEmpty {
      var next: [(slug: String, holder: String)] = []
      for (slug, holder) in refused.sorted(by: <) {
        guard let name = names.removeValue(forKey: slug), let index = positions[slug] else { continue }
        refuse(
          slug, [name, holder], "its feed URL already belongs to the record \(holder)",
          help: choice(between: name, and: holder, for: feeds[index]))
        next += (waiting[name] ?? []).map { ($0, name) }
      }
      refused = next
    }
  }

  /// How an editor settles that a feed has one record, and its address another. The slug of the first stands in the way.
  private func choice(between name: String, and holder: String, for feed: SeedFeed) -> String {
    let slug = feed.slug
    if let other = claims[holder]?.first, names[other] == nil {
      return "Resolve the conflict of '\(other)' first."
    }
    let hasSlug = existing.slug(of: name) == slug
    guard hasSlug || feed.recordName != nil, existing[name] != nil else {
      return
        "If that is its record, \(remedy(holder, slug)). Otherwise remove that record, or change its URL."
    }
    let last =
      feed.recordName == nil
      ? "run '\(Self.update(holder, slug: slug))'"
      : "change the \"recordName\" of '\(slug)' to \"\(holder)\""
    return "Its record so far is \(name). To go on with \(holder), "
      + (hasSlug ? "run \(clearing(name)), then " : "") + last
      + "; \(name) and its readers then have no seed. "
      + "To stay with \(name), remove \(holder), or change its URL."
  }

  /// How an editor says that a record is a feed's, as a clause.
  private func remedy(_ recordName: String, _ slug: String) -> String {
    let pin = "\"recordName\": \"\(recordName)\""
    return existing.storesSlugs
      ? "run '\(Self.update(recordName, slug: slug))', or add \(pin) to '\(slug)'"
      : "add \(pin) to '\(slug)'"
  }

  private func clearing(_ recordName: String) -> String { "'\(Self.update(recordName))'" }

  private static func update(_ recordName: String, slug: String = "null") -> String {
    VerificationHelp.set("slug", to: slug, of: CatalogRecordType.publicFeed, recordName)
  }

  private mutating func refuse(_ slug: String, _ records: [String], _ reason: String, help: String) {
    let type = CatalogRecordType.publicFeed
    found[slug] = (records, PlanConflict(recordType: type, slug: slug, reason: reason, help: help))
  }
}

extension PlanConflict {
  /// - Parameter holders: the records with the slug, at least two.
  static func repeatedSlug(_ slug: String, of type: String, _ holders: [ReadRecord]) -> PlanConflict {
    let clearing = VerificationHelp.set("slug", of: type, holders.ranked(for: slug)[1].name)
    return PlanConflict(
      recordType: type, slug: slug, reason: "its slug belongs to several records: \(holders.titles)",
      help: "Keep it on one of them, and remove it from the others, for example: '\(clearing)'.")
  }
}

/// The feeds of the seeds that have no record yet, as far as names, slugs and URLs say, and the records that they may have
/// moved from. Planning reads more about both before it matches them.
struct UnmatchedFeeds {
  /// Feeds that name no record, and of which no free record has the slug or the URL.
  private(set) var feeds: [SeedFeed] = []
  /// Feed records that no seed has, sorted by name.
  private(set) lazy var records = existing.records.values.filter {
    $0.recordType == CatalogRecordType.publicFeed && !held.contains($0.recordName) && isFree($0.recordName)
  }.sorted { $0.recordName < $1.recordName }

  private let existing: ExistingCatalogRecords
  private let declared: Set<String>
  private let slugs: Set<String>
  private var held: Set<String>

  init(_ feeds: [SeedFeed], _ existing: ExistingCatalogRecords) {
    self.existing = existing
    declared = Set(feeds.compactMap(\.recordName))
    slugs = Set(feeds.map(\.slug))
    held = declared
    for feed in feeds where feed.recordName == nil {
      if existing.slugHolders[feed.slug]?.contains(where: { !declared.contains($0) }) ?? false { continue }
      let holders = existing.feedNames(url: feed.feedURL).filter(isFree)
      held.formUnion(holders)
      if holders.isEmpty { self.feeds.append(feed) }
    }
    // A record that already has the name of a new URL is a conflict of its own.
    held.formUnion(self.feeds.map { CatalogRecordNames.feed(url: $0.feedURL) })
  }

  /// Whether a record has no slug, or one that no seed has any more.
  private func isFree(_ name: String) -> Bool {
    !declared.contains(name) && existing.slug(of: name).map { !slugs.contains($0) } ?? true
  }
}

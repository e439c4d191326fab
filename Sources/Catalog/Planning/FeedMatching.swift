import CloudKitModel

/// Decides which record each feed of the seeds is (DESIGN.md section 4): the one it names, else the one that
/// already has its URL, else a new one named after the URL.
struct FeedMatching {
  /// Record names by slug; a feed in conflict has none.
  private(set) var names: [String: String] = [:]
  private(set) var conflicts: [SeedConflict] = []
  /// Records that a conflict is about: they are neither adopted nor pruned.
  private(set) var disputed: Set<String> = []
  private var owners: [String: String] = [:]

  init(_ feeds: [PublicFeed], existing: ExistingRecords) {
    let named = feeds.filter { $0.recordName != nil }
    let claimed = Set(named.compactMap(\.recordName))
    for feed in named { matchNamed(feed, existing, claimed: claimed) }
    for feed in feeds where feed.recordName == nil { matchByURL(feed, existing, claimed: claimed) }
  }

  /// A feed may move to a new URL under its own name, unless that URL is another record's.
  private mutating func matchNamed(_ feed: PublicFeed, _ existing: ExistingRecords, claimed: Set<String>) {
    guard let name = feed.recordName else { return }
    let holders = existing.feedNames[WebAddress.normalized(feed.feedURL)] ?? []
    let rivals = holders.filter { !claimed.contains($0) }
    if !holders.contains(name), let rival = rivals.first {
      dispute(
        feed, rivals, "its feed URL already belongs to the record \(rival)",
        help: "Give the feed \"recordName\": \"\(rival)\", or remove that record.")
    } else {
      claim(name, for: feed)
    }
  }

  private mutating func matchByURL(_ feed: PublicFeed, _ existing: ExistingRecords, claimed: Set<String>) {
    let holders = (existing.feedNames[WebAddress.normalized(feed.feedURL)] ?? [])
      .filter { !claimed.contains($0) }
    if holders.count > 1 {
      dispute(
        feed, holders, "its feed URL belongs to several records: \(holders.joined(separator: ", "))",
        help: "Give the feed the \"recordName\" of the one to keep.")
    } else {
      claim(holders.first ?? RecordNames.feed(url: feed.feedURL), for: feed)
    }
  }

  private mutating func claim(_ name: String, for feed: PublicFeed) {
    if let owner = owners[name] {
      dispute(
        feed, [name], "its record \(name) is already that of the feed '\(owner)'",
        help: "Give one of the two a \"recordName\" of its own.")
    } else {
      owners[name] = feed.slug
      names[feed.slug] = name
    }
  }

  private mutating func dispute(_ feed: PublicFeed, _ records: [String], _ reason: String, help: String) {
    disputed.formUnion(records)
    conflicts.append(
      SeedConflict(
        recordType: CatalogRecordType.publicFeed, slug: feed.slug, reason: reason, help: help))
  }
}

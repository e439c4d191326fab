public import CloudKitModel
internal import Cryptography
internal import FeedFetching
public import FeedParsing
public import FeedState

/// The items of one fetched document, ready to be stored.
public final class ArticleDocument: Sendable {
  public let feedRecordName: String
  public let feedURL: String
  /// Empty for a document whose items are stored already.
  let drafts: [ArticleDraft]
  /// What is known without asking the container.
  let counts: ArticleCounts
  let decisions: [ArticleDecision]
  /// Of the items in document order.
  let itemsDigest: String
  let bodyDigest: String
  /// The number of items that are looked up and may be written.
  public var itemsToStore: Int { drafts.count }
  /// The ids that the document lists; empty without drafts.
  let guids: Set<String>
  /// What the state is to keep of the document; `nil` for one that is parsed each time.
  let facts: DocumentFacts?
  /// The state says already what the document says, so the document was not parsed.
  let isRepeated: Bool
  /// The feed's articles are stored at another content level.
  let isOtherLevel: Bool
  /// False for a document that was cut: no item counts as gone from it, and the next run needs it again.
  let isComplete: Bool

  /// The rule that tells the feed's items apart; `nil` where no item was read, or another program decides about guids.
  let rule: ItemIDRule?
  /// The state says the feed's rule.
  let hasRule: Bool
  /// The feed has a state: an earlier run may have stored its articles.
  let hasState: Bool
  /// All items are younger than the last fetch, so that the feed may date them with the time of the fetch. One item alone
  /// says nothing.
  let mayDateItself: Bool
  /// The date of the oldest item; `nil` if none has a date.
  private let oldest: Timestamp?
  /// The document lists one item alone, so that no other item shows what became of the one before.
  let isOneItem: Bool
  /// The links that the items have, but for those that identify nothing.
  let links: [String]
  private let site: ChannelLink?
  private let idsAreUnique: Bool
  private let undated: Set<Int64>

  /// - Parameters:
  ///   - feed: with the items' content, unless the articles of the body are stored.
  ///   - facts: `nil` if the document must be parsed each time.
  ///   - metadata: what earlier runs recorded about the feed.
  ///   - now: when the document was fetched.
  public init(
    _ feed: ParsedFeed, _ body: ArticleBody, facts: DocumentFacts?, of metadata: FeedMetadata, url: String,
    options: ArticleOptions, at now: Timestamp
  ) {
    feedRecordName = metadata.feedRecordName
    feedURL = url
    bodyDigest = body.digest
    self.facts = facts
    isRepeated = false
    hasState = metadata.changeTag != nil
    hasRule = metadata.itemIDRule != nil
    undated = Set(metadata.undatedItems)
    site = ChannelLink(feed)
    idsAreUnique = feed.format.demandsUniqueIDs
    isComplete = feed.isComplete
    var reading = ArticleSelection(metadata, options: options, at: now)
    let coverage = ArticleCoverage(metadata.articlesValidator)
    isOtherLevel = coverage?.isOtherLevel(options) ?? false
    let digests = body.isStored ? [] : feed.items.map(ArticleCoverage.digest)
    if let coverage, body.isStored || coverage.covers(digests, options) {
      reading.counts = coverage.counts(listed: feed.items.count)
      itemsDigest = String(coverage.items)
      (rule, links, mayDateItself, oldest) = (nil, [], false, nil)
    } else {
      reading.counts.listed = feed.items.count
      let known = coverage?.knownItems(options) ?? []
      let names = ItemNames(feed, after: metadata.idRule, isShared: options.mapping.isShared)
      let skipped = zip(feed.items.indices, digests).map { index, digest in
        !reading.add(index, names, in: feed, isStored: known.contains(digest[...]))
      }
      itemsDigest = ArticleCoverage.joined(digests, skipped: skipped)
      rule = names.rule
      links = names.identities.enumerated().filter { !names.repeated.contains($0.offset) }.compactMap(
        \.element.link)
      mayDateItself = Self.mayDateItself(names.identities, after: metadata.lastFetchSuccess)
      oldest = names.identities.compactMap(\.date?.milliseconds).min().map(Timestamp.init(milliseconds:))
    }
    isOneItem = feed.items.count == 1 && feed.isComplete
    drafts = reading.drafts
    guids = reading.drafts.isEmpty ? [] : reading.guids
    counts = reading.counts
    decisions = options.explains ? reading.decisions : []
  }

  private static func mayDateItself(_ items: [ItemIdentity], after lastFetch: Timestamp?) -> Bool {
    guard let lastFetch, items.count > 1 else { return false }
    return items.allSatisfy { ($0.date?.milliseconds ?? .min) > lastFetch.milliseconds }
  }

  /// A document that an earlier run parsed and stored.
  public init(repeated body: ArticleBody, _ facts: DocumentFacts, of feedRecordName: String, url: String) {
    self.feedRecordName = feedRecordName
    feedURL = url
    drafts = []
    guids = []
    counts = body.coverage?.counts(listed: facts.items) ?? ArticleCounts()
    decisions = []
    itemsDigest = body.coverage.map { String($0.items) } ?? ""
    bodyDigest = body.digest
    isOtherLevel = false
    isComplete = true
    self.facts = facts
    isRepeated = true
    (rule, hasRule, hasState, mayDateItself) = (nil, true, true, false)
    (links, site, idsAreUnique, undated) = ([], nil, false, [])
    (oldest, isOneItem) = (nil, false)
  }

  /// The document with the guids of a stricter rule.
  func named(by rule: ItemIDRule) -> ArticleDocument { ArticleDocument(self, rule: rule) }

  private init(_ other: ArticleDocument, rule: ItemIDRule) {
    feedRecordName = other.feedRecordName
    feedURL = other.feedURL
    counts = other.counts
    decisions = other.decisions
    itemsDigest = other.itemsDigest
    bodyDigest = other.bodyDigest
    facts = other.facts
    isRepeated = other.isRepeated
    isOtherLevel = other.isOtherLevel
    isComplete = other.isComplete
    hasRule = other.hasRule
    hasState = other.hasState
    mayDateItself = other.mayDateItself
    (links, site, idsAreUnique, undated) = (other.links, other.site, other.idsAreUnique, other.undated)
    (oldest, isOneItem) = (other.oldest, other.isOneItem)
    self.rule = rule
    drafts = other.drafts.map { draft in
      guard var identity = draft.identity else { return draft }
      var draft = draft
      if rule == .content {
        identity.content = ItemIdentity.contentDigest(text: draft.wholeText, enclosure: identity.enclosure)
      }
      draft.identity = identity
      draft.guid = identity.guid(under: rule)
      draft.recordName = ArticleIdentity.recordName(feed: other.feedRecordName, guid: draft.guid)
      draft.wasStored = draft.isForgotten(by: other.undated)
      return draft
    }
    guids = other.guids.subtracting(other.drafts.map(\.guid)).union(drafts.map(\.guid))
  }

  /// The rule under which an item has another name than an article of the same name that is that of another item. `nil`
  /// for an article that can be the item's.
  func ruleToSeparate(_ draft: ArticleDraft, from record: Record, _ mapping: ArticleRecordMapping)
    -> ItemIDRule?
  {
    guard let identity = draft.identity, let rule = rule.map({ max($0, identity.lowestRule) }) else {
      return nil
    }
    let date = record[mapping.published]?.timestamp
    guard rule < .date, !isEqual(draft, record), draft.published.map({ $0 != date }) ?? true else {
      return nil
    }
    if draft.published != nil, !mustBeUnique(identity) {
      if isNextFile(draft, after: record) || rule == .title && hasLeft(date) { return .date }
    }
    guard rule < .title, draft.title != record["title"]?.string else { return nil }
    if isOneItem, !identity.declaresID { return .title }
    let stored = site?.identifying(record["url"]?.string)
    if let link = identity.link, let stored {
      let isOther = ItemAddress.likeness(link) != ItemAddress.likeness(stored)
      return isOther && rule < .link ? .link : nil
    }
    // Without links nothing but title and date is left to compare.
    guard identity.link == nil, stored == nil else { return rule < .link ? .link : nil }
    return mustBeUnique(identity) ? nil : .title
  }

  private func mustBeUnique(_ identity: ItemIdentity) -> Bool { identity.declaresID && idsAreUnique }

  /// An item of this date would still be listed, if it were not older than all others: it was not edited, but left.
  private func hasLeft(_ date: Timestamp?) -> Bool {
    guard isComplete, let date, let oldest, !mayDateItself else { return false }
    return date < oldest
  }

  /// In a list of one item, another file of another date is the next episode, whatever its id.
  private func isNextFile(_ draft: ArticleDraft, after record: Record) -> Bool {
    guard isOneItem, let file = draft.enclosureURL, let former = record["enclosureURL"]?.string else {
      return false
    }
    return ItemAddress.likeness(file) != ItemAddress.likeness(former)
  }

  private func isEqual(_ draft: ArticleDraft, _ record: Record) -> Bool {
    let enclosure = record["enclosureURL"]?.string
    return record["contentHash"]?.string == draft.contentHash
      && (enclosure == nil || enclosure == draft.enclosureURL)
  }
}

extension ArticleDraft {
  /// Whether memory shows that the item was stored, though it has no usable date and is not found.
  func isForgotten(by undated: Set<Int64>) -> Bool {
    published == nil && undated.contains(ArticleIdentity.digest(of: recordName))
  }
}

extension FeedMetadata {
  /// The rule of the feed so far.
  var idRule: ItemIDRule { itemIDRule.flatMap { ItemIDRule(rawValue: Int(clamping: $0)) } ?? .id }
}

/// The bytes of a document, before its items are read.
public struct ArticleBody: Sendable {
  let digest: String
  /// What is known of the items, where their articles are stored.
  let coverage: ArticleCoverage?
  /// An earlier run stored the articles of exactly these bytes, so that their content need not be read.
  public var isStored: Bool { coverage != nil }
  /// What that run knew of the document, while it and the feed's state hold: then it need not be parsed.
  public let facts: DocumentFacts?

  /// - Parameters:
  ///   - bytes: as they were sent.
  ///   - source: what else decides how the bytes are read: the address and the declared type.
  public init(
    _ bytes: [UInt8], from source: [String?], of metadata: FeedMetadata, options: ArticleOptions,
    at now: Timestamp
  ) {
    let origin = source.map { $0 ?? "" }.joined(separator: "\n")
    digest = String(SHA256.hex("\(origin)\n\(SHA256.hex(bytes))").prefix(16))
    let coverage = ArticleCoverage(metadata.articlesValidator)
    guard let coverage, coverage.covers(body: digest, options) else {
      (self.coverage, facts) = (nil, nil)
      return
    }
    self.coverage = coverage
    facts = coverage.facts(of: metadata, at: now)
  }
}

/// Chooses the items of a document that are to be stored.
private struct ArticleSelection {
  private(set) var drafts: [ArticleDraft] = []
  var counts = ArticleCounts()
  private(set) var decisions: [ArticleDecision] = []
  private let options: ArticleOptions
  private let feedRecordName: String
  private let undated: Set<Int64>
  private let now: Timestamp
  private(set) var guids: Set<String> = []

  init(_ metadata: FeedMetadata, options: ArticleOptions, at now: Timestamp) {
    self.options = options
    self.now = now
    feedRecordName = metadata.feedRecordName
    undated = Set(metadata.undatedItems)
  }

  /// - Parameter isStored: the item is as in the document whose articles are stored. It then needs no work, unless only
  ///   memory would show later that it was purged.
  /// - Returns: false if the item has no article of its own.
  mutating func add(_ index: Int, _ names: ItemNames, in feed: ParsedFeed, isStored: Bool) -> Bool {
    let item = feed.items[index]
    guard let guid = names.guids[index] else {
      counts.noIdentity += 1
      return skip(item.titleText ?? "", "it has nothing that identifies it")
    }
    guard !names.repeated.contains(index) else {
      counts.repeated += 1
      return skip(guid, "another item of the document has the same id")
    }
    guids.insert(guid)
    let date = (item.published ?? item.updated).map { Timestamp(milliseconds: $0.milliseconds) }
    // Without a date, or with one in the future, nothing but memory shows that an item was purged.
    let usable = date.flatMap { $0 > now || $0.milliseconds <= 0 ? nil : $0 }
    if isStored, usable != nil {
      counts.same += 1
      decide(guid, .same)
      return true
    }
    if let date, now.since(date) > options.lifetime {
      counts.tooOld += 1
      return skip(guid, "it is older than articles are kept")
    }
    var draft = ArticleDraft(
      item, guid: guid, title: item.titleText, in: feed, feedRecordName: feedRecordName,
      content: options.content, isShared: options.mapping.isShared)
    if !names.identities.isEmpty { draft.identity = names.identities[index] }
    draft.published = usable
    draft.wasStored = draft.isForgotten(by: undated)
    drafts.append(draft)
    return true
  }

  private mutating func skip(_ guid: String, _ reason: String) -> Bool {
    decide(guid, .skipped(reason))
    return false
  }

  private mutating func decide(_ guid: String, _ outcome: ArticleDecision.Outcome) {
    if options.explains {
      decisions.append(ArticleDecision(feed: feedRecordName, guid: guid, outcome: outcome))
    }
  }
}

internal import Catalog
package import CloudKitModel
internal import Diagnostics
internal import FeedFetching
package import FeedParsing
package import FeedState

/// The items of one fetched document, ready to be stored.
package struct ArticleDocument: Sendable {
  package let feedRecordName: String
  package let feedURL: String
  /// Empty for a document whose items are stored already.
  private(set) var drafts: [ArticleDraft] = []
  /// What is known without asking the container.
  let counts: ArticleCounts
  private(set) var decisions: [ArticleDecision] = []
  /// Of the items in document order.
  let itemsDigest: String
  let bodyDigest: String
  /// The number of items that are looked up and may be written.
  package var itemsToStore: Int { drafts.count }
  /// The ids that the document lists; empty without drafts.
  private(set) var guids: Set<String> = []
  /// What the state is to keep of the document; `nil` for one that is parsed each time.
  let facts: DocumentFacts?
  /// The state says already what the document says, so the document was not parsed.
  let isRepeated: Bool
  /// The feed's articles are stored at another content level.
  private(set) var isOtherLevel = false
  /// False for a document that was cut: no item counts as gone from it, and the next run needs it again.
  private(set) var isComplete = true

  /// The rule that tells the feed's items apart; `nil` where no item was read, or another program decides about guids.
  private(set) var rule: ItemIDRule?
  /// The state says the feed's rule.
  private(set) var hasRule = true
  /// The feed has a state: an earlier run may have stored its articles.
  private(set) var hasState = true
  /// All items are younger than the last fetch, so that the feed may date them with the time of the fetch. One item alone
  /// says nothing.
  private(set) var mayDateItself = false
  /// The document lists one item alone, so that no other item shows what became of the one before.
  private(set) var isOneItem = false
  /// How many items have a link, by those links that identify something.
  private(set) var links: [String: Int] = [:]
  private(set) var sharedDates: Set<Timestamp> = []
  /// How many items without a title have a text.
  private var untitledTexts: [String: Int] = [:]
  /// The dates of the two oldest items.
  private var oldest: [Timestamp] = []
  private var site: ChannelLink?
  /// The feed's format demands unique ids, and the feed has them.
  private var idsAreUnique = false
  private var undated: Set<Int64> = []

  /// - Parameters:
  ///   - feed: with the items' content, unless the articles of the body are stored.
  ///   - facts: `nil` if the document must be parsed each time.
  ///   - metadata: what earlier runs recorded about the feed.
  ///   - now: when the document was fetched.
  package init(
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
    isComplete = feed.isComplete
    let coverage = ArticleCoverage(metadata.articlesValidator)
    isOtherLevel = coverage?.isOtherLevel(options) ?? false
    let channel = ChannelLink(feed)
    let digests =
      body.isStored
      ? []
      : ItemDigest.all(
        of: feed, channel, under: metadata.idRule,
        after: metadata.lastFetchSuccess ?? now - ArticleOptions.changeInterval)
    if let coverage, body.isStored || coverage.covers(digests, options) {
      counts = coverage.counts(listed: feed.items.count)
      itemsDigest = String(coverage.items)
      return
    }
    var reading = ArticleSelection(metadata, options: options, at: now)
    reading.counts.listed = feed.items.count
    let known = coverage?.knownItems(options) ?? []
    reading.storesLess = coverage?.isOfLonger(options) ?? false
    let names = ItemNames(feed, after: metadata.idRule, isShared: options.mapping.isShared)
    let skipped = zip(feed.items.indices, digests).map { index, digest in
      !reading.add(index, names, in: feed, isStored: known.contains(digest.lasting[...]))
    }
    let isByDate = names.rule.map { $0 >= .date } ?? false
    itemsDigest = ArticleCoverage.joined(isByDate ? digests.map(\.byDate) : digests, skipped: skipped)
    drafts = reading.drafts
    untitledTexts = Dictionary(
      reading.drafts.filter { $0.title == nil }.map { ($0.wholeText, 1) }, uniquingKeysWith: +)
    guids = reading.drafts.isEmpty ? [] : reading.guids
    counts = reading.counts
    decisions = reading.decisions
    rule = names.rule
    site = channel
    idsAreUnique = feed.format.demandsUniqueIDs && names.rule == .id
    undated = Set(metadata.undatedItems)
    isOneItem = feed.items.count == 1 && feed.isComplete
    for (index, identity) in names.identities.enumerated() where !names.repeated.contains(index) {
      if let link = identity.link { links[link, default: 0] += 1 }
    }
    let dates = names.identities.compactMap { $0.date.map { Timestamp(milliseconds: $0.milliseconds) } }
    oldest = Array(dates.sorted().prefix(2))
    sharedDates = Set(Dictionary(grouping: dates, by: \.self).filter { $1.count > 1 }.keys)
    if let lastFetch = metadata.lastFetchSuccess, dates.count > 1, dates.count == names.identities.count {
      mayDateItself = dates.allSatisfy { $0 > lastFetch }
    }
  }

  /// A document that an earlier run parsed and stored.
  package init(repeated body: ArticleBody, _ facts: DocumentFacts, of feedRecordName: String, url: String) {
    self.feedRecordName = feedRecordName
    feedURL = url
    counts = body.coverage?.counts(listed: facts.items) ?? ArticleCounts()
    itemsDigest = body.coverage.map { String($0.items) } ?? ""
    bodyDigest = body.digest
    self.facts = facts
    isRepeated = true
  }

  /// The document with the guids of a stricter rule.
  func named(by rule: ItemIDRule) -> ArticleDocument {
    var document = self
    document.rule = rule
    document.idsAreUnique = false
    for (index, draft) in drafts.enumerated() {
      guard var identity = draft.identity else { continue }
      if rule == .content {
        identity.content = ItemIdentity.contentDigest(text: draft.wholeText, enclosure: identity.enclosure)
      }
      document.drafts[index] = copy(of: draft) {
        $0.identity = identity
        $0.guid = identity.guid(under: rule)
        $0.recordName = CatalogRecordNames.article(feed: feedRecordName, guid: $0.guid)
        $0.wasStored = $0.isForgotten(by: undated)
      }
    }
    document.guids = guids.subtracting(drafts.map(\.guid)).union(document.drafts.map(\.guid))
    return document
  }

  /// Whether the document lists an id of exactly these bytes: to Swift, `é` in one character and in two are equal.
  func lists(_ guid: String) -> Bool {
    guids.firstIndex(of: guid).map { guids[$0].utf8.elementsEqual(guid.utf8) } ?? false
  }

  /// Whether an earlier run found this article under another id than that of the item, which had no usable date.
  func remembers(_ record: Record, of draft: ArticleDraft) -> Bool {
    undated.contains(draft.digest(with: record))
  }

  // MARK: Other items of one name

  /// The rule under which an item has another name than an article of the same name that is that of another item. `nil`
  /// for an article that can be the item's.
  func ruleToSeparate(_ draft: ArticleDraft, from record: Record, _ mapping: ArticleRecordMapping)
    -> ItemIDRule?
  {
    guard let identity = draft.identity, let rule = rule.map({ max($0, identity.lowestRule) }),
      rule < .content,
      isAnother(draft, identity, rule, than: record, of: record[mapping.published]?.timestamp)
    else { return nil }
    if rule < .link, identity.link != identifyingLink(of: record) { return .link }
    if rule < .title, draft.title != record["title"]?.string { return .title }
    return rule < .date && draft.published != nil ? .date : .content
  }

  /// Whether an item is another one than that of an article of its name. A corrected title, link or date is none; what
  /// neither has says nothing.
  private func isAnother(
    _ draft: ArticleDraft, _ identity: ItemIdentity, _ rule: ItemIDRule, than record: Record,
    of date: Timestamp?
  ) -> Bool {
    let hasText = record["contentHash"]?.string == draft.contentHash
    let file = record["enclosureURL"]?.string
    let hasOtherDate = draft.published != nil && draft.published != date
    guard !hasText || file != nil && file != draft.enclosureURL else { return false }
    let mayBeAnother = hasOtherDate || draft.isUndated
    // The article is that of another listed item: the ids have moved. A date of several items does not say otherwise.
    if mayBeAnother || draft.published.map(sharedDates.contains) ?? false,
      let former = identifyingLink(of: record), links[former] != nil,
      Self.areLike(identity.link, former) == false
    {
      return true
    }
    guard mayBeAnother else { return false }
    let mustBeUnique = identity.declaresID && idsAreUnique
    let hasTitle = draft.title == record["title"]?.string
    if rule == .id && identity.declaresID {
      switch Self.areLike(identity.link, identifyingLink(of: record)) {
      case true?: break
      case false?:
        let isSame = draft.title == nil ? !hasOtherDate && hasOwnText(draft, record) : hasTitle
        if !isSame { return true }
      case nil: if !hasTitle, !mustBeUnique { return true }
      }
    } else if identity.link == nil, !hasTitle {
      return true
    }
    guard !mustBeUnique else { return false }
    if isOneItem || identity.id == nil {
      // Another file is the next episode, where no other item says otherwise. Of one without a date a parameter may change.
      let part = { (address: String) in
        String(draft.published == nil ? address.prefix { $0 != "?" } : address[...])
      }
      if let file, let own = draft.enclosureURL, Self.areLike(part(own), part(file)) == false { return true }
    }
    if isOneItem, !identity.declaresID, !hasText, hasOtherDate || !hasTitle { return true }
    return rule == .title && hasLeft(draft, date)
  }

  /// Text and file of an item without a title are those of the article, and no other item's of the list.
  private func hasOwnText(_ draft: ArticleDraft, _ record: Record) -> Bool {
    !isOneItem && !draft.wholeText.isEmpty && draft.enclosureURL == record["enclosureURL"]?.string
      && draft.hasText(of: record) && untitledTexts[draft.wholeText] == 1
  }

  /// Whether two addresses are alike; `nil` if both are absent.
  private static func areLike(_ one: String?, _ other: String?) -> Bool? {
    guard let one, let other else { return one == nil && other == nil ? nil : false }
    return ItemAddress.likeness(one) == ItemAddress.likeness(other)
  }

  /// An item of the article's date would still be listed, if that were not older than all others: it was not edited, but
  /// left.
  private func hasLeft(_ draft: ArticleDraft, _ date: Timestamp?) -> Bool {
    guard isComplete, !mayDateItself, let date, let published = draft.published else { return false }
    guard let other = oldest.first(where: { $0 != published }) else { return date < published }
    return date < other && other < published
  }

  /// The address of an article, as far as it identifies an item.
  func identifyingLink(of record: Record) -> String? { site?.identifying(record["url"]?.string) }
}

extension ArticleDraft {
  /// Whether memory shows that the item was stored when it had no usable date, or when its date lay ahead.
  func isForgotten(by undated: Set<Int64>) -> Bool {
    undated.contains(digest(with: published))
  }

  /// What memory keeps in addition of an item whose date lies ahead. It says that it is this item when the date has come.
  var digestAhead: Int64? {
    identity?.date.map { digest(with: Timestamp(milliseconds: $0.milliseconds)) }
  }

  /// What memory keeps of the item.
  func digest(with date: Timestamp?) -> Int64 {
    ArticleIdentity.digest(of: recordName) ^ (date?.milliseconds ?? 0)
  }

  /// What memory keeps of the item if its article has another name.
  func digest(with record: Record) -> Int64 {
    ArticleIdentity.digest(of: recordName) ^ ArticleIdentity.digest(of: record.recordName)
  }
}

extension FeedMetadata {
  var idRule: ItemIDRule { itemIDRule.flatMap { ItemIDRule(rawValue: Int(clamping: $0)) } ?? .id }
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
  /// Articles were kept longer so far.
  var storesLess = false
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
    guard let guid = names.guids[index] else { return decide(item.titleText ?? "", .noIdentity) }
    guard !names.repeated.contains(index) else { return decide(guid, .repeated) }
    guids.insert(guid)
    let date = (item.published ?? item.updated).map { Timestamp(milliseconds: $0.milliseconds) }
    // Without a date, or with one in the future, only memory and the covered document show that an item was purged.
    let usable = date.flatMap { $0 > now ? nil : $0 }
    let isTooOld = date.map { now.since($0) > options.lifetime } ?? false
    if isStored, usable != nil, !(isTooOld && storesLess) { return decide(guid, .same) }
    if isTooOld { return decide(guid, .tooOld) }
    var draft = ArticleDraft(
      item, guid: guid, title: item.titleText, in: feed, feedRecordName: feedRecordName,
      content: options.content, isShared: options.mapping.isShared)
    if !names.identities.isEmpty { draft.identity = names.identities[index] }
    draft.published = usable
    draft.wasStored = isStored || draft.isForgotten(by: undated)
    drafts.append(draft)
    return true
  }

  /// Returns whether the item has an article of its own.
  private mutating func decide(_ guid: String, _ outcome: ArticleDecision.Outcome) -> Bool {
    counts.add(outcome)
    if options.explains {
      decisions.append(ArticleDecision(feed: feedRecordName, guid: guid, outcome: outcome))
    }
    return outcome == .same
  }
}

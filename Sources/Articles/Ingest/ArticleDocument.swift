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
  /// When an earlier run fetched the feed: an item that is older is not expected to be new.
  let lastFetch: Timestamp?
  /// What the state is to keep of the document; `nil` for one that is parsed each time.
  let facts: DocumentFacts?
  /// The state says already what the document says, so the document was not parsed.
  let isRepeated: Bool
  /// The document lists items of the one whose articles are stored.
  let recognizesItems: Bool
  /// The feed's articles are stored at another content level.
  let isOtherLevel: Bool

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
    lastFetch = metadata.lastFetchSuccess
    bodyDigest = body.digest
    self.facts = facts
    isRepeated = false
    var reading = ArticleSelection(metadata, options: options, at: now)
    let coverage = ArticleCoverage(metadata.articlesValidator)
    isOtherLevel = coverage?.isOtherLevel(options) ?? false
    let digests = body.isStored ? [] : feed.items.map(ArticleCoverage.digest)
    if let coverage, body.isStored || coverage.covers(digests, options) {
      reading.counts = coverage.counts(listed: feed.items.count)
      recognizesItems = true
      itemsDigest = String(coverage.items)
    } else {
      reading.counts.listed = feed.items.count
      let known = coverage?.knownItems(options) ?? []
      let skipped = zip(feed.items, digests).map { item, digest in
        !reading.add(item, in: feed, isStored: known.contains(digest[...]))
      }
      recognizesItems = reading.counts.same > 0
      itemsDigest = ArticleCoverage.joined(digests, skipped: skipped)
    }
    drafts = reading.drafts
    guids = reading.drafts.isEmpty ? [] : reading.guids
    counts = reading.counts
    decisions = options.explains ? reading.decisions : []
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
    lastFetch = nil
    isOtherLevel = false
    self.facts = facts
    isRepeated = true
    recognizesItems = true
  }
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
  mutating func add(_ item: FeedItem, in feed: ParsedFeed, isStored: Bool) -> Bool {
    let isShared = options.mapping.isShared
    guard let guid = ArticleIdentity.guid(of: item, title: title(of: item), normalizesLink: !isShared) else {
      counts.noIdentity += 1
      return skip(title(of: item) ?? "", "it has no id, no link, and no title with a date")
    }
    guard guids.insert(guid).inserted else {
      counts.repeated += 1
      return skip(guid, "an item before it has the same id")
    }
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
      item, guid: guid, title: title(of: item), in: feed, feedRecordName: feedRecordName,
      content: options.content,
      isShared: isShared)
    draft.published = usable
    draft.wasStored =
      draft.published == nil && undated.contains(ArticleIdentity.digest(of: draft.recordName))
    drafts.append(draft)
    return true
  }

  private func title(of item: FeedItem) -> String? { item.titleText }

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

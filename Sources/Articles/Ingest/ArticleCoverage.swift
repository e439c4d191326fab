internal import CloudKitModel
internal import Cryptography
package import FeedFetching
internal import FeedParsing
package import FeedState

/// Which document the stored articles of a feed cover: the value of `articlesValidator`
/// (Documentation/reference/articles.md#coverage).
struct ArticleCoverage {
  private let version: Substring
  fileprivate let content: Substring
  /// In seconds.
  private let lifetime: Substring
  private var validators: Substring
  /// How many items have no article, and why.
  private let skipped: Substring
  let body: Substring
  /// ``DocumentFacts`` and the digest of the state's findings; empty for a document that is parsed each time.
  private let facts: Substring
  /// The digests of the items in document order, without separators.
  let items: Substring

  /// `nil` for an absent or unreadable value.
  init?(_ stored: String?) {
    // By bytes, and not through the items: a run reads this of every feed, and characters take ten times as long.
    guard
      let parts = stored?.utf8.split(
        separator: UInt8(ascii: ";"), maxSplits: 7, omittingEmptySubsequences: false),
      parts.count == 8
    else { return nil }
    (version, content, lifetime) = (Substring(parts[0]), Substring(parts[1]), Substring(parts[2]))
    (validators, skipped, body) = (Substring(parts[3]), Substring(parts[4]), Substring(parts[5]))
    (facts, items) = (Substring(parts[6]), Substring(parts[7]))
  }

  /// - Parameters:
  ///   - counts: those of the items without an article are kept.
  ///   - facts: of the document, with the feed's new state; `nil` for a document that is parsed each time.
  init(
    _ validators: FeedValidators, items: String, counts: ArticleCounts, body: String,
    facts: (DocumentFacts, FeedMetadata)?, _ options: ArticleOptions
  ) {
    self.facts = facts.map { Substring("\($0.text),\($1.findingsDigest)") } ?? ""
    self.body = Substring(body)
    self.items = Substring(items)
    self.validators = Self.digest(validators)
    skipped = Substring(counts.skippedText)
    version = Substring(ArticleOptions.versionText)
    content = Substring(options.content.rawValue)
    lifetime = Substring(Self.seconds(options.lifetime))
  }

  var text: String {
    "\(version);\(content);\(lifetime);\(validators);\(skipped);\(body);\(facts);\(items)"
  }

  /// The value for a feed whose last document is not covered: it says the content level alone.
  static func uncovered(content: some StringProtocol) -> String {
    "\(ArticleOptions.versionText);\(content);;;;;;"
  }

  /// The stored articles must be written again, because another content level is wanted.
  func isOtherLevel(_ options: ArticleOptions) -> Bool { content != options.content.rawValue }

  /// What is counted of the covered document.
  func counts(listed: Int) -> ArticleCounts { ArticleCounts(listed: listed, skippedText: skipped) }

  /// The same document, sent with other validators; `nil` for none that may be sent, as after another document.
  func renewed(for validators: FeedValidators?) -> ArticleCoverage {
    var renewed = self
    renewed.validators = validators.map(Self.digest) ?? ""
    return renewed
  }

  /// What the covered document says; `nil` if it must be parsed again.
  func facts(of metadata: FeedMetadata, at now: Timestamp) -> DocumentFacts? {
    guard let end = facts.utf8.lastIndex(of: UInt8(ascii: ",")),
      facts[facts.utf8.index(after: end)...] == metadata.findingsDigest[...]
    else { return nil }
    return DocumentFacts(facts[..<end]).flatMap { $0.hold(at: now) ? $0 : nil }
  }

  /// Whether a document of these bytes needs no work. A run that explains itself decides about each item.
  func covers(body: String, _ options: ArticleOptions) -> Bool {
    isCurrent(options) && !options.explains && body == self.body
  }

  /// Whether a document needs no work whose items have these digests.
  func covers(_ digests: [ItemDigest], _ options: ArticleOptions) -> Bool {
    guard isCurrent(options), !options.explains else { return false }
    guard digests.count <= Self.maxItems else { return items == Self.joined(digests, skipped: []) }
    let own = elements
    return own.count == digests.count
      && zip(own, digests).allSatisfy {
        $0 == $1.lasting || $0.first == Self.skippedMark && $0.dropFirst() == $1.whole.dropFirst()
      }
  }

  /// The digests of the document's items that have articles, or had them. What a longer lifetime covered is known, too.
  func knownItems(_ options: ArticleOptions) -> Set<Substring> {
    isCurrent(options) || isOfLonger(options) ? Set(elements) : []
  }

  /// Articles were kept longer when the document was stored.
  func isOfLonger(_ options: ArticleOptions) -> Bool {
    version == ArticleOptions.versionText && content == options.content.rawValue
      && Int64(lifetime).map { $0 > options.lifetime.components.seconds } ?? false
  }

  private var elements: [Substring] {
    stride(from: 0, to: items.utf8.count, by: Self.digestLength).map { start in
      Substring(items.utf8.dropFirst(start).prefix(Self.digestLength))
    }
  }

  /// Of everything that an article is made of: 40 bits, as 10 digits.
  static func digest(of item: FeedItem, hasID: Bool = true, hasDate: Bool = true) -> String {
    var bytes: [UInt8] = []
    func add(_ text: String?) {
      if let text { bytes += text.utf8 }
      bytes.append(0)
    }
    add(hasID ? item.id : nil)
    add(item.title)
    add(item.url)
    add(item.author)
    add(item.summary)
    add(item.content)
    add(item.enclosure)
    add(hasDate ? (item.published ?? item.updated).map { String($0.milliseconds) } : nil)
    return SHA256.digest(bytes).prefix(digestLength / 2).hexadecimal
  }

  /// The digests of a document's items in their order, those without an article marked; of a long document one for all.
  static func joined(_ digests: [ItemDigest], skipped: [Bool]) -> String {
    guard digests.count <= maxItems else {
      return String(SHA256.hex(digests.map(\.whole).joined()).prefix(digestLength))
    }
    return zip(digests, skipped).map { $1 ? "\(skippedMark)\($0.whole.dropFirst())" : $0.lasting }.joined()
  }

  private static let skippedMark: Character = "-"
  private static let digestLength = 10
  /// The value has 10 KB then, which each run reads: a limit of our own, because a record may have 1 MB.
  private static let maxItems = 1000

  /// Whether a 304 to these validators loses nothing. Compares only the beginning, because a run asks this of every feed.
  static func covers(_ validators: FeedValidators, _ options: ArticleOptions, in stored: String?) -> Bool {
    guard let stored else { return false }
    let (version, content) = (ArticleOptions.versionText, options.content.rawValue)
    let start = "\(version);\(content);\(seconds(options.lifetime));\(digest(validators));"
    return stored.utf8.starts(with: start.utf8)
  }

  private func isCurrent(_ options: ArticleOptions) -> Bool {
    version == ArticleOptions.versionText && content == options.content.rawValue
      && lifetime == Self.seconds(options.lifetime)
  }

  private static func seconds(_ lifetime: Duration) -> String { String(lifetime.components.seconds) }

  private static func digest(_ validators: FeedValidators) -> Substring {
    SHA256.hex("\(validators.etag ?? "")\n\(validators.lastModified ?? "")").prefix(16)
  }
}

/// What a feed's state remembers of an item.
struct ItemDigest: Sendable, Hashable {
  /// Of everything that an article is made of.
  let whole: String
  /// The same for an item that the feed lists with another date, or, if the feed dates its items itself, with another id.
  var lasting: String

  /// - Parameter rule: the feed's rule so far.
  static func all(
    of feed: ParsedFeed, _ site: ChannelLink, under rule: ItemIDRule, after lastFetch: Timestamp
  ) -> [ItemDigest] {
    let dates = feed.items.compactMap { $0.published ?? $0.updated }
    let isDatedAnew =
      dates.count > 1 && dates.count == feed.items.count
      && dates.allSatisfy { $0.milliseconds > lastFetch.milliseconds }
    let links = feed.items.map { site.identifying($0.url) }
    let counts = Dictionary(links.map { ($0, 1) }, uniquingKeysWith: +)
    let digests = zip(feed.items, links).map { item, link in
      ItemDigest(
        whole: ArticleCoverage.digest(of: item),
        lasting: ArticleCoverage.digest(
          of: item, hasID: !isDatedAnew || link == nil || counts[link] != 1, hasDate: false))
    }
    // Dates tell these items apart.
    let isByDate = rule >= .date || Set(digests.map(\.lasting)).count < digests.count
    return isByDate ? digests.map(\.byDate) : digests
  }

  var byDate: ItemDigest { ItemDigest(whole: whole, lasting: whole) }
}

/// What storing a document's items left behind for the feed's state.
package struct StoredDocument: Sendable, Hashable {
  /// Every item of the document is stored, or can never be.
  var isComplete: Bool
  /// No change of its articles is left to write.
  var isWritten = true
  var counts = ArticleCounts()
  var itemsDigest: String
  var bodyDigest: String
  var facts: DocumentFacts?
  var isRepeated = false
  /// The rule that tells the feed's items apart; `nil` where no item was read.
  var rule: ItemIDRule?
  /// Digests of the document's items without a usable date.
  var undated: [Int64] = []

  private static let maxUndated = 500

  /// Whether there is nothing to put into a feed's new state, so that it need not be made again.
  package func isRecorded(in next: FeedMetadata, after previous: FeedMetadata) -> Bool {
    isComplete && isRepeated && next.validators == previous.validators
  }

  /// Puts into a feed's new state which document the articles cover.
  ///
  /// - Parameters:
  ///   - previous: the state before the document was fetched.
  ///   - keepsCoverage: whether the state has a field for it; without one the validators say it, which stay those of the
  ///     last complete document.
  package func record(
    in next: inout FeedMetadata, after previous: FeedMetadata, keepsCoverage: Bool, _ options: ArticleOptions
  ) {
    let older = next.undatedItems.filter { !undated.contains($0) }
    next.undatedItems = Array((undated + older).prefix(Self.maxUndated))
    if let rule { next.itemIDRule = max(next.itemIDRule ?? 0, Int64(rule.rawValue)) }
    guard keepsCoverage else {
      if !isComplete { next.validators = previous.validators }
      return
    }
    guard isComplete else {
      // Until every article is written again, the feed keeps the level that some of them have.
      let former = isWritten ? nil : ArticleCoverage(previous.articlesValidator)?.content
      next.articlesValidator = ArticleCoverage.uncovered(content: former ?? options.content.rawValue[...])
      return
    }
    next.articlesValidator =
      ArticleCoverage(
        next.validators, items: itemsDigest, counts: counts, body: bodyDigest,
        facts: facts.map { ($0, next) }, options
      ).text
  }
}

extension ArticleOptions {
  /// The validators to send for a feed: those of a document whose articles are stored, else none, so that the server
  /// sends the document.
  ///
  /// - Parameter keepsCoverage: see ``StoredDocument/record(in:after:keepsCoverage:_:)``.
  package func validators(of metadata: FeedMetadata, keepsCoverage: Bool) -> FeedValidators {
    let isCovered = ArticleCoverage.covers(metadata.validators, self, in: metadata.articlesValidator)
    // Without the field, only a profile with shared validators says that the articles are stored.
    return isCovered || !keepsCoverage && mapping.isShared ? metadata.validators : FeedValidators()
  }

  /// A check that stores nothing has read a document: if it is another than the covered one, and has the same validators, a
  /// 304 to them says nothing about the items.
  package static func recordUnstored(_ bodyDigest: String, in next: inout FeedMetadata) {
    guard let coverage = ArticleCoverage(next.articlesValidator), coverage.body != bodyDigest else { return }
    next.articlesValidator = coverage.renewed(for: nil).text
  }

  /// After a 304 the articles cover the same document, whose validators the answer may have renewed.
  package func recordNotModified(in next: inout FeedMetadata, after previous: FeedMetadata) {
    guard next.validators != previous.validators,
      ArticleCoverage.covers(previous.validators, self, in: previous.articlesValidator),
      let coverage = ArticleCoverage(previous.articlesValidator)
    else { return }
    next.articlesValidator = coverage.renewed(for: next.validators).text
  }
}

internal import Catalog
internal import CloudKitModel
internal import Diagnostics
internal import FeedFetching
internal import FeedParsing

/// An item as it would be stored.
struct ArticleDraft: Sendable {
  var guid: String
  var recordName: String
  var title: String?
  var url: String?
  var author: String?
  /// `nil` for an item without a usable date.
  var published: Timestamp?
  var excerpt: String
  /// The text to store; that of an excerpt is the excerpt.
  var text: String
  /// Empty for an excerpt.
  var html = ""
  var words: Int
  var tags: [String]
  var imageURL: String?
  var language: String?
  var contentHash: String
  /// The text or the HTML is not whole.
  private(set) var isCut: Bool
  /// The first file that the item attaches.
  var enclosureURL: String?
  /// Title and text as the item has them, of which ``contentHash`` is made.
  let wholeTitle: String?
  let wholeText: String
  /// `nil` where another program decides about guids.
  var identity: ItemIdentity?
  /// An earlier run has stored the item, which had no usable date: if no article is found, it was purged.
  var wasStored = false

  /// Bytes of a record's texts at most, below the limit of CloudKit for a record.
  static let maxBytes = 900_000
  /// Bytes of the text when the record would be larger.
  static let maxTextBytes = 64 << 10
  static let maxExcerpt = 300
  /// Bytes of an excerpt: a character may have any number of accents.
  private static let maxExcerptBytes = 8 << 10
  private static let maxTitle = 1000
  private static let maxTags = 20
  private static let maxTag = 100
  private static let maxAuthor = 300
  private static let maxAddress = 2048

  /// - Parameter feed: the feed that lists the item, for what it says about all its items.
  init(
    _ item: FeedItem, guid: String, title: String?, in feed: ParsedFeed, feedRecordName: String,
    content: ArticleOptions.Content, isShared: Bool
  ) {
    let base = [item.url, feed.siteURL, feed.documentURL].compactMap(\.self).first {
      HostName.origin(of: $0) != nil
    }
    let body = Self.body(item, base, keepsMarkup: content == .full)
    let summaryText = Self.summary(of: item) ?? body.text
    self.guid = guid
    wholeTitle = title
    wholeText = body.text
    // Apps load files as they load pictures: many do so by themselves.
    enclosureURL = item.enclosure.flatMap { HostName.isPublic($0) ? Self.address($0) : nil }
    recordName = CatalogRecordNames.article(feed: feedRecordName, guid: guid)
    self.title = title.map { ArticleText.cut(text: $0, to: Self.maxTitle) }
    url = Self.address(item.url)
    author = item.author.map { ArticleText.cut(text: $0, to: Self.maxAuthor) }
    excerpt = ArticleText.cut(text: Self.excerpt(of: summaryText), to: Self.maxExcerptBytes)
    words = WordCount.of(body.text)
    tags = Self.tags(item.categories)
    imageURL = [item.imageURL, body.imageURL].compactMap(\.self)
      .first(where: HostName.isPublic).flatMap(Self.address)
    language = (item.language ?? feed.language).flatMap(LanguageCodes.code)
    contentHash =
      isShared
      ? ArticleIdentity.sharedContentHash(title: item.title ?? "", url: item.url ?? "", guid: guid)
      : ArticleIdentity.contentHash(title: title, url: url, text: body.text)
    text = content == .full ? body.text : excerpt
    html = content == .full ? body.html : ""
    isCut = content == .full && item.isCut
    limitSize()
  }

  /// SHA-256 of the item's text, a line feed and the address of its first enclosure: the last part of the strictest
  /// ``ItemIDRule``.
  static func contentDigest(of item: FeedItem, in feed: ParsedFeed) -> String {
    let body = body(item, item.url ?? feed.siteURL, keepsMarkup: false)
    return ItemIdentity.contentDigest(text: body.text, enclosure: item.enclosure)
  }

  private static func body(_ item: FeedItem, _ base: String?, keepsMarkup: Bool) -> ArticleText {
    let content = item.content
    let text = content ?? item.summary ?? ""
    return (content == nil ? item.summaryIsPlain : item.contentIsPlain)
      ? ArticleText(plain: text, keepsMarkup: keepsMarkup)
      : ArticleText(html: text, baseURL: base, keepsMarkup: keepsMarkup, showsPicture: HostName.isPublic)
  }

  /// The text of the summary; `nil` without one, and where the summary is the content.
  private static func summary(of item: FeedItem) -> String? {
    guard item.content != nil, let summary = item.summary else { return nil }
    let text = item.summaryIsPlain ? ArticleText(plain: summary).text : ArticleText(html: summary).text
    return text.isEmpty ? nil : text
  }

  /// The first words on one line. Of a long text only the start is looked at.
  static func excerpt(of text: String) -> String {
    let isWhole = text.index(text.startIndex, offsetBy: maxExcerpt + 1, limitedBy: text.endIndex) == nil
    let head = isWhole ? text[...] : text.prefix(maxExcerpt - 1)
    let line = String(
      decoding: head.utf8.map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
    guard !isWhole else { return line }
    guard let end = line.utf8.lastIndex(of: UInt8(ascii: " ")),
      line.distance(from: line.startIndex, to: end) > maxExcerpt / 2
    else { return line + "…" }
    return line[..<end] + "…"
  }

  private static func tags(_ categories: [String]) -> [String] {
    let labels = categories.map(ArticleText.label).filter { !$0.isEmpty && $0.utf8.count <= maxTag }
    return Array(labels.unique.prefix(maxTags))
  }

  /// `nil` for anything but a web address of usual length that all programs read in the same way.
  private static func address(_ url: String?) -> String? {
    url.flatMap { url in
      let isWeb = HostName.origin(of: url) != nil && PlainWebAddress.isPlain(url.replacing(" ", with: "%20"))
      return isWeb && url.utf8.count <= maxAddress ? url : nil
    }
  }

  /// Cuts the text first, then the HTML.
  private mutating func limitSize() {
    let rest =
      [guid, title, url, enclosureURL, author, imageURL, language, excerpt, contentHash].reduce(2000) {
        $0 + ($1?.utf8.count ?? 0)
      } + tags.reduce(0) { $0 + $1.utf8.count + 8 }
    let room = Self.maxBytes - rest
    guard text.utf8.count + html.utf8.count > room else { return }
    isCut = true
    text = ArticleText.cut(text: text, to: Self.maxTextBytes)
    html = ArticleText.cut(html: html, to: max(0, room - text.utf8.count), original: url)
  }

  /// The date cannot separate the item from others, because it is absent or has no time of day.
  var isUndated: Bool { published.map { $0.milliseconds % 86_400_000 == 0 } ?? true }

  /// Title and text are those of which an article's hash is made, whatever its link.
  func hasText(of record: Record) -> Bool {
    record["contentHash"]?.string
      == ArticleIdentity.contentHash(title: wholeTitle, url: record["url"]?.string, text: wholeText)
  }

  /// The hash that the item has with its link in each scheme, and with and without `www.`.
  var contentHashes: [String] {
    let others = (url.map(ItemAddress.spellings(of:)) ?? []).map {
      ArticleIdentity.contentHash(title: wholeTitle, url: $0, text: wholeText)
    }
    return ([contentHash] + others).unique
  }

  /// The id that the item declares, where the guid is another.
  var otherGuid: String? {
    guard let identity, identity.declaresID, let id = identity.id, id != guid else { return nil }
    return id
  }

  /// The fields that follow from the item's content; `nil` clears one.
  func contentFields(_ mapping: ArticleRecordMapping, fetched now: Timestamp) -> [String: FieldValue?] {
    let fields: [String: FieldValue?] = [
      "guid": .string(guid), "title": title.map(FieldValue.string), "url": url.map(FieldValue.string),
      "author": author.map(FieldValue.string), "excerpt": Self.text(excerpt),
      "contentText": Self.text(text), "content": Self.text(html), "contentHash": .string(contentHash),
      "wordCount": .int64(Int64(words)),
      "estimatedReadingTime": .int64(Int64(WordCount.readingMinutes(words: words))),
      "imageURL": imageURL.map(FieldValue.string), "enclosureURL": enclosureURL.map(FieldValue.string),
      "language": language.map(FieldValue.string),
      "tags": tags.isEmpty ? nil : .list(of: .string, tags.map(FieldValue.string)),
      mapping.fetched: .timestamp(now),
    ]
    return fields.filter { !mapping.absent.contains($0.key) }
  }

  private static func text(_ text: String) -> FieldValue? { text.isEmpty ? nil : .string(text) }
}

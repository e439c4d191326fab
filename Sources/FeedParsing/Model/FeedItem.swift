internal import XMLReading

/// The items of a feed, in document order. Their texts are in one block of memory.
package struct FeedItems: RandomAccessCollection, Sendable, Equatable {
  let records: [ItemRecord]
  let storage: ItemStorage

  init() { self.init([], in: ItemStorage.empty) }

  init(_ records: [ItemRecord], in storage: ItemStorage) {
    self.records = records
    self.storage = storage
  }

  package var startIndex: Int { 0 }
  package var endIndex: Int { records.count }
  package subscript(position: Int) -> FeedItem {
    FeedItem(record: records[position], storage: storage, position: position)
  }

  package static func == (lhs: Self, rhs: Self) -> Bool { lhs.elementsEqual(rhs) }
}

/// One entry of a feed. Each access to a text creates a `String`, so keep a text that is needed more than once.
package struct FeedItem: Sendable {
  let record: ItemRecord
  let storage: ItemStorage
  let position: Int

  /// The declared id (guid, `atom:id`, `rdf:about`, JSON Feed `id`), or else the link, or else a hash of the item's text,
  /// so that an item has the same id in every run.
  package var id: String { storage.text(record.id) ?? "" }
  /// False when ``id`` is the link or a hash.
  package var idIsDeclared: Bool { record.idIsDeclared }
  package var title: String? { storage.text(record.title) }
  /// The title as one line of text, by the rules of the format (Documentation/reference/feeds.md#titles); `nil` without
  /// one. An Atom title that is plain text counts as one that may have markup unless ``FeedLimits/keepsArticles`` was set.
  package var titleText: String? {
    title.map { article?.titleIsPlain == true ? ArticleText.line($0) : ArticleText.title($0) }?.nonEmpty
  }
  package var url: String? { storage.text(record.url) }
  package var published: FeedDate? { record.published }
  package var updated: FeedDate? { record.updated }
  /// The names of all authors, joined by commas, without e-mail addresses.
  package var author: String? { storage.text(record.author) }
  package var summary: String? { storage.text(record.summary) }
  /// The length of the full content in UTF-8 bytes; of the summary when there is no content.
  package var contentLength: Int { record.contentLength }
  /// The address of the first file that the item attaches.
  package var enclosure: String? { storage.text(record.enclosure) }

  private var article: ArticleRecord? { storage.article(at: position) }

  /// The full content as in the document. `nil` unless ``FeedLimits/keepsArticles`` was set.
  package var content: String? { article.flatMap { storage.text($0.content) } }
  /// The document says that ``content`` is plain text, not HTML.
  package var contentIsPlain: Bool { article?.contentIsPlain ?? false }
  /// The document says that ``summary`` is plain text. False unless ``FeedLimits/keepsArticles`` was set.
  package var summaryIsPlain: Bool { article?.summaryIsPlain ?? false }
  /// The content, or without one the summary, is longer than ``FeedLimits/text``, and its end was dropped. False unless
  /// ``FeedLimits/keepsArticles`` was set.
  package var isCut: Bool { article?.isCut ?? false }
  /// In document order, at most 64. Empty unless ``FeedLimits/keepsArticles`` was set.
  package var categories: [String] { article.map(storage.categories) ?? [] }
  /// A picture that the item declares, else the first one that it attaches. `nil` unless ``FeedLimits/keepsArticles`` was
  /// set.
  package var imageURL: String? { article.flatMap { storage.text($0.image) } }
  /// The item's own language tag as declared. `nil` unless ``FeedLimits/keepsArticles`` was set.
  package var language: String? { article.flatMap { storage.text($0.language) } }

  /// True when there is a ``title``; does not create it.
  package var hasTitle: Bool { !record.title.isEmpty }
  /// True when there is a ``url``; does not create it.
  package var hasURL: Bool { !record.url.isEmpty }
}

extension FeedItem: Equatable {
  package static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.id == rhs.id && lhs.idIsDeclared == rhs.idIsDeclared && lhs.title == rhs.title && lhs.url == rhs.url
      && lhs.published == rhs.published && lhs.updated == rhs.updated && lhs.author == rhs.author
      && lhs.summary == rhs.summary && lhs.contentLength == rhs.contentLength
      && lhs.enclosure == rhs.enclosure && lhs.content == rhs.content
      && lhs.categories == rhs.categories && lhs.imageURL == rhs.imageURL && lhs.language == rhs.language
  }
}

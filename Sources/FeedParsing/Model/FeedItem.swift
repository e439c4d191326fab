internal import XMLReading

/// One entry of a feed.
///
/// The texts of all items of a feed are in one block of memory. Each access creates a `String`, so keep a text that is
/// needed more than once.
public struct FeedItem: Sendable {
  let record: ItemRecord
  let storage: ItemStorage

  init(_ record: ItemRecord, in storage: ItemStorage) {
    self.record = record
    self.storage = storage
  }

  /// An item without a document. An empty text counts as absent.
  public init(
    id: String = "", idIsDeclared: Bool = false, title: String? = nil, url: String? = nil,
    published: FeedDate? = nil, updated: FeedDate? = nil, author: String? = nil, summary: String? = nil,
    contentLength: Int = 0, enclosures: [FeedEnclosure] = []
  ) {
    var texts = ByteBuffer()
    let files = enclosures.map { EnclosureRecord($0, in: &texts) }
    record = ItemRecord(
      id: texts.add(id), title: texts.add(title), url: texts.add(url), author: texts.add(author),
      summary: texts.add(summary), published: published, updated: updated, contentLength: contentLength,
      idIsDeclared: idIsDeclared, enclosures: 0..<UInt32(files.count))
    storage = ItemStorage(texts: texts, enclosures: files)
  }

  /// The declared id (guid, `atom:id`, `rdf:about`, JSON Feed `id`), or else the link, or else a hash of the item's text,
  /// so that an item has the same id in every run.
  public var id: String { storage.text(record.id) ?? "" }
  /// False when ``id`` is the link or a hash.
  public var idIsDeclared: Bool { record.idIsDeclared }
  public var title: String? { storage.text(record.title) }
  public var url: String? { storage.text(record.url) }
  public var published: FeedDate? { record.published }
  public var updated: FeedDate? { record.updated }
  public var author: String? { storage.text(record.author) }
  public var summary: String? { storage.text(record.summary) }
  /// The length of the full content in UTF-8 bytes; of the summary when there is no content.
  public var contentLength: Int { record.contentLength }
  public var enclosures: [FeedEnclosure] { storage.enclosures(record.enclosures) }

  /// True when there is a ``title``; does not create it.
  public var hasTitle: Bool { !record.title.isEmpty }
  /// True when there is a ``url``; does not create it.
  public var hasURL: Bool { !record.url.isEmpty }
}

extension FeedItem: Equatable {
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.id == rhs.id && lhs.idIsDeclared == rhs.idIsDeclared && lhs.title == rhs.title && lhs.url == rhs.url
      && lhs.published == rhs.published && lhs.updated == rhs.updated && lhs.author == rhs.author
      && lhs.summary == rhs.summary && lhs.contentLength == rhs.contentLength
      && lhs.enclosures == rhs.enclosures
  }
}

/// A file attached to an item.
public struct FeedEnclosure: Sendable, Equatable {
  public var url: String
  /// The declared media type ("audio/mpeg").
  public var type: String?
  /// The declared length in bytes; `nil` when absent, zero or not a number.
  public var length: Int64?

  public init(url: String, type: String? = nil, length: Int64? = nil) {
    self.url = url
    self.type = type
    self.length = length
  }
}

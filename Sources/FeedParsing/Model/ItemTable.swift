internal import Cryptography
internal import XMLReading

/// The items of a feed while it is parsed. Their texts are stored elsewhere.
struct ItemTable {
  private(set) var records: [ItemRecord] = []
  /// The enclosures of all items, in order.
  private(set) var enclosures: [EnclosureRecord] = []

  /// Bytes of the longest author that items inherit: with many items, a longer one would make the output far larger
  /// than the document.
  static let maxInheritedAuthor = 256
  /// Enclosures kept of one item.
  private static let maxEnclosures = 64

  var count: Int { records.count }

  mutating func append(_ record: ItemRecord) { records.append(record) }

  /// True when the item may have another enclosure.
  func admitsEnclosure(_ record: ItemRecord) -> Bool { record.enclosures.count < Self.maxEnclosures }

  /// Adds an enclosure to the item that is being parsed.
  mutating func add(_ enclosure: EnclosureRecord, to record: inout ItemRecord) {
    enclosures.append(enclosure)
    let end = UInt32(enclosures.count)
    record.enclosures = (record.enclosures.isEmpty ? end - 1 : record.enclosures.lowerBound)..<end
  }

  /// Removes the enclosures of the item that is being parsed.
  mutating func removeEnclosures(of record: ItemRecord) { enclosures.removeLast(record.enclosures.count) }

  func enclosures(of record: ItemRecord) -> ArraySlice<EnclosureRecord> {
    enclosures[Int(record.enclosures.lowerBound)..<Int(record.enclosures.upperBound)]
  }

  /// Sets the author of items that have none.
  mutating func inherit(author: TextSpan) {
    for index in records.indices where records[index].author.isEmpty { records[index].author = author }
  }

  func items(texts: consuming ByteBuffer) -> FeedItems {
    FeedItems(records, in: ItemStorage(texts: texts, enclosures: enclosures))
  }

  /// The id of an item without an id and a link: a hash of its text.
  static func derivedID(title: String?, summary: String?, enclosure: String?) -> String {
    "sha256:" + SHA256.hex("\(title ?? "")\n\(summary ?? "")\n\(enclosure ?? "")")
  }
}

internal import Cryptography
internal import XMLReading

/// The items of a feed while they are read; their texts gather elsewhere.
struct ItemTable {
  private(set) var records: [ItemRecord] = []
  /// Of all items, in their order.
  private(set) var enclosures: [EnclosureRecord] = []

  /// A longer name of the feed's author would make too much of a document of many items when they are written out.
  static let inheritedAuthorLimit = 256
  /// Files kept of one item.
  private static let enclosureLimit = 64

  var count: Int { records.count }

  mutating func append(_ record: ItemRecord) { records.append(record) }

  /// Whether the item may have one more.
  func admitsEnclosure(_ record: ItemRecord) -> Bool { record.enclosures.count < Self.enclosureLimit }

  /// Adds a file to the item that is being read.
  mutating func add(_ enclosure: EnclosureRecord, to record: inout ItemRecord) {
    enclosures.append(enclosure)
    let end = UInt32(enclosures.count)
    record.enclosures = (record.enclosures.isEmpty ? end - 1 : record.enclosures.lowerBound)..<end
  }

  /// Forgets the files of the item that is being read.
  mutating func removeEnclosures(of record: ItemRecord) { enclosures.removeLast(record.enclosures.count) }

  func enclosures(of record: ItemRecord) -> ArraySlice<EnclosureRecord> {
    enclosures[Int(record.enclosures.lowerBound)..<Int(record.enclosures.upperBound)]
  }

  /// Gives the author of the feed to the items that have none.
  mutating func inherit(author: TextSpan) {
    for index in records.indices where records[index].author.isEmpty { records[index].author = author }
  }

  func items(texts: consuming ByteBuffer) -> [FeedItem] {
    let storage = ItemStorage(texts: texts, enclosures: enclosures)
    return records.map { FeedItem($0, in: storage) }
  }

  /// The id of an item that has neither one of its own nor an address: a hash of its text.
  static func derivedID(title: String?, summary: String?, enclosure: String?) -> String {
    "sha256:" + SHA256.hex("\(title ?? "")\n\(summary ?? "")\n\(enclosure ?? "")")
  }
}

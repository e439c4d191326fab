internal import XMLReading

/// Tells whether all items of a feed have ids of their own. A set of the texts would do, and take longer than reading
/// them.
enum DistinctIDs {
  private struct Entry {
    var hash: UInt64 = 0
    /// The number of the item, from 1; 0 in a free place.
    var item: Int32 = 0
  }

  /// - Parameter items: those of one document.
  static func hold(_ items: [FeedItem]) -> Bool {
    guard let storage = items.first?.storage else { return true }
    var size = 16
    while size < items.count * 2 { size *= 2 }
    var table = [Entry](repeating: Entry(), count: size)
    for index in items.indices {
      let id = storage.bytes(items[index].record.id)
      let hash = hash(id)
      var place = Int(truncatingIfNeeded: hash) & (size - 1)
      while table[place].item != 0 {
        let entry = table[place]
        if entry.hash == hash, storage.bytes(items[Int(entry.item) - 1].record.id).equals(id) { return false }
        place = (place + 1) & (size - 1)
      }
      table[place] = Entry(hash: hash, item: Int32(index + 1))
    }
    return true
  }

  /// Without it, ids could be chosen that all fall into one place.
  private static let seed = UInt64.random(in: 0...UInt64.max)

  /// Of eight bytes at a time; each step folds the two halves of a product.
  private static func hash(_ text: UnsafeBufferPointer<UInt8>) -> UInt64 {
    let raw = UnsafeRawBufferPointer(text)
    var hash = seed
    var index = 0
    while index + 8 <= raw.count {
      hash = folded(hash ^ raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      index += 8
    }
    var tail = UInt64(raw.count)
    while index < raw.count {
      tail = tail << 8 | UInt64(raw[index])
      index += 1
    }
    return folded(hash ^ tail)
  }

  private static func folded(_ value: UInt64) -> UInt64 {
    let product = value.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return product.high ^ product.low
  }
}

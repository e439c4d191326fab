internal import XMLReading

/// Checks whether all items of a feed have distinct ids, with a hash table of positions. A `Set<String>` would take
/// longer than reading the items.
enum DistinctIDCheck {
  private struct Entry {
    var hash: UInt64 = 0
    /// The number of the item, from 1; 0 when the entry is free.
    var item: Int32 = 0
  }

  static func areDistinct(_ items: FeedItems) -> Bool {
    let (records, storage) = (items.records, items.storage)
    var size = 16
    while size < records.count * 2 { size *= 2 }
    var table = [Entry](repeating: Entry(), count: size)
    for index in records.indices {
      let id = storage.bytes(records[index].id)
      let hash = hash(id)
      var slot = Int(truncatingIfNeeded: hash) & (size - 1)
      while table[slot].item != 0 {
        let entry = table[slot]
        if entry.hash == hash, storage.bytes(records[Int(entry.item) - 1].id).equals(id) { return false }
        slot = (slot + 1) & (size - 1)
      }
      table[slot] = Entry(hash: hash, item: Int32(index + 1))
    }
    return true
  }

  /// A random seed, so that a feed cannot choose ids that all collide.
  private static let seed = UInt64.random(in: 0...UInt64.max)

  /// Hashes eight bytes at a time; each step folds the two halves of a product.
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

/// The meaning of element names by the addresses libxml2 interns them at: a name is read once a document.
struct NameCache: ~Copyable {
  private struct Entry {
    var local: UInt = 0
    var uri: UInt = 0
    var prefix: UInt = 0
    var meaning = Meaning.unknown
  }

  private static let size = 512
  /// Past this many a document is playing with names; they are then looked up each time.
  private static let capacity = 384

  private let entries: UnsafeMutablePointer<Entry>
  private var count = 0
  /// Names that had to be looked up.
  private(set) var misses = 0
  /// The namespace of the document's own elements, when it is one nobody knows.
  private var rootNamespace: String?

  init() {
    entries = .allocate(capacity: Self.size)
    entries.initialize(repeating: Entry(), count: Self.size)
  }

  deinit { entries.deallocate() }

  /// Takes a root element's unknown namespace for the one its dialect should have had.
  mutating func adopt(_ uri: UnsafePointer<UInt8>, root: UnsafePointer<UInt8>) {
    guard ["rss", "feed"].contains(String(cString: root).lowercased()) else { return }
    rootNamespace = String(cString: uri)
  }

  mutating func meaning(
    _ local: UnsafePointer<UInt8>, _ prefix: UnsafePointer<UInt8>?, _ uri: UnsafePointer<UInt8>?
  ) -> Meaning {
    let key = (UInt(bitPattern: local), UInt(bitPattern: uri), UInt(bitPattern: prefix))
    var slot = Int(truncatingIfNeeded: (key.0 >> 3) &+ (key.1 >> 2) &* 31) & (Self.size - 1)
    while entries[slot].local != 0 {
      let entry = entries[slot]
      if entry.local == key.0, entry.uri == key.1, entry.prefix == key.2 { return entry.meaning }
      slot = (slot + 1) & (Self.size - 1)
    }
    let meaning = lookUp(local, prefix, uri)
    misses += 1
    if count < Self.capacity {
      entries[slot] = Entry(local: key.0, uri: key.1, prefix: key.2, meaning: meaning)
      count += 1
    }
    return meaning
  }

  private func lookUp(
    _ local: UnsafePointer<UInt8>, _ prefix: UnsafePointer<UInt8>?, _ uri: UnsafePointer<UInt8>?
  ) -> Meaning {
    let address = uri.map { String(cString: $0) }
    let namespace =
      address != nil && address == rootNamespace
      ? .core : Namespace(address: address, prefix: prefix.map { String(cString: $0) })
    return Vocabulary.meaning(of: String(cString: local).lowercased(), in: namespace)
  }
}

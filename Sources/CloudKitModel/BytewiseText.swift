/// Text as a key that is compared by its UTF-8 bytes, as the service and SQLite compare it.
///
/// Swift's `String` is equal under canonical equivalence: `é` as one code point and as `e` with U+0301 are one key
/// of a dictionary and two values of a record.
public struct BytewiseText: Sendable, Hashable, Comparable {
  public let text: String

  public init(_ text: String) { self.text = text }

  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.text.utf8.elementsEqual(rhs.text.utf8) }
  public static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.text.utf8.lexicographicallyPrecedes(rhs.text.utf8)
  }

  // Equal bytes are equal strings, and equal strings have one hash.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

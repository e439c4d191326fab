internal import XMLReading

/// The rank of the element that gave a value so far. Of several elements the lowest rank wins, and of equal ranks the
/// first.
struct ElementRank {
  private var best = UInt8.max

  /// True when an element has given the value.
  var isTaken: Bool { best < .max }

  func admits(_ rank: UInt8) -> Bool { rank < best }

  /// Returns true when the value must be set.
  mutating func claim(_ rank: UInt8) -> Bool {
    guard admits(rank) else { return false }
    best = rank
    return true
  }

  /// The same, but of equal ranks the last wins: for links and dates, where a repeated element corrects the earlier
  /// one.
  mutating func claimAsLast(_ rank: UInt8) -> Bool {
    guard rank <= best else { return false }
    best = rank
    return true
  }

  mutating func offer<Value>(_ value: Value?, _ rank: UInt8, for field: inout Value?) {
    guard let value, claim(rank) else { return }
    field = value
  }

  mutating func offerLast<Value>(_ value: Value?, _ rank: UInt8, for field: inout Value?) {
    guard let value, claimAsLast(rank) else { return }
    field = value
  }

  /// Creates the text only when it is kept.
  mutating func offer(_ bytes: UnsafeBufferPointer<UInt8>, _ rank: UInt8, for field: inout String?) {
    if claim(rank) { field = bytes.text }
  }

  mutating func offer(
    _ bytes: UnsafeBufferPointer<UInt8>, _ rank: UInt8, for field: inout FeedDate?,
    _ findings: inout FeedFindingList
  ) {
    let date = FeedDate(bytes)
    offerLast(date, rank, for: &field)
    guard date == nil else { return }
    findings.add(.unreadableDate, "'\(String(decoding: bytes.prefix(60), as: UTF8.self))' is not a date")
  }
}

/// A value several elements can give: the lowest rank wins, and the first of equals.
struct Ranked<Value> {
  private(set) var value: Value?
  private var rank = UInt8.max

  func accepts(_ rank: UInt8) -> Bool { rank < self.rank }

  /// Hands the value over and is empty again.
  mutating func take() -> Value? {
    rank = .max
    return value.take()
  }

  mutating func offer(_ value: Value?, _ rank: UInt8) {
    guard accepts(rank), let value else { return }
    self.value = value
    self.rank = rank
  }

  /// The last of equals wins instead: for links and dates, where a repeated element corrects the earlier one.
  mutating func offerLast(_ value: Value?, _ rank: UInt8) {
    guard rank <= self.rank, let value else { return }
    self.value = value
    self.rank = rank
  }
}

extension Ranked<String> {
  /// Makes the text only when it will be kept.
  mutating func offer(_ bytes: UnsafeBufferPointer<UInt8>, _ rank: UInt8) {
    if accepts(rank) { offer(bytes.text, rank) }
  }

  /// The same, sharing the storage of a text that is probably equal: of the link, for an id.
  mutating func offer(_ bytes: UnsafeBufferPointer<UInt8>, _ rank: UInt8, like other: String?) {
    guard accepts(rank) else { return }
    if var other, other.utf8.count == bytes.count, other.withUTF8({ $0.elementsEqual(bytes) }) {
      offer(other, rank)
    } else {
      offer(bytes.text, rank)
    }
  }
}

extension Ranked<FeedDate> {
  mutating func offer(_ bytes: UnsafeBufferPointer<UInt8>, _ rank: UInt8, _ findings: inout Findings) {
    let date = FeedDate(bytes)
    offerLast(date, rank)
    guard date == nil else { return }
    findings.add(.unreadableDate, "'\(String(decoding: bytes.prefix(60), as: UTF8.self))' is not a date")
  }
}

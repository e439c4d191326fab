/// A value several elements can give: the lowest rank wins, and the first of equals.
struct Ranked<Value> {
  private(set) var value: Value?
  private var rank = UInt8.max

  func accepts(_ rank: UInt8) -> Bool { rank < self.rank }

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
}

extension Ranked<FeedDate> {
  mutating func offer(_ bytes: UnsafeBufferPointer<UInt8>, _ rank: UInt8, _ findings: inout Findings) {
    let date = FeedDate(bytes)
    offerLast(date, rank)
    guard date == nil else { return }
    findings.add(.unreadableDate, "'\(String(decoding: bytes.prefix(60), as: UTF8.self))' is not a date")
  }
}

/// How often items come.
package enum ItemRate {
  /// How many of these moments there are in a day: the gaps over the time between the first and the last. After a silence
  /// longer than each gap it is the moments over the time since the first
  /// (Documentation/reference/feeds.md#dates-of-items).
  ///
  /// - Parameters:
  ///   - moments: in milliseconds, ascending.
  ///   - now: not before the last of them.
  /// - Returns: `nil` for fewer than two, and when all are the same.
  package static func perDay(of moments: [Int64], now: Int64) -> Double? {
    guard let first = moments.first, let last = moments.last, first < last else { return nil }
    let longest = zip(moments.dropFirst(), moments).map { $0 - $1 }.max() ?? 0
    let isSilent = now - last > longest
    let (count, end) = isSilent ? (moments.count, now) : (moments.count - 1, last)
    return Double(count) * 86_400_000 / Double(end - first)
  }
}

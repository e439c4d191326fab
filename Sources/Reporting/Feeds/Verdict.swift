internal import FeedHealth

extension CatalogHealth {
  /// The first line of every page: how the feeds are, in one sentence.
  var verdict: String {
    guard let first = feeds.first else { return "The container has no feeds." }
    guard feeds.count > 1 else {
      return first.status == .unknown
        ? "The one feed was never checked." : "The one feed is \(first.status.word)."
    }
    let total = total
    let count = ReadableNumber.grouped(total.feeds)
    if total[.unknown] == total.feeds { return "None of the \(count) feeds was ever checked." }
    let parts = [HealthStatus.down, .degraded, .unknown].compactMap { status in
      total[status] > 0 ? "\(ReadableNumber.grouped(total[status])) \(status.word)" : nil
    }
    return parts.isEmpty
      ? "All \(count) feeds are healthy." : "Of \(count) feeds: \(parts.joined(separator: ", "))."
  }
}

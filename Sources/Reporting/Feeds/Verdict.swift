internal import FeedHealth

extension CatalogHealth {
  /// The first line of every page: how the feeds are, in one sentence.
  var verdict: String {
    let total = total
    guard total.feeds > 0 else { return "The container has no feeds." }
    guard total[.unknown] < total.feeds else {
      return total.feeds == 1
        ? "The one feed was never checked." : "None of the \(total.feeds) feeds was ever checked."
    }
    let parts = [HealthStatus.down, .degraded, .unknown].compactMap { status in
      total[status] > 0 ? "\(NumberWords.grouped(total[status])) \(status.word)" : nil
    }
    guard !parts.isEmpty else {
      return total.feeds == 1
        ? "The one feed is healthy." : "All \(NumberWords.grouped(total.feeds)) feeds are healthy."
    }
    return "Of \(NumberWords.grouped(total.feeds)) feeds: \(parts.joined(separator: ", "))."
  }
}

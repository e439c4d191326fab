internal import CloudKitModel
internal import FeedState

/// What a run has seen of a host that admits few requests (Documentation/reference/feeds.md#politeness).
struct HostQuota: Sendable, Hashable {
  /// Feeds with an answer other than 429.
  let answered: Int
  /// Feeds that were due.
  let feeds: Int
  /// `nil` for fewer than two answers.
  let perHour: Double?

  /// `nil` for a host that did not ask to wait, or that has one feed.
  init?(_ results: [FeedResult], waiting: [SkippedFeed]) {
    let moments = results.filter { !$0.reasons.contains(.throttled) }.map(\.checkedAt.milliseconds).sorted()
    feeds = results.count + waiting.count
    answered = moments.count
    guard feeds > 1, answered < feeds else { return nil }
    let end =
      waiting.compactMap(\.reason.until?.milliseconds).max() ?? results.map(\.checkedAt.milliseconds).max()
    perHour = end.flatMap { ItemRate.perDay(of: moments, now: $0) }.map { $0 / 24 }
  }

  func sentence(about host: String) -> String {
    let rate = perHour.map { ", at a rate of \(Int(max(1, $0.rounded()))) feeds an hour" } ?? ""
    return
      "\(host) answered for \(answered) of \(feeds) feeds and asked to wait\(rate); the others come first in later "
      + "runs. With --budget, a run waits for such hosts."
  }
}

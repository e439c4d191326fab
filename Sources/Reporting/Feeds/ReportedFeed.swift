internal import Aggregates
internal import Catalog
internal import CloudKitModel
internal import Diagnostics
internal import FeedHealth
internal import FeedState
internal import Platform

struct ReportedFeed: Sendable {
  let entry: CatalogHealth.Entry
  let strip: CheckHistoryStrip
  /// The share of the checks of the last 30 days that succeeded, in tenths of a percent, rounded down: 99.95 % is not
  /// all. `nil` without a check in these days.
  let uptime: Int64?
  /// `nil` for a feed never checked.
  let score: FeedQualityScore?
  /// Since the report this one is compared with; `nil` without one, or for a feed that it does not have.
  var readersChange: Int64?
  /// Whether a page has a picture of its days, and not only its words.
  var showsStrip = true

  init(_ entry: CatalogHealth.Entry, at now: Timestamp) {
    self.entry = entry
    let today = now.utcDay
    strip = CheckHistoryStrip(entry.metadata.history, today: today)
    let totals = entry.metadata.history.totals(until: today)
    uptime = totals.checks > 0 ? totals.successes * 1000 / totals.checks : nil
    score =
      entry.lastCheck == nil
      ? nil
      : FeedQualityScore(
        entry.metadata, subscribers: entry.readers ?? 0, isVerified: entry.isVerified,
        profile: QualityProfile(.signals), now: now)
  }

  var title: String {
    [entry.title, entry.feedURL.withoutSecrets].compactMap(\.self).first { !$0.isEmpty } ?? entry.recordName
  }

  /// In tenths, as the last recount stored it; `nil` for a feed never checked, whose score says nothing.
  var quality: Int64? {
    guard entry.lastCheck != nil, let quality = entry.quality, quality.isFinite else { return nil }
    return Int64((min(100, max(0, quality)) * 10).rounded())
  }

  /// `nil` for a retired feed, which no check asks.
  var status: HealthStatus? { entry.isRetired ? nil : entry.status }

  /// What retiring it means for its readers: `retired, keeps 11 readers`.
  var retirement: String {
    let readers = entry.readers.map {
      $0 == 0 ? ", has no readers" : ", keeps \(ReadableNumber.counted($0, "reader"))"
    }
    return status.word + (readers ?? "")
  }

  /// The worst first: down, degraded, never checked, healthy, retired; of equal ones those with the most readers.
  static func isWorse(_ left: ReportedFeed, _ right: ReportedFeed) -> Bool {
    (left.rank, right.entry.readers ?? -1, left.entry.feedURL, left.entry.recordName)
      < (right.rank, left.entry.readers ?? -1, right.entry.feedURL, right.entry.recordName)
  }

  private var rank: Int {
    let worst: [HealthStatus?] = [.down, .degraded, .unknown, .healthy, nil]
    return worst.firstIndex(of: status) ?? worst.count
  }
}

extension HealthStatus {
  var word: String { self == .unknown ? "not checked" : rawValue }
}

extension HealthStatus? {
  var word: String { self?.word ?? "retired" }
}

extension [ReportedFeed] {
  /// The subscriptions of those that were counted; `nil` when none was.
  var readers: Int64? { map(\.entry.readers).knownSum }
}

extension Timestamp {
  /// Days since 1970-01-01.
  var utcDay: Int64 { milliseconds.floorDivided(by: 86_400_000).quotient }

  /// `2026-11-22 10:31 UTC`
  var minute: String {
    let text = iso8601
    guard text.utf8.count >= 17, text.hasSuffix("Z") else { return text }
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
  }
}

internal import Aggregates
internal import Catalog
internal import Diagnostics
internal import FeedHealth
internal import FeedState

struct DailyChecks: Sendable {
  /// Of the whole window, in tenths of a percent, rounded down; `nil` without a check.
  private(set) var share: Int64?
  /// The same for each day that had checks, oldest first.
  private(set) var shares: [Int64]

  /// - Parameter today: days since 1970.
  init(_ feeds: [ReportedFeed], today: Int64) {
    var days: [Int64: (successes: Int64, checks: Int64)] = [:]
    for day in feeds.lazy.flatMap(\.entry.metadata.history.days)
    where day.day <= today && day.day > today - DailyCheckHistory.window {
      days[day.day, default: (0, 0)].successes += day.successes
      days[day.day, default: (0, 0)].checks += day.successes + day.failures
    }
    let inOrder = days.sorted { $0.key < $1.key }.map(\.value).filter { $0.checks > 0 }
    shares = inOrder.map { $0.successes * 1000 / $0.checks }
    let all = inOrder.reduce((0, 0)) { ($0.0 + $1.successes, $0.1 + $1.checks) }
    share = all.1 > 0 ? all.0 * 1000 / all.1 : nil
  }
}

struct QualityPartMeans: Sendable {
  /// Each with its mean in percent.
  let parts: [(name: String, mean: Int, weight: Int)]
  let feeds: Int

  init(_ feeds: [ReportedFeed]) {
    let scores = feeds.compactMap(\.score)
    self.feeds = scores.count
    parts = (scores.first?.parts ?? []).enumerated().map { index, part in
      let sum = scores.reduce(0) { $0 + $1.parts[index].value }
      return (part.name.words, Int((sum / Double(scores.count) * 100).rounded(.down)), Int(part.weight))
    }
  }
}

extension QualityPart.Name {
  var words: String {
    switch self {
    case .fullContent: "full content"
    case .idHygiene: "item ids"
    default: rawValue
    }
  }
}

struct SubscriberDistribution: Sendable {
  let steps: [(label: String, feeds: Int)]
  let uncounted: Int

  init(_ feeds: [ReportedFeed]) {
    let readers = feeds.compactMap { $0.entry.readers.map { max(0, $0) } }
    uncounted = feeds.count - readers.count
    let bounds: [(String, ClosedRange<Int64>)] = [
      ("none", 0...0), ("1 to 9", 1...9), ("10 to 99", 10...99), ("100 to 999", 100...999),
      ("1,000 to 9,999", 1000...9999), ("10,000 and more", 10_000...Int64.max),
    ]
    steps = bounds.map { label, range in (label, readers.count { range.contains($0) }) }
  }
}

extension CatalogHealth {
  /// The worst state of a feed that was checked; `unknown` when none was.
  var worst: HealthStatus {
    let total = total
    return [.down, .degraded, .healthy].first { total[$0] > 0 } ?? .unknown
  }

  /// The first line of every page: how the feeds are, in one sentence.
  var verdict: String {
    guard let first = feeds.first else { return noFeeds }
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

enum ReadableNumber {
  /// `12,400`
  static func grouped(_ number: some BinaryInteger) -> String {
    var text = String(number.magnitude)
    for place in stride(from: text.count - 3, to: 0, by: -3) {
      text.insert(",", at: text.index(text.startIndex, offsetBy: place))
    }
    return number < 0 ? "−\(text)" : text
  }

  /// `1 feed`, `12,400 feeds`
  static func counted(_ number: some BinaryInteger, _ noun: String) -> String {
    "\(grouped(number)) \(noun)\(number.magnitude == 1 ? "" : "s")"
  }

  /// With its sign: `+3`, `−1,204`, `0`.
  static func change(_ number: some BinaryInteger) -> String { (number > 0 ? "+" : "") + grouped(number) }

  /// `99.9` from 999.
  static func tenths(_ tenths: Int64) -> String { "\(tenths / 10).\(tenths % 10)" }

  static func percent(tenths: Int64) -> String { tenths == 1000 ? "100 %" : "\(Self.tenths(tenths)) %" }

  /// A text from outside for a page: without the secrets of addresses, shortened to a number of Unicode scalars.
  static func shortened(_ text: String, to limit: Int = 160) -> String {
    let text = text.withoutSecrets
    guard text.unicodeScalars.count > limit else { return text }
    return String(text.unicodeScalars.prefix(limit - 1)) + "…"
  }
}

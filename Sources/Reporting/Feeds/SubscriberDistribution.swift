internal import FeedHealth

/// The distribution of feeds by their number of readers.
struct SubscriberDistribution: Sendable, Hashable {
  /// A range of reader counts, with the number of feeds in it.
  struct Step: Sendable, Hashable {
    var label: String
    var feeds: Int
  }

  private(set) var steps: [Step]
  /// Feeds without a count.
  private(set) var uncounted: Int
  /// The share of all readers that the tenth of the feeds with the most have, in percent; `nil` without readers.
  private(set) var shareOfTopTenth: Int?

  init(_ feeds: [ReportedFeed]) {
    let readers = feeds.compactMap { $0.entry.readers.map { max(0, $0) } }
    uncounted = feeds.count - readers.count
    let bounds: [(String, ClosedRange<Int64>)] = [
      ("none", 0...0), ("1 to 9", 1...9), ("10 to 99", 10...99), ("100 to 999", 100...999),
      ("1,000 to 9,999", 1000...9999), ("10,000 and more", 10_000...Int64.max),
    ]
    steps = bounds.map { label, range in Step(label: label, feeds: readers.count { range.contains($0) }) }
    let all = readers.reduce(0.0) { $0 + Double($1) }
    if all > 0 {
      let top = readers.sorted(by: >).prefix((readers.count + 9) / 10).reduce(0.0) { $0 + Double($1) }
      shareOfTopTenth = Int(top * 100 / all)
    }
  }
}

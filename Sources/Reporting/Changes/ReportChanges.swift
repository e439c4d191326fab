internal import CloudKitModel
internal import FeedHealth

/// The differences from an earlier report.
struct ReportChanges: Sendable {
  /// A feed whose health status changed.
  struct Move: Sendable {
    var feed: ReportedFeed
    var before: HealthStatus
  }

  let since: Timestamp
  /// The earlier report is about another container or environment.
  let otherSubject: String?
  /// Feeds with another status, the worst first.
  private(set) var moves: [Move] = []
  private(set) var new: [ReportedFeed] = []
  /// Titles, in order.
  private(set) var gone: [String] = []
  /// Of the feeds that both reports have.
  private(set) var readers: Int64 = 0
  /// The feeds whose readers changed most, the largest change first.
  private(set) var movers: [ReportedFeed] = []

  var isEmpty: Bool { moves.isEmpty && new.isEmpty && gone.isEmpty && movers.isEmpty }

  /// Sets the change of readers of each feed.
  init(since earlier: ReportSnapshot, to feeds: inout [ReportedFeed], subject: String) {
    since = earlier.asOf
    otherSubject = earlier.subject == subject ? nil : earlier.subject
    for index in feeds.indices {
      guard let before = earlier.feeds[feeds[index].entry.recordName] else {
        new.append(feeds[index])
        continue
      }
      feeds[index].readersChange = Self.change(from: before.readers, to: feeds[index].entry.readers)
      if before.status != feeds[index].entry.status {
        moves.append(Move(feed: feeds[index], before: before.status))
      }
    }
    let names = Set(feeds.map(\.entry.recordName))
    gone = earlier.feeds.filter { !names.contains($0.key) }.map(\.value.title).sorted()
    readers = feeds.reduce(0) { $0 &+ ($1.readersChange ?? 0) }
    movers = feeds.filter { ($0.readersChange ?? 0) != 0 }.sorted {
      let (left, right) = (($0.readersChange ?? 0).magnitude, ($1.readersChange ?? 0).magnitude)
      return (right, $0.entry.recordName) < (left, $1.entry.recordName)
    }
  }

  private static func change(from before: Int64?, to after: Int64?) -> Int64? {
    guard let before, let after else { return nil }
    let (change, overflow) = after.subtractingReportingOverflow(before)
    return overflow ? nil : change
  }
}

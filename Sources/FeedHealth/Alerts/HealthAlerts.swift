internal import CloudKitModel
internal import Diagnostics
internal import FeedState

/// What changed in the catalog since the last report: what an operator wants to hear once.
package struct HealthAlerts: Sendable, Hashable {
  package struct Feed: Sendable, Hashable {
    package var recordName: String
    package var title: String?

    /// For people.
    package var name: String { title.flatMap { $0.isEmpty ? nil : $0 } ?? recordName }
  }

  /// Feeds that fell since the last report and are down, and flapping feeds that have settled there.
  package internal(set) var newlyDown: [Feed] = []
  /// Feeds that were down before this run and answered in it.
  package internal(set) var recovered: [Feed] = []
  /// Feeds that fell for the second time within a week. A later fall of the same chain is not repeated here.
  package internal(set) var flapping: [Feed] = []

  /// Whether the run has what `--fail-on newly-down` reports.
  package var hasFalls: Bool { !newlyDown.isEmpty || !flapping.isEmpty }

  /// The lists with the words that reports use for them.
  var lists: [(words: String, feeds: [Feed])] {
    [("newly down", newlyDown), ("flapping", flapping), ("recovered", recovered)].filter { !$0.1.isEmpty }
  }

  /// `newly down: Alpha, Beta and 3 more`
  var sentences: [String] { Self.sentences(lists) }

  /// Those that ``hasFalls`` is about.
  var falls: [String] { Self.sentences(lists.filter { $0.words != "recovered" }) }

  private static func sentences(_ lists: [(words: String, feeds: [Feed])]) -> [String] {
    lists.map { words, feeds in
      let more = feeds.count - Self.maxNamed
      let names = feeds.prefix(Self.maxNamed).map(\.name).joined(separator: ", ")
      return "\(words): \(names)" + (more > 0 ? " and \(more) more" : "")
    }
  }

  /// `, 2 newly down, 1 recovered`; empty without changes.
  var counts: String { lists.map { ", \($0.feeds.count) \($0.words)" }.joined() }

  /// Feeds of a list that are named in a sentence.
  private static let maxNamed = 10
}

extension HealthAlerts {
  /// The events of a run.
  ///
  /// - Parameters:
  ///   - since: the end of the last run that reported on the whole catalog.
  ///   - start: the start of this run: its own falls count whatever the clocks of other machines say.
  init(_ run: HealthRunResult, since: Timestamp, start: Timestamp, end: Timestamp) {
    let since = Timestamp(milliseconds: min(since.milliseconds, start.milliseconds - 1))
    for feed in run.feeds {
      let named = Feed(recordName: feed.recordName, title: feed.title)
      add(named, feed.falls.events(after: since, until: end, isDown: feed.status == .down))
      if feed.hasRecovered { recovered.append(named) }
    }
    for feed in run.skipped {
      let named = Feed(recordName: feed.recordName, title: feed.title)
      add(named, feed.falls.events(after: since, until: end, isDown: feed.status == .down))
    }
  }

  private mutating func add(_ feed: Feed, _ events: Set<FallHistory.Event>) {
    if events.contains(.newlyDown) { newlyDown.append(feed) }
    if events.contains(.flapping) { flapping.append(feed) }
  }
}

extension FeedResult {
  /// The feed was down, and this check got it. A refusal shows no feed.
  var hasRecovered: Bool { isJudged && previousStatus == .down && status != .down && !isRefused }

  /// A wall or a refusal stands before the feed.
  package var isRefused: Bool { reasons.contains(where: \.isRefusal) }
}

package import CloudKitModel

/// When a feed last became down, and which of these falls deserve an alert
/// (Documentation/reference/feeds.md#alerts).
///
/// Falls that are at most ``chainGap`` apart are one chain. The first fall of a chain is an alert, the second says that
/// the feed is flapping, and the later ones say nothing new. A feed that stays down for ``settledAfter`` after a fall
/// that was not the first is an alert once more.
package struct FallHistory: Sendable, Hashable {
  /// What the history says about a feed since an earlier moment.
  package enum Event: String, Sendable, Hashable, CaseIterable {
    case newlyDown, flapping
  }

  /// Falls at most this far apart are one chain.
  package static let chainGap = Duration.seconds(7 * 86_400)
  /// A flapping feed that is down for this long without a break has stopped flapping.
  package static let settledAfter = Duration.seconds(3 * 86_400)
  package static let maxKept = 5

  /// Oldest first.
  package private(set) var moments: [Timestamp]

  /// Also accepts unsorted moments, which another program may have written.
  package init(_ moments: [Timestamp] = []) {
    self.moments = Array(moments.sorted { $0.milliseconds < $1.milliseconds }.suffix(Self.maxKept))
  }

  package mutating func add(_ moment: Timestamp) { self = FallHistory(moments + [moment]) }

  /// What happened after `since`.
  ///
  /// - Parameters:
  ///   - isDown: whether the feed is down now: a feed that works again is not newly down.
  ///   - now: the end of the run.
  package func events(after since: Timestamp, until now: Timestamp, isDown: Bool) -> Set<Event> {
    var events: Set<Event> = []
    for (index, moment) in moments.enumerated() where moment.milliseconds > since.milliseconds {
      switch placeInChain(index) {
      case 0: if isDown { events.insert(.newlyDown) }
      case 1: events.insert(.flapping)
      default: break
      }
    }
    if isDown, hasSettled(between: since, and: now) { events.insert(.newlyDown) }
    return events
  }

  /// The number of falls before this one in its chain, as far as they are kept.
  private func placeInChain(_ index: Int) -> Int {
    var first = index
    while first > 0, moments[first].since(moments[first - 1]) <= Self.chainGap { first -= 1 }
    return index - first
  }

  private func hasSettled(between since: Timestamp, and now: Timestamp) -> Bool {
    guard let last = moments.last, placeInChain(moments.count - 1) > 0 else { return false }
    return since.since(last) < Self.settledAfter && now.since(last) >= Self.settledAfter
  }
}

/// The transfers begun a moment ago that have not ended: only so many at a time.
///
/// Most servers answer at once, and thousands of bodies at once fill the memory. A transfer that has not ended soon
/// mostly waits, which takes little: it no longer counts, so that hosts which hang never keep others from their turn.
struct FreshTransfers {
  static let most = 256
  static let age = Duration.milliseconds(250)

  private var ids: Set<UInt64> = []
  private var line = Line<(id: UInt64, begun: ContinuousClock.Instant)>()

  var room: Int { Self.most - ids.count }

  mutating func began(_ id: UInt64, at now: ContinuousClock.Instant) {
    ids.insert(id)
    line.append((id, now))
  }

  mutating func ended(_ id: UInt64) { ids.remove(id) }

  mutating func forgetAged(at now: ContinuousClock.Instant) {
    while let oldest = line.first, now - oldest.begun >= Self.age || !ids.contains(oldest.id) {
      ids.remove(oldest.id)
      _ = line.popFirst()
    }
  }

  /// Until the oldest no longer counts; `nil` when there is none.
  func timeToAge(at now: ContinuousClock.Instant) -> Duration? {
    line.first.map { Self.age - (now - $0.begun) }
  }
}

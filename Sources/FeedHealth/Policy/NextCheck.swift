internal import CloudKitModel

/// When a feed may be asked for again.
struct NextCheck {
  let policy: FetchPolicy

  /// The latest of our own interval (doubled for each failure in a row), what the headers and the document ask
  /// for, all at most ``FetchPolicy/longestInterval``; moved out of the hours and days the publisher excludes.
  func time(after observation: Observation, failures: Int64) -> Timestamp {
    let wishes = observation.wishes
    var wait = backOff(failures)
    if observation.outcome == .throttled { wait = max(wait, wishes.retryAfter ?? policy.throttledInterval) }
    for wish in [wishes.retryAfter, wishes.freshFor, observation.content?.ttl] {
      if let wish { wait = max(wait, wish) }
    }
    let time = observation.time + min(wait, policy.longestInterval)
    guard let content = observation.content else { return time }
    return Self.permitted(time, skipHours: content.skipHours, skipDays: content.skipDays)
  }

  private func backOff(_ failures: Int64) -> Duration {
    guard failures > 1 else { return policy.interval }
    let doublings = min(failures - 1, 16)
    return min(policy.interval * (1 << doublings), policy.longestInterval)
  }

  /// The first moment from `time` on that lies in no excluded hour or day (UTC). Wishes that exclude every hour
  /// of a week are no wishes.
  static func permitted(_ time: Timestamp, skipHours: Set<Int>, skipDays: Set<Int>) -> Timestamp {
    guard !skipHours.isEmpty || !skipDays.isEmpty else { return time }
    let hour: Int64 = 3_600_000
    var candidate = time
    for _ in 0..<(24 * 7) {
      if !skipHours.contains(candidate.hour), !skipDays.contains(candidate.weekday) { return candidate }
      let startOfHour = candidate.day * 24 * hour + Int64(candidate.hour) * hour
      candidate = Timestamp(milliseconds: startOfHour + hour)
    }
    return time
  }
}

internal import CloudKitModel
internal import FeedFetching
internal import FeedState

struct NextCheckTime {
  let policy: FetchPolicy
  var thresholds = HealthThresholds()

  /// The latest of our own interval (doubled for each failure in a row after the first) and the times that the headers and
  /// the document ask for, at most ``FetchPolicy/maxInterval`` away; moved out of the hours and days that the publisher excludes.
  func time(after observation: FetchObservation, failures: Int64) -> Timestamp {
    let directives = observation.directives
    var wait = policy.backOff(failures: failures)
    // The next check of other content counts only from then on.
    if observation.failure?.kind == .content { wait = max(wait, thresholds.contentUntilDown) }
    if observation.isThrottled {
      wait = max(wait, directives.retryAfter ?? policy.throttledInterval)
    }
    for wish in [directives.retryAfter, directives.freshFor, observation.schedule?.ttl] {
      if let wish { wait = max(wait, wish) }
    }
    let time = observation.time + min(wait, policy.maxInterval)
    guard let schedule = observation.schedule else { return time }
    return Self.permitted(time, schedule)
  }

  /// How far ``permitted(_:_:)`` moves a time at most.
  static let maxShift = Duration.seconds(maxShiftHours * 3600)
  private static let maxShiftHours = 24 * 7

  /// The first moment from `time` on outside the excluded hours and days (UTC). A feed that excludes every hour of the
  /// week is treated as if it excluded none.
  static func permitted(_ time: Timestamp, _ schedule: PublisherSchedule) -> Timestamp {
    guard !schedule.skipHours.isEmpty || !schedule.skipDays.isEmpty else { return time }
    let hour: Int64 = 3_600_000
    var candidate = time
    for _ in 0..<maxShiftHours {
      if !schedule.skipHours.contains(candidate.hour), !schedule.skipDays.contains(candidate.weekday) {
        return candidate
      }
      let startOfHour = candidate.day * 24 * hour + Int64(candidate.hour) * hour
      candidate = Timestamp(milliseconds: startOfHour + hour)
    }
    return time
  }
}

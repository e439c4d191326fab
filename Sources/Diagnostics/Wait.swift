/// Something that a run waits for. It is shown while it lasts, so that a pause does not look like a hang.
package struct Wait: Sendable, Hashable {
  /// What keeps the run waiting, in a few words, to which a duration can be added: `service unavailable`.
  package var reason: String
  /// The same with its particulars, for where there is room.
  package var detail: String
  package var elapsed: Duration
  /// The time until the next attempt; `nil` for a wait that ends with an event.
  package var pause: Duration?
  package var next: String
  /// Whether the pause is a limit, and something else is expected to end the wait before.
  package var mayEndEarlier = false
  /// The time after which the wait ends without what it is for; `nil` if it has no such limit.
  package var limit: Duration?
  /// How long the attempt after the pause may take.
  package var attempt: Duration?
  package var end: String
  /// The condition of the end, to follow its time; `nil` if it is certain.
  package var condition: String?

  package init(
    _ reason: String, detail: String? = nil, elapsed: Duration = .zero, pause: Duration? = nil,
    next: String = "trying again", limit: Duration? = nil, end: String = "giving up", condition: String? = nil
  ) {
    self.reason = reason
    self.detail = detail ?? reason
    self.elapsed = elapsed
    self.pause = pause
    self.next = next
    self.limit = limit
    self.end = end
    self.condition = condition
  }

  /// How long it will surely last.
  package var certainDuration: Duration { mayEndEarlier ? .zero : pause ?? .zero }
}

/// Where a run says what it waits for. Every wait that can take a second or longer goes through it.
package struct WaitReporter: Sendable {
  package static let silent = WaitReporter { _ in {} }

  /// Called at the beginning of a wait; returns what to call at its end.
  package let begin: @Sendable (_ wait: Wait) -> @Sendable () -> Void

  package init(begin: @escaping @Sendable (_ wait: Wait) -> @Sendable () -> Void) { self.begin = begin }

  package func during<Result>(
    _ wait: Wait, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    let end = begin(wait)
    defer { end() }
    return try await body()
  }
}

package enum ReadableDuration {
  /// `30 seconds`; below 10 seconds with a tenth, unless that is 0.
  package static func seconds(_ duration: Duration) -> String {
    let tenths = Int64(
      ((Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18) * 10).rounded())
    return tenths >= 100 || tenths % 10 == 0
      ? counted((tenths + 5) / 10, "second") : "\(tenths / 10).\(tenths % 10) seconds"
  }

  /// The largest unit alone: `3 days`. `nil` for less than a minute.
  ///
  /// - Parameter days: the largest number of days that is still written in hours.
  package static func text(_ duration: Duration, hoursUpToDays days: Int64 = 0) -> String? {
    largest(duration, hoursUpToDays: days).map { counted($0.count, $0.unit.word) }
  }

  /// The same in short form, for tables: `7 d`, `3 h`, `5 min`.
  package static func short(_ duration: Duration) -> String? {
    largest(duration).map { "\($0.count) \($0.unit.short)" }
  }

  private typealias Unit = (word: String, short: String, seconds: Int64)
  private static let units: [Unit] = [("day", "d", 86_400), ("hour", "h", 3600), ("minute", "min", 60)]

  private static func largest(
    _ duration: Duration, hoursUpToDays days: Int64 = 0
  ) -> (count: Int64, unit: Unit)? {
    let seconds = duration.components.seconds
    let units = seconds > days * Self.units[0].seconds ? Self.units[...] : Self.units.dropFirst()
    return units.first { seconds >= $0.seconds }.map { (seconds / $0.seconds, $0) }
  }
}

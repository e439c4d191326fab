package import Diagnostics

/// The present moment by a container's clock, as far as it is known: not before one moment and not after another.
package struct ServiceTime: Sendable, Hashable {
  /// How far apart the two may be for what cannot be undone, and how old the reply may be that they come from.
  package static let limit = Duration.seconds(60)

  /// After this time work of once a day is due again: a daily run may begin a little earlier than the last one.
  package static let day = Duration.seconds(82_800)

  package var earliest: Timestamp
  package var latest: Timestamp

  package init(earliest: Timestamp, latest: Timestamp) {
    self.earliest = earliest
    self.latest = latest
  }

  package var uncertainty: Duration { latest.since(earliest) }
}

/// The clock that stamps a container's records, and by which they expire and are due.
///
/// Clocks of two machines are never compared: what another machine stored is judged by the time of the container that
/// holds it (Documentation/reference/web-services.md#time).
package struct ContainerClock: Sendable {
  /// Whether the container is on this machine, so that its time is exact. False for a service.
  package let isLocal: Bool
  private let known: @Sendable () -> ServiceTime?
  private let current: @Sendable () async throws -> ServiceTime?

  package init(local now: @escaping @Sendable () -> Timestamp) {
    isLocal = true
    known = {
      let moment = now()
      return ServiceTime(earliest: moment, latest: moment)
    }
    current = { [known] in known() }
  }

  /// The clock of a service. Both closures return `nil` if the service does not state its time.
  ///
  /// - Parameters:
  ///   - known: the time by the replies so far.
  ///   - current: the time by a reply that is at most ``ServiceTime/limit`` old, for which it sends a request if necessary.
  package init(
    known: @escaping @Sendable () -> ServiceTime?,
    current: @escaping @Sendable () async throws -> ServiceTime?
  ) {
    isLocal = false
    self.known = known
    self.current = current
  }

  /// The time for dates that a run stores: the earliest that it can be, by the replies so far. `nil` before the first
  /// reply of a service, and for one that does not state its time.
  package var now: Timestamp? { lastKnown?.earliest }
  package var lastKnown: ServiceTime? { known() }

  /// The time for decisions. `nil` for a service that does not state it. Throws the container's errors.
  package func time() async throws -> ServiceTime? { try await current() }

  /// The time that has come for certain, which decides what is deleted or closed because its time is over.
  ///
  /// - Parameter end: the moment, or how long before that time it is; not in the future.
  /// - Throws: ``UncertainServiceTime``, a usage error that states the time for an `end` in the future, and the
  ///   container's errors.
  package func certainTime(before end: TimeOrAge = .age(.zero)) async throws -> Timestamp {
    let time = try await time()
    guard let time, time.uncertainty <= ServiceTime.limit else { throw UncertainServiceTime(time) }
    if case .time(let moment) = end, moment > time.latest {
      throw CommandFailure.usage(
        "\(moment.iso8601) is in the future: \(isLocal ? "it" : "by the service's clock it") is \(time.earliest.iso8601)"
      )
    }
    return end.moment(at: time.earliest)
  }
}

/// The error of a change that cannot be undone and depends on a time that is not known well enough.
package struct UncertainServiceTime: Error, CommandFailureConvertible {
  private let time: ServiceTime?

  init(_ time: ServiceTime?) { self.time = time }

  package var failure: CommandFailure {
    let known =
      time.map { "the service's time is only known to within \($0.uncertainty.components.seconds) seconds" }
      ?? "the service does not state its time"
    return CommandFailure(
      "\(known), and it decides whose time is over", code: "service-time",
      hint:
        "Nothing was changed. Run the command again; if it fails again, a proxy or gateway removes the header Date from "
        + "replies, or delays them.")
  }
}

/// A moment in the past: a time, or an age that is counted back from the clock of the records.
package enum TimeOrAge: Sendable, Hashable {
  case time(Timestamp)
  case age(Duration)

  /// The moment, if it is `now`. A time that is still to come counts as now.
  package func moment(at now: Timestamp) -> Timestamp {
    switch self {
    case .time(let time): min(time, now)
    case .age(let age): now - age
    }
  }
}

/// Time that only moves forward, by which a run measures how long something takes: clocks of two machines are never
/// compared.
package protocol MonotonicClock: Sendable {
  /// Since a fixed moment.
  var uptime: Duration { get }
  func sleep(for duration: Duration) async throws
}

/// A time by which something must be done.
package struct TimeLimit: Sendable {
  private let clock: any MonotonicClock
  private let end: Duration

  private init(_ duration: Duration, by clock: any MonotonicClock) {
    self.clock = clock
    end = clock.uptime + duration
  }

  /// Runs `body` in a task of its own, which ends in time even if the caller was cancelled: no wait begins that is longer than
  /// what is left (``RetryPolicy``), and what is not done at the end is cancelled.
  package static func run<Result: Sendable>(
    for duration: Duration, by clock: any MonotonicClock, _ body: @escaping @Sendable () async -> Result
  ) async -> Result {
    await RetryPolicy.$timeLimit.withValue(TimeLimit(duration, by: clock)) {
      let work = Task { await body() }
      let deadline = Task {
        try await clock.sleep(for: duration)
        work.cancel()
      }
      defer { deadline.cancel() }
      return await work.value
    }
  }

  package var left: Duration { end - clock.uptime }
}

/// The machine's own clock, which also counts the time that it sleeps.
package struct SystemClock: MonotonicClock {
  private static let start = ContinuousClock.now

  package init() {}

  package var uptime: Duration { ContinuousClock.now - Self.start }
  package func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}

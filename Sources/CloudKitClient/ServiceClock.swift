internal import CloudKitModel
internal import HTTPTransport
internal import Synchronization
internal import WebServicesWire

/// What a service's replies show of its clock (Documentation/reference/web-services.md#time).
final class ServiceClock: Sendable {
  private struct Reading {
    /// When the reply came, on the client's clock, and the earliest time of the service then.
    let received: Duration
    let earliest: Timestamp
    /// A `Date` has whole seconds, and the service wrote it at any moment of the request.
    let uncertainty: Duration

    init(_ seconds: Int64, sent: Duration, received: Duration) {
      self.received = received
      earliest = Timestamp(milliseconds: seconds * 1000)
      uncertainty = .seconds(1) + max(.zero, received - sent)
    }

    func time(at now: Duration) -> ServiceTime {
      let moment = earliest + (now - received)
      return ServiceTime(earliest: moment, latest: moment + uncertainty)
    }

    func agrees(with other: Reading, at now: Duration) -> Bool {
      let (one, two) = (time(at: now), other.time(at: now))
      return one.earliest <= two.latest && two.earliest <= one.latest
    }
  }

  private struct State {
    var reading: Reading?
    /// When the last reply came, whether it stated the time or not.
    var heard: Duration?
  }

  private let state = Mutex(State())

  /// Takes the time that a reply of the service states. A more precise one that is not too old stays, unless the two
  /// contradict each other: then the service's clock was set.
  ///
  /// - Parameter sent: when the request was sent, on the client's clock.
  func hear(_ response: HTTPResponse, sent: Duration, received: Duration) {
    let seconds = response.headers["Date"].flatMap(HTTPDate.secondsSince1970)
    state.withLock { state in
      state.heard = max(received, state.heard ?? received)
      guard let seconds else { return }
      let new = Reading(seconds, sent: sent, received: received)
      if let old = state.reading, received - old.received <= ServiceTime.limit,
        old.uncertainty <= new.uncertainty, old.agrees(with: new, at: received)
      {
        return
      }
      state.reading = new
    }
  }

  /// The time by the replies so far, however old they are. `nil` when none stated it.
  func known(at now: Duration) -> ServiceTime? { state.withLock(\.reading)?.time(at: now) }

  /// Whether replies of the last minute show what is known: the time, or that the service does not state it. False when
  /// there were none, or they took too long.
  func isCurrent(at now: Duration) -> Bool {
    state.withLock { state in
      guard let reading = state.reading else {
        return state.heard.map { now - $0 <= ServiceTime.limit } ?? false
      }
      return now - reading.received <= ServiceTime.limit && reading.uncertainty <= ServiceTime.limit
    }
  }
}

/// The difference between this machine's clock and the service's, which may be the cause of a refused signature. The
/// service only returns `AUTHENTICATION_FAILED`, but every response has its time in the header `Date`.
struct ServiceClockOffset {
  /// Seconds of difference that cannot cause a refusal: half of the ten minutes for which a signature is documented
  /// to be valid.
  static let tolerance: Int64 = 300
  /// The maximum difference, in seconds, that is corrected. A clock may be set to another time zone; but a server
  /// that pretends to be the service must not be able to collect signatures for dates in the far future.
  static let farthest: Int64 = 86_400

  /// Seconds by which the service's clock is ahead of this machine's.
  let lead: Int64
  /// Seconds since 1970.
  private let time: Int64

  /// - Parameter now: this machine's time. The result is `nil` if the response has no date.
  init?(_ response: HTTPResponse, now: Timestamp) {
    guard let time = response.headers["Date"].flatMap(HTTPDate.secondsSince1970) else { return nil }
    self.time = time
    lead = time - now.milliseconds / 1000
  }

  /// Whether the request's date caused the refusal, so that a new request may be accepted. False for unsigned
  /// requests.
  func refuses(dateOf request: HTTPRequest) -> Bool {
    guard let date = request.headers[RequestSignature.dateHeader].flatMap(Timestamp.init(wholeSeconds:))
    else { return false }
    return abs(time - date.milliseconds / 1000) > Self.tolerance
  }

  var canBeFollowed: Bool { abs(lead) <= Self.farthest }

  /// The difference in words: `15 minutes behind`.
  var difference: String {
    let seconds = abs(lead)
    let amount =
      switch seconds {
      case ..<120: "\(seconds) s"
      case ..<7200: "\(seconds / 60) minutes"
      case ..<172_800: "\(seconds / 3600) hours"
      default: "\(seconds / 86_400) days"
      }
    return "\(amount) \(lead > 0 ? "behind" : "ahead of")"
  }

  var failure: RequestAttemptOutcome.Failure {
    RequestAttemptOutcome.Failure(
      what: "this machine's clock is \(difference) the service's, so the service refuses the signature",
      hint: "Set this machine's clock, then run the command again.")
  }
}

internal import CloudKitModel
internal import Diagnostics
internal import HTTPTransport
internal import Logging
import Synchronization
internal import WebServicesWire

/// Sends the requests of all tasks of a client, with limits on rate and simultaneous requests, retries where they
/// are safe, and a circuit breaker.
struct RequestPipeline: Sendable {
  /// A request to send, with the functions that make it and read its errors.
  struct Call: Sendable {
    /// The name of the operation for logs and messages, such as `records/query`.
    var name: String
    /// See `Endpoint.isRepeatable`.
    var isRepeatable: Bool
    /// Makes the request; called for each attempt, because date and signature change.
    var request: @Sendable (Timestamp) throws -> HTTPRequest
    /// Reads the service's error dictionary from a response, if it has one.
    var error: @Sendable (HTTPResponse) -> ServerError?
    /// The clock difference that caused a refusal; `nil` if the date was not the cause.
    var clock: @Sendable (HTTPRequest, HTTPResponse, Timestamp) -> ServiceClockOffset? = { _, _, _ in nil }
    /// Whether a success is JSON that breaks off, although the transfer was complete: a gateway lost the rest.
    var breaksOff: @Sendable (HTTPResponse) -> Bool = { _ in false }
  }

  private let transport: any HTTPTransport
  private let time: any ClientClocks
  private let policy: RetryPolicy
  private let randomShare: @Sendable () -> Double
  private let logger: Logger
  private let onWait: (@Sendable (PrintableText) -> Void)?
  private let limiter: RateLimiter
  private let breaker: CircuitBreaker
  private let running = AwaitableValue(0)
  private let maximumInFlight: Int

  init(_ settings: RequestPipelineSettings, dependencies: ClientDependencies) {
    transport = dependencies.transport
    time = dependencies.time
    randomShare = dependencies.randomShare
    logger = dependencies.logger
    onWait = dependencies.onWait
    policy = settings.retry
    maximumInFlight = max(1, settings.maximumInFlight)
    limiter = RateLimiter(perSecond: settings.requestsPerSecond, time: time)
    breaker = CircuitBreaker(CircuitBreaker.Settings(), time: time)
  }

  /// Sends a request and returns the response of the service that processed it. Throws `ServerError` for a refusal,
  /// otherwise `ContainerFailure`: `.unavailable` after all retries, `.outcomeUnknown` if a request that must not
  /// be repeated may have been processed, `.unusableAnswer` for an invalid response, `.tooLarge` if a smaller
  /// request may succeed.
  func send(_ call: Call) async throws -> HTTPResponse {
    let limit = maximumInFlight
    try await running.wait { running -> Void? in
      guard running < limit else { return nil }
      running += 1
      return ()
    }
    defer { running.update { $0 -= 1 } }
    return try await sendUntilSettled(call)
  }

  private func sendUntilSettled(_ call: Call) async throws -> HTTPResponse {
    var waited = Duration.zero
    for attempt in 1... {
      try await passBreaker(call, waited: &waited)
      let failure: RequestAttemptOutcome.Failure
      switch try await attemptOnce(call, attempt: attempt) {
      case .answered(let response): return response
      case .refused(let error): throw error
      case .unusable(let what): throw ContainerFailure.unusable(call.name, what)
      case .unreachable(let what): throw ContainerFailure.unreachable(call.name, what)
      case .requestTooLarge(let what):
        throw ContainerFailure.tooLarge(
          "the request \(call.name)", what,
          hint: "A gateway between this machine and CloudKit limits the size of requests. Raise its limit.")
      case .answerTooLarge(let what) where call.isRepeatable:
        throw ContainerFailure.tooLarge(
          "the answer to \(call.name)", what, hint: "Ask for fewer fields of the records.")
      case .answerTooLarge(let what): throw ContainerFailure.replyLost(call.name, what)
      case .unknown(let what) where !call.isRepeatable: throw ContainerFailure.replyLost(call.name, what.what)
      case .notCarriedOut(let what), .unknown(let what): failure = what
      case .misdated(let clock):
        guard clock.canBeFollowed, policy.permits(attemptAfter: attempt) else {
          throw ContainerFailure.givenUp(call.name, clock.failure)
        }
        logger.warning("\(clock.failure.what): the next requests are signed with the service's time")
        continue
      }
      try await wait(for: failure, of: call, attempt: attempt, waited: &waited)
    }
    preconditionFailure("the retry loop ended without a result")
  }

  private func wait(
    for failure: RequestAttemptOutcome.Failure, of call: Call, attempt: Int, waited: inout Duration
  ) async throws {
    let wait = policy.wait(
      afterAttempt: attempt, retryAfter: failure.retryAfter, waited: waited, share: randomShare())
    guard let wait else { throw ContainerFailure.givenUp(call.name, failure) }
    waited += wait
    if failure.retryAfter != nil { limiter.pause(for: wait) }
    logger.info(
      "a request failed and is sent again after a pause",
      metadata: [
        "endpoint": "\(call.name)", "attempt": "\(attempt)", "wait": "\(wait)", "reason": "\(failure.what)",
      ])
    let seconds = max(1, Int(wait.components.seconds))
    onWait?("\(failure.what), trying again in \(seconds) s (\(attempt + 1) of \(policy.attempts))")
    try await time.sleep(for: wait)
  }

  private func passBreaker(_ call: Call, waited: inout Duration) async throws {
    while case .refused(let wait) = try await breaker.admit() {
      guard policy.permits(wait, after: waited) else { throw ContainerFailure.resting(call.name, wait) }
      waited += wait
      logger.info(
        "no requests are sent for a while, because the service did not answer the last ones",
        metadata: ["endpoint": "\(call.name)", "wait": "\(wait)"])
      try await time.sleep(for: wait)
    }
  }

  /// Sends the request once, and reports the outcome to the circuit breaker.
  private func attemptOnce(_ call: Call, attempt: Int) async throws -> RequestAttemptOutcome {
    let fate: RequestAttemptOutcome
    do {
      try await limiter.takeTurn()
      fate = try await exchange(call, attempt: attempt)
    } catch {
      breaker.recordInconclusive()
      throw error
    }
    switch fate.speaksForService {
    case true?: breaker.succeeded()
    case false?: breaker.failed()
    case nil: breaker.recordInconclusive()
    }
    return fate
  }

  private func exchange(_ call: Call, attempt: Int) async throws -> RequestAttemptOutcome {
    let request = try call.request(time.wallTime)
    let start = time.now
    do {
      let response = try await transport.send(request)
      log(call, attempt, status: "\(response.status)", uuid: response.requestUUID, since: start)
      if call.isRepeatable, response.isSuccess, call.breaksOff(response) {
        return .unknown(RequestAttemptOutcome.Failure(what: "the answer breaks off"))
      }
      let clock = call.clock(request, response, time.wallTime)
      return clock.map(RequestAttemptOutcome.misdated) ?? RequestAttemptOutcome(response, error: call.error)
    } catch {
      log(call, attempt, status: error.kind.rawValue, uuid: nil, since: start)
      if error.kind == .cancelled { throw CancellationError() }
      return RequestAttemptOutcome(error)
    }
  }

  /// Never a body, a query string or a header: they may hold personal data and secrets.
  private func log(_ call: Call, _ attempt: Int, status: String, uuid: String?, since start: Duration) {
    logger.debug(
      "request",
      metadata: [
        "endpoint": "\(call.name)", "attempt": "\(attempt)", "status": "\(status)", "uuid": "\(uuid ?? "-")",
        "duration": "\(time.now - start)",
      ])
  }
}

extension HTTPResponse {
  var isSuccess: Bool { (200..<300).contains(status) }

  /// The request id that the service sends with every reply.
  var requestUUID: String? { headers["X-Apple-Request-UUID"] }

  /// Whether an emulator of this project answered.
  var isFromEmulator: Bool { headers["Server"] == EmulatorServerName.text }
}

/// Limits the rate of requests: spaces the requests of all tasks evenly, by giving each the next free time slot.
final class RateLimiter: Sendable {
  private let interval: Duration
  private let time: any ClientClocks
  private let nextFree = Mutex(Duration.zero)

  /// - Parameter perSecond: the number of requests a second; `nil` for no limit.
  init(perSecond: Double?, time: any ClientClocks) {
    interval = perSecond.map { .nanoseconds(Int64(1_000_000_000 / $0)) } ?? .zero
    self.time = time
  }

  /// Waits until the caller may send. Throws `CancellationError` if its task is cancelled; the time slot then stays
  /// unused.
  func takeTurn() async throws {
    let now = time.now
    let turn = nextFree.withLock { next in
      let turn = max(now, next)
      next = turn + interval
      return turn
    }
    if turn > now { try await time.sleep(for: turn - now) }
  }

  /// Delays all tasks, because the service asked one of them to wait.
  func pause(for duration: Duration) {
    let end = time.now + duration
    nextFree.withLock { $0 = max($0, end) }
  }
}

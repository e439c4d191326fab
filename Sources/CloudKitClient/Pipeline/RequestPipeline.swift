internal import CloudKitModel
internal import HTTPTransport
internal import Logging

/// Sends requests: a few at a time, evenly spaced, again when that is safe and useful, and not at all while the
/// service is known to be down. Shared by all tasks of a client.
struct RequestPipeline: Sendable {
  struct Call: Sendable {
    /// `records/query`, for logs and messages.
    var name: String
    /// See `Endpoint.isRepeatable`.
    var isRepeatable: Bool
    /// Made anew for each attempt, as its date and signature are.
    var request: @Sendable (Timestamp) throws -> HTTPRequest
    /// Reads the service's error dictionary from a response, if it has one.
    var error: @Sendable (HTTPResponse) -> ServerError?
    /// Looks whether a refusal is due to the request's date, and then to what difference of clocks.
    var clock: @Sendable (HTTPRequest, HTTPResponse, Timestamp) -> ServiceClock? = { _, _, _ in nil }
  }

  private let transport: any HTTPTransport
  private let time: any ClientTime
  private let policy: RetryPolicy
  private let randomShare: @Sendable () -> Double
  private let logger: Logger
  private let limiter: RateLimiter
  private let breaker: CircuitBreaker
  private let running = Monitor(0)
  private let maximumInFlight: Int

  init(_ settings: PipelineSettings, dependencies: ClientDependencies) {
    transport = dependencies.transport
    time = dependencies.time
    randomShare = dependencies.randomShare
    logger = dependencies.logger
    policy = settings.retry
    maximumInFlight = max(1, settings.maximumInFlight)
    limiter = RateLimiter(perSecond: settings.requestsPerSecond, time: time)
    breaker = CircuitBreaker(CircuitBreaker.Settings(), time: time)
  }

  /// The response to a request that the service carried out. Throws `ServerError` for a refusal,
  /// `ContainerFailure` otherwise: `.unavailable` once patience is spent, `.outcomeUnknown` when a request that
  /// must not be repeated may have been carried out, `.unusableAnswer` when the answer makes no sense, `.tooLarge` when a
  /// smaller request may pass.
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
      let trouble: AttemptOutcome.Trouble
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
      case .notCarriedOut(let what), .unknown(let what): trouble = what
      case .misdated(let clock):
        guard clock.canBeFollowed, policy.permits(attemptAfter: attempt) else {
          throw ContainerFailure.givenUp(call.name, clock.trouble)
        }
        logger.warning("\(clock.trouble.what): requests are dated with the service's time")
        continue
      }
      try await wait(for: trouble, of: call, attempt: attempt, waited: &waited)
    }
    preconditionFailure("an endless loop ended")
  }

  private func wait(
    for trouble: AttemptOutcome.Trouble, of call: Call, attempt: Int, waited: inout Duration
  ) async throws {
    let wait = policy.wait(
      afterAttempt: attempt, retryAfter: trouble.retryAfter, waited: waited, share: randomShare())
    guard let wait else { throw ContainerFailure.givenUp(call.name, trouble) }
    waited += wait
    if trouble.retryAfter != nil { limiter.pause(for: wait) }
    logger.info(
      "waiting before the next attempt",
      metadata: [
        "endpoint": "\(call.name)", "attempt": "\(attempt)", "wait": "\(wait)", "reason": "\(trouble.what)",
      ])
    try await time.sleep(for: wait)
  }

  private func passBreaker(_ call: Call, waited: inout Duration) async throws {
    while case .refused(let wait) = try await breaker.admit() {
      guard policy.permits(wait, after: waited) else { throw ContainerFailure.resting(call.name, wait) }
      waited += wait
      logger.info(
        "nothing is sent for a while: the service did not answer",
        metadata: ["endpoint": "\(call.name)", "wait": "\(wait)"])
      try await time.sleep(for: wait)
    }
  }

  /// Sends once, and tells the breaker what it says about the service.
  private func attemptOnce(_ call: Call, attempt: Int) async throws -> AttemptOutcome {
    let fate: AttemptOutcome
    do {
      try await limiter.takeTurn()
      fate = try await exchange(call, attempt: attempt)
    } catch {
      breaker.learnedNothing()
      throw error
    }
    switch fate.speaksForService {
    case true?: breaker.succeeded()
    case false?: breaker.failed()
    case nil: breaker.learnedNothing()
    }
    return fate
  }

  private func exchange(_ call: Call, attempt: Int) async throws -> AttemptOutcome {
    let request = try call.request(time.wallTime)
    let start = time.now
    do {
      let response = try await transport.send(request)
      log(call, attempt, status: "\(response.status)", uuid: response.requestUUID, since: start)
      let clock = call.clock(request, response, time.wallTime)
      return clock.map(AttemptOutcome.misdated) ?? AttemptOutcome(response, error: call.error)
    } catch {
      log(call, attempt, status: error.kind.rawValue, uuid: nil, since: start)
      if error.kind == .cancelled { throw CancellationError() }
      return AttemptOutcome(error)
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
  /// On every reply of the service (Documentation/reference/web-services.md#api-tokens-and-users).
  var requestUUID: String? { headers["X-Apple-Request-UUID"] }
}

internal import CloudKitModel
internal import Diagnostics
internal import HTTPTransport
internal import Logging
internal import Platform
import Synchronization
internal import WebServicesWire

/// Sends the requests of all tasks of a client, with limits on rate and simultaneous requests, retries where they
/// are safe, and a circuit breaker.
struct RequestPipeline: Sendable {
  struct Call: Sendable {
    /// The name of the operation for logs and messages, such as `records/query`.
    var name: String
    var isRepeatable: Bool
    /// Makes the request; called for each attempt, because date and signature change.
    var request: @Sendable (Timestamp) throws -> HTTPRequest
    var error: @Sendable (HTTPResponse) -> ServerError?
    /// The clock difference that caused a refusal; `nil` if the date was not the cause.
    var clock: @Sendable (HTTPRequest, HTTPResponse, Timestamp) -> ServiceClockOffset? = { _, _, _ in nil }
    /// Called with each response that is whole, and when its request was sent and it came, on the client's clock.
    var heard: @Sendable (HTTPResponse, _ sent: Duration, _ received: Duration) -> Void = { _, _, _ in }
    /// Whether a success is JSON that breaks off, although the transfer was complete: a gateway lost the rest.
    var breaksOff: @Sendable (HTTPResponse) -> Bool = { _ in false }
  }

  private let transport: any HTTPTransport
  private let time: any ClientClocks
  private let policy: RetryPolicy
  private let randomShare: @Sendable () -> Double
  private let logger: Logger
  private let reporter: WaitReporter
  private let limiter: RateLimiter
  private let breaker: CircuitBreaker
  private let running = AwaitableValue(0)
  private let maximumInFlight: Int

  init(_ settings: RequestPipelineSettings, dependencies: ClientDependencies) {
    transport = dependencies.transport
    time = dependencies.time
    randomShare = dependencies.randomShare
    logger = dependencies.logger
    reporter = dependencies.waits
    policy = settings.retry
    maximumInFlight = max(1, settings.maximumInFlight)
    limiter = RateLimiter(perSecond: settings.requestsPerSecond, time: time, waits: reporter)
    breaker = CircuitBreaker(time: time)
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
    var waits = CallWaits(call, policy)
    var mayBeDone = false
    for attempt in 1... {
      try await passBreaker(attempt, &waits)
      let failure: RequestAttemptOutcome.Failure
      let start = time.uptime
      switch try await attemptOnce(call, attempt: attempt, &waits) {
      case .answered(let response): return response
      case .refused(var error):
        error.mayFollowSuccess = mayBeDone
        throw error
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
      case .notCarriedOut(let what): failure = what
      case .unknown(let what): (failure, mayBeDone) = (what, true)
      case .misdated(let clock):
        guard clock.canBeFollowed, policy.permits(attemptAfter: attempt) else {
          throw ContainerFailure.givenUp(call.name, clock.failure)
        }
        logger.warning("\(clock.failure.what): the next requests are signed with the service's time")
        continue
      }
      waits.failed(failure, after: time.uptime - start, at: time.uptime)
      try await wait(for: failure, of: attempt, &waits)
    }
    preconditionFailure("the retry loop ended without a result")
  }

  private func wait(
    for failure: RequestAttemptOutcome.Failure, of attempt: Int, _ waits: inout CallWaits
  ) async throws {
    // An emulator that is starting gets the whole time.
    let own = waits.policy.wait(
      afterAttempt: attempt, retryAfter: failure.retryAfter, waited: waits.waited,
      share: failure.isOfThisMachine ? 1 : randomShare())
    guard let own else { throw ContainerFailure.givenUp(waits.name, failure) }
    // The breaker may have opened with this failure: the pause is then as long as the breaker rests.
    let pause = max(own, breaker.rest(afterFurtherFailures: 0))
    guard policy.permits(pause, after: waits.waited) else {
      throw ContainerFailure.resting(waits.name, pause)
    }
    if failure.retryAfter != nil { limiter.pause(for: pause) }
    logger.info(
      "a request failed and is sent again after a pause",
      metadata: [
        "endpoint": "\(waits.name)", "attempt": "\(attempt)", "wait": "\(pause)", "reason": "\(failure.what)",
      ])
    let wait = waits.pause(
      pause, after: attempt, failure.what, retryAfter: failure.retryAfter, at: time.uptime,
      rest: rest(since: attempt))
    try await reporter.during(wait) { try await time.sleep(for: pause) }
  }

  private func passBreaker(_ attempt: Int, _ waits: inout CallWaits) async throws {
    while true {
      let rest = try await breaker.admit()
      guard rest > .zero else { return }
      guard policy.permits(rest, after: waits.waited) else {
        throw ContainerFailure.resting(waits.name, rest)
      }
      logger.info(
        "no requests are sent for a while, because the service did not answer the last ones",
        metadata: ["endpoint": "\(waits.name)", "wait": "\(rest)"])
      let wait = waits.pause(
        rest, after: attempt - 1, nil, at: time.uptime, rest: self.rest(since: attempt - 1))
      try await reporter.during(wait) { try await time.sleep(for: rest) }
    }
  }

  /// How long the breaker will rest after a later attempt, if all of them fail.
  private func rest(since attempt: Int) -> (_ later: Int) -> Duration {
    { later in breaker.rest(afterFurtherFailures: later - attempt) }
  }

  /// Sends the request once, and reports the outcome to the circuit breaker.
  private func attemptOnce(
    _ call: Call, attempt: Int, _ waits: inout CallWaits
  ) async throws -> RequestAttemptOutcome {
    let fate: RequestAttemptOutcome
    do {
      try await limiter.takeTurn()
      fate = try await exchange(call, attempt: attempt, &waits)
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

  private func exchange(
    _ call: Call, attempt: Int, _ waits: inout CallWaits
  ) async throws -> RequestAttemptOutcome {
    let request = try call.request(time.wallTime)
    let start = time.uptime
    let ended = reporter.begin(
      waits.reply(
        to: attempt, timeout: request.limits.totalTimeout, at: start, rest: rest(since: attempt - 1)))
    defer { ended() }
    do {
      let response = try await transport.send(request)
      log(call, attempt, status: "\(response.status)", uuid: response.requestUUID, since: start)
      if call.isRepeatable, response.isSuccess, call.breaksOff(response) {
        return .unknown(RequestAttemptOutcome.Failure(what: "the answer breaks off"))
      }
      call.heard(response, start, time.uptime)
      let clock = call.clock(request, response, time.wallTime)
      return clock.map(RequestAttemptOutcome.misdated) ?? RequestAttemptOutcome(response, error: call.error)
    } catch {
      log(call, attempt, status: error.kind.rawValue, uuid: nil, since: start)
      if error.kind == .cancelled { throw CancellationError() }
      return RequestAttemptOutcome(error, isLocal: request.url.isLoopbackURL)
    }
  }

  /// Never a body, a query string or a header: they may hold personal data and secrets.
  private func log(_ call: Call, _ attempt: Int, status: String, uuid: String?, since start: Duration) {
    var metadata: Logger.Metadata = [
      "endpoint": "\(call.name)", "attempt": "\(attempt)", "status": "\(status)", "uuid": "\(uuid ?? "-")",
      "duration": "\(time.uptime - start)",
    ]
    metadata["purpose"] = RequestPurpose.current.map { "\($0)" }
    logger.debug("request", metadata: metadata)
  }
}

extension HTTPResponse {
  var isSuccess: Bool { (200..<300).contains(status) }

  /// The request id that the service sends with every reply.
  var requestUUID: String? { headers["X-Apple-Request-UUID"] }

  var isFromEmulator: Bool { headers["Server"] == EmulatorServerName.text }
}

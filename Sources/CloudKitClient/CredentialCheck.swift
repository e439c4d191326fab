internal import CloudKitModel
internal import Cryptography
package import Diagnostics
internal import HTTPTransport
internal import WebServicesWire

/// Finds out why a server-to-server key is refused, because the service does not give the reason
/// (Documentation/reference/web-services.md#signature-refusals): checks the key, the connection, the clock and the
/// service's reply.
package struct CredentialCheck: Sendable {
  package struct Finding: Sendable, Hashable {
    /// What was checked: `selfTest` (the key makes a signature that its public key verifies), `connection` (the service
    /// can be reached), `clock` (this machine's agrees with the service's), `identity` (the service accepts a signed
    /// request).
    package let check: String
    /// The status of the command if this is all that is wrong: `.tryLater` while the service is away.
    package let status: ExitStatus
    /// One sentence.
    package let detail: String
    /// False where nothing was found out, which does not fail the check.
    package let isKnown: Bool

    package var isGood: Bool { status == .done }

    package init(_ check: String, isGood: Bool, _ detail: String) {
      self.init(check, isGood ? .done : .denied, detail)
    }

    package init(_ check: String, _ status: ExitStatus, isKnown: Bool = true, _ detail: String) {
      self.check = check
      self.status = status
      self.isKnown = isKnown
      self.detail = detail
    }

    package static func unknown(_ check: String, _ detail: String) -> Finding {
      Finding(check, .done, isKnown: false, detail)
    }
  }

  private let settings: ClientSettings
  private let dependencies: ClientDependencies

  package init(_ settings: ClientSettings, dependencies: ClientDependencies) {
    self.settings = settings
    self.dependencies = dependencies
  }

  /// Runs the steps that are possible, in order. Only reads. Throws only `CancellationError`.
  package func run() async throws -> [Finding] {
    let findings = [selfTest()]
    guard findings[0].isGood else { return findings }
    let answers: [HTTPResponse]
    do {
      answers = try await probe()
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      let status = (error as? HTTPFailure).map { RequestAttemptOutcome($0).exitStatus } ?? .failed
      return findings + [Finding("connection", status, "\(error)")]
    }
    guard let first = answers.first, let last = answers.last else { return findings }
    let detail = "\(settings.baseURL) answers with \(last.status)"
    // Another answer than 200 shows only that something is reached; `identity` says what is wrong.
    let connection =
      last.status == 200 ? Finding("connection", isGood: true, detail) : .unknown("connection", detail)
    return findings + [connection, clock(first), identity(last)]
  }

  private func selfTest() -> Finding {
    guard case .serverKey(let signer) = settings.authentication else {
      return .unknown("selfTest", "an API token is used, nothing is signed")
    }
    let isSound = signer.signsSoundly(at: dependencies.time.wallTime)
    return Finding(
      "selfTest", isGood: isSound,
      isSound ? "the key signs as CloudKit expects" : "the key's signature does not verify")
  }

  /// The service's response; and if the date of the request was wrong, the response to a second request with the
  /// service's date. A refusal of the second one has another cause.
  private func probe() async throws -> [HTTPResponse] {
    let maker = RequestBuilder(settings)
    let request = try probe(maker)
    let answer = try await send(request)
    let clock = maker.clock(refusing: request, by: answer, now: dependencies.time.wallTime)
    return clock == nil ? [answer] : [answer, try await send(try probe(maker))]
  }

  /// The request of the check: a lookup of a record that need not exist.
  private func probe(_ maker: RequestBuilder) throws -> HTTPRequest {
    let body = LookupMessage(LookupRequest(["celestra-admin-auth-check"])).json.bytes()
    return try maker.request(
      .recordsLookup, body: body, at: dependencies.time.wallTime)
  }

  private func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    do { return try await dependencies.transport.send(request) } catch {
      if error.kind == .cancelled { throw CancellationError() }
      throw error
    }
  }

  private func clock(_ response: HTTPResponse) -> Finding {
    guard let clock = ServiceClockOffset(response, now: dependencies.time.wallTime) else {
      return .unknown("clock", "the service did not send its time")
    }
    guard abs(clock.lead) > 5 else {
      return Finding("clock", isGood: true, "the clock agrees with the service's")
    }
    let difference = "this machine's clock is \(clock.difference) the service's"
    guard case .serverKey = settings.authentication, abs(clock.lead) > ServiceClockOffset.tolerance else {
      return Finding("clock", isGood: true, difference)
    }
    let rule = "\(difference). A signature's date must be within 10 minutes of the service's"
    if response.status == 200 {
      return Finding("clock", isGood: true, "\(rule); this one was accepted")
    }
    guard !clock.canBeFollowed else {
      return Finding("clock", isGood: true, "\(rule), so requests are dated by the service's clock")
    }
    return Finding("clock", isGood: false, "\(rule): set this machine's clock")
  }

  private func identity(_ response: HTTPResponse) -> Finding {
    if response.status == 200 {
      let place = "\(settings.container) in \(settings.environment.rawValue)"
      return Finding("identity", isGood: true, "the credential is accepted for \(place)")
    }
    let error = RequestBuilder(settings).error(in: response)
    guard error?.code == .authenticationFailed else {
      let what = error?.description ?? "HTTP status \(response.status)"
      let status = RequestAttemptOutcome(response) { _ in error }.exitStatus
      return Finding("identity", status, "the service answers \(what)")
    }
    guard case .serverKey = settings.authentication else {
      return Finding(
        "identity", isGood: false,
        "the service refuses the API token: it is wrong or revoked, or belongs to another container than "
          + "\(settings.container) or another environment than \(settings.environment.rawValue)")
    }
    return Finding(
      "identity", isGood: false,
      "the service refuses the signature. The key signs correctly, so one of these is wrong: the key id, "
        + "the container (\(settings.container)), the environment (\(settings.environment.rawValue) has keys of "
        + (response.isFromEmulator
          ? "its own), or the emulator was started again with another key"
          : "its own), or the key was revoked"))
  }
}

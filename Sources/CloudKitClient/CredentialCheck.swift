internal import CloudKitModel
internal import Cryptography
internal import Diagnostics
internal import HTTPTransport
internal import WebServicesWire

/// Finds out why a server-to-server key is refused, which the service itself never says
/// (Documentation/reference/web-services.md#signature-refusals): looks at the key, the clock and the service's answer
/// one after the other.
public struct CredentialCheck: Sendable {
  public enum Step: String, Sendable, Hashable, CaseIterable {
    /// The key signs, and its public half accepts the signature.
    case selfTest
    /// The service can be reached.
    case connection
    /// This machine's clock against the service's.
    case clock
    /// The service accepts a signed request.
    case identity
  }

  public struct Finding: Sendable, Hashable {
    public var step: Step
    public var isGood: Bool
    /// One sentence.
    public var detail: String
  }

  private let settings: ClientSettings
  private let dependencies: ClientDependencies

  public init(_ settings: ClientSettings, dependencies: ClientDependencies) {
    self.settings = settings
    self.dependencies = dependencies
  }

  /// Every step that could be taken, in order. Reads only; throws nothing but cancellation.
  public func run() async throws -> [Finding] {
    var findings = [selfTest()]
    guard findings[0].isGood else { return findings }
    let answers: [HTTPResponse]
    do {
      answers = try await probe()
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      findings.append(Finding(step: .connection, isGood: false, detail: "\(error)"))
      return findings
    }
    for answer in answers.prefix(1) {
      let detail = "\(settings.baseURL) answers with \(answer.status)"
      findings += [Finding(step: .connection, isGood: true, detail: detail), clock(answer)]
    }
    return findings + answers.suffix(1).map(identity)
  }

  private func selfTest() -> Finding {
    guard case .serverKey(let signer) = settings.authentication else {
      return Finding(step: .selfTest, isGood: true, detail: "an API token is used, nothing is signed")
    }
    let isSound = signer.signsSoundly(at: dependencies.time.wallTime)
    return Finding(
      step: .selfTest, isGood: isSound,
      detail: isSound ? "the key signs as CloudKit expects" : "the key's signature does not verify")
  }

  /// The answer, and another one where the date of the first request was wrong: what is refused in spite of the
  /// service's own date is refused for another reason.
  private func probe() async throws -> [HTTPResponse] {
    let maker = RequestMaker(settings)
    let request = try probe(maker)
    let answer = try await send(request)
    let clock = maker.clock(refusing: request, by: answer, now: dependencies.time.wallTime)
    return clock == nil ? [answer] : [answer, try await send(try probe(maker))]
  }

  /// A request with a body, whose signature has only one form.
  private func probe(_ maker: RequestMaker) throws -> HTTPRequest {
    let body = LookupMessage([LookupMessage.Entry("celestra-admin-auth-check")]).json.bytes()
    return try maker.request(
      .recordsLookup, body: body, at: dependencies.time.wallTime, emptyBody: .hashOfNothing)
  }

  private func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    do { return try await dependencies.transport.send(request) } catch {
      if error.kind == .cancelled { throw CancellationError() }
      throw error
    }
  }

  private func clock(_ response: HTTPResponse) -> Finding {
    guard let clock = ServiceClock(response, now: dependencies.time.wallTime) else {
      return Finding(step: .clock, isGood: true, detail: "the service did not send its time")
    }
    return Finding(
      step: .clock, isGood: abs(clock.lead) <= ServiceClock.tolerance,
      detail: abs(clock.lead) <= 5
        ? "the clock agrees with the service's" : "the clock is \(clock.difference) the service's")
  }

  private func identity(_ response: HTTPResponse) -> Finding {
    if response.status == 200 {
      let place = "\(settings.container) in \(settings.environment.rawValue)"
      return Finding(step: .identity, isGood: true, detail: "the credential is accepted for \(place)")
    }
    let error = (try? JSONValue(parsing: response.body)).flatMap(ServerError.init(errorDictionary:))
    guard error?.code == .authenticationFailed else {
      let what = error?.description ?? "HTTP status \(response.status)"
      return Finding(step: .identity, isGood: false, detail: "the service answers \(what)")
    }
    return Finding(
      step: .identity, isGood: false,
      detail:
        "the service refuses the signature. The key signs correctly, so one of these is wrong: the key id, "
        + "the container (\(settings.container)), the environment (\(settings.environment.rawValue) has keys of "
        + "its own), or the key was revoked")
  }
}

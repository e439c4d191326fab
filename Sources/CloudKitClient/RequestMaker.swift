internal import CloudKitModel
internal import Cryptography
internal import HTTPTransport
import Synchronization
internal import WebServicesWire

/// Turns an operation and a body into a request with the client's credentials.
final class RequestMaker: Sendable {
  private let settings: ClientSettings
  private let state: Mutex<State>

  private struct State {
    var webAuthToken: Secret?
    var emptyBodyForm = RequestSignature.EmptyBodyForm.hashOfNothing
    /// Seconds to add to this machine's time for the service's.
    var clockLead: Int64 = 0
  }

  init(_ settings: ClientSettings) {
    self.settings = settings
    var state = State()
    if case .apiToken(_, let webAuthToken) = settings.authentication { state.webAuthToken = webAuthToken }
    self.state = Mutex(state)
  }

  /// - Parameter time: this machine's; the request is dated with the service's, as far as that is known to differ.
  func request(
    _ endpoint: Endpoint, body: [UInt8], at time: Timestamp, emptyBody: RequestSignature.EmptyBodyForm
  ) throws -> HTTPRequest {
    let path = ServicePath(
      endpoint.isUnderDevice ? .device : .database, container: settings.container,
      environment: settings.environment, operation: endpoint.rawValue
    ).text
    var request = HTTPRequest(
      body.isEmpty ? "GET" : "POST", url: settings.baseURL.withoutTrailingSlash + path,
      body: body.isEmpty ? nil : body,
      limits: HTTPLimits(totalTimeout: settings.timeout, maxBodyBytes: AnswerSizes.maxBytes))
    request.needsFreshConnection = !endpoint.isRepeatable
    if !body.isEmpty { request.headers["Content-Type"] = "application/json" }
    switch settings.authentication {
    case .serverKey(let signer):
      let time = Timestamp(milliseconds: time.milliseconds + state.withLock { $0.clockLead } * 1000)
      for header in try signer.headers(subpath: path, body: body, at: time, emptyBody: emptyBody) {
        request.headers[header.name] = header.value
      }
    case .apiToken(let token, _): request.url += "?" + queryString(apiToken: token)
    }
    return request
  }

  /// The user's token is repeated as the session, as Apple's CloudKit JS does
  /// (Documentation/reference/web-services.md#api-tokens-and-users).
  private func queryString(apiToken: Secret) -> String {
    let api = "ckAPIToken=\(PercentEncoding.encode(apiToken.exposed))"
    guard let user = state.withLock({ $0.webAuthToken }) else { return api }
    let token = PercentEncoding.encode(user.exposed)
    return "\(api)&ckWebAuthToken=\(token)&ckSession=\(token)"
  }

  /// A place that the service named. The request carries no credential.
  func upload(_ bytes: [UInt8], to url: String) throws -> HTTPRequest {
    guard let place = URLText(url), !place.hasUserInfo, mayUpload(to: place) else {
      throw ContainerFailure.unusable(
        Endpoint.assetsUpload.rawValue, "the place to upload to is not an https address")
    }
    return HTTPRequest(
      "POST", url: url, headers: ["Content-Type": "application/octet-stream"], body: bytes,
      limits: HTTPLimits(totalTimeout: settings.timeout * 5))
  }

  /// Plain http only where the service itself was reached that way: on this machine, or on a host allowed for it.
  private func mayUpload(to place: URLText) -> Bool {
    if place.scheme == "https" { return true }
    guard let service = URLText(settings.baseURL), service.scheme == "http" else { return false }
    return settings.plainHTTPHosts.contains(place.host) || (place.isLoopback && service.isLoopback)
  }

  // MARK: What replies teach

  /// Each reply may carry the next token of the session (Documentation/reference/web-services.md#api-tokens-and-users).
  func rotateWebAuthToken(from response: HTTPResponse) {
    guard case .apiToken = settings.authentication,
      let token = response.headers["X-Apple-CloudKit-Web-Auth-Token"]
        ?? response.headers["X-Apple-CloudKit-Session"]
    else { return }
    state.withLock { $0.webAuthToken = Secret(token) }
  }

  /// Dates what follows with the service's time, when its answer shows that this refused the request.
  ///
  /// - Parameter now: this machine's time.
  func clock(refusing request: HTTPRequest, by response: HTTPResponse, now: Timestamp) -> ServiceClock? {
    guard response.status == 401, let clock = ServiceClock(response, now: now),
      clock.refuses(dateOf: request)
    else { return nil }
    if clock.canBeFollowed { state.withLock { $0.clockLead = clock.lead } }
    return clock
  }

  /// The text of a service without the tokens of this client, which are part of a URL that it may quote.
  func redacted(_ text: String) -> String {
    guard case .apiToken(let token, _) = settings.authentication else { return text }
    var secrets = [token]
    if let user = state.withLock({ $0.webAuthToken }) { secrets.append(user) }
    return secrets.reduce(text) { text, secret in
      Secret(PercentEncoding.encode(secret.exposed)).redacted(in: secret.redacted(in: text))
    }
  }

  var emptyBodyForm: RequestSignature.EmptyBodyForm { state.withLock { $0.emptyBodyForm } }

  /// `nil` when the form makes no difference.
  func otherEmptyBodyForm(
    than form: RequestSignature.EmptyBodyForm
  ) -> RequestSignature.EmptyBodyForm? {
    guard case .serverKey = settings.authentication else { return nil }
    return form == .hashOfNothing ? .nothing : .hashOfNothing
  }

  func keep(_ form: RequestSignature.EmptyBodyForm) { state.withLock { $0.emptyBodyForm = form } }
}

extension String {
  var withoutTrailingSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}

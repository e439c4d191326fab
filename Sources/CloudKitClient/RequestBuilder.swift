internal import CloudKitModel
internal import Cryptography
internal import Diagnostics
internal import HTTPTransport
import Synchronization
internal import WebServicesWire

final class RequestBuilder: Sendable {
  private let settings: ClientSettings
  private let state: Mutex<State>

  private struct State {
    var webAuthToken: Secret?
    /// The seconds to add to this machine's time to get the service's.
    var clockLead: Int64 = 0
  }

  init(_ settings: ClientSettings) {
    self.settings = settings
    var state = State()
    if case .apiToken(_, let webAuthToken) = settings.authentication { state.webAuthToken = webAuthToken }
    self.state = Mutex(state)
  }

  /// - Parameter time: this machine's time. The request's date is corrected by the known difference to the
  ///   service's clock.
  func request(
    _ endpoint: Endpoint, body: [UInt8], at time: Timestamp
  ) throws -> HTTPRequest {
    let path = ServicePath(
      container: settings.container, environment: settings.environment, operation: endpoint.rawValue
    ).text
    var request = HTTPRequest(
      "POST", url: settings.baseURL.withoutTrailingSlash + path, body: body,
      limits: HTTPLimits(totalTimeout: settings.timeout, maxBodyBytes: PageSizeLimiter.maxBytes))
    request.needsFreshConnection = !endpoint.isRepeatable
    request.headers["Content-Type"] = "application/json"
    switch settings.authentication {
    case .serverKey(let signer):
      let time = Timestamp(milliseconds: time.milliseconds + state.withLock { $0.clockLead } * 1000)
      for header in try signer.headers(subpath: path, body: body, at: time) {
        request.headers[header.name] = header.value
      }
    case .apiToken(let token, _): request.url += "?" + queryString(apiToken: token)
    }
    return request
  }

  /// The query string with the API token and the user's token, which is repeated as the session, as in Apple's
  /// CloudKit JS.
  private func queryString(apiToken: Secret) -> String {
    let api = "ckAPIToken=\(PercentEncoding.encode(apiToken.exposed))"
    guard let user = state.withLock({ $0.webAuthToken }) else { return api }
    let token = PercentEncoding.encode(user.exposed)
    return "\(api)&ckWebAuthToken=\(token)&ckSession=\(token)"
  }

  // MARK: What replies teach

  /// Stores the session's next token, which any reply may contain.
  func rotateWebAuthToken(from response: HTTPResponse) {
    guard case .apiToken = settings.authentication,
      let token = response.headers["X-Apple-CloudKit-Web-Auth-Token"]
        ?? response.headers["X-Apple-CloudKit-Session"]
    else { return }
    state.withLock { $0.webAuthToken = Secret(token) }
  }

  /// If the service refused the request because of its date, uses the service's time from now on.
  ///
  /// - Parameter now: this machine's time.
  func clock(refusing request: HTTPRequest, by response: HTTPResponse, now: Timestamp) -> ServiceClockOffset?
  {
    guard response.status == 401, let clock = ServiceClockOffset(response, now: now),
      clock.refuses(dateOf: request)
    else { return nil }
    if clock.canBeFollowed { state.withLock { $0.clockLead = clock.lead } }
    return clock
  }

  /// The error that a reply is; `nil` if it is none. Its reason has no token of this client: tokens are part of a URL that
  /// the service may quote.
  ///
  /// - Parameter json: the body, if it was parsed already.
  func error(in response: HTTPResponse, _ json: JSONValue? = nil) -> ServerError? {
    guard let json = json ?? (try? JSONValue(parsing: response.body)),
      var error = ServerError(errorDictionary: json)
    else { return nil }
    error.uuid = error.uuid ?? response.requestUUID
    error.reason = redacted(error.reason)
    error.isFromEmulator = response.isFromEmulator
    return error
  }

  private func redacted(_ text: String) -> String {
    guard case .apiToken(let token, _) = settings.authentication else { return text }
    var secrets = [token]
    if let user = state.withLock({ $0.webAuthToken }) { secrets.append(user) }
    return secrets.reduce(text) { text, secret in
      Secret(PercentEncoding.encode(secret.exposed)).redacted(in: secret.redacted(in: text))
    }
  }
}

extension String {
  var withoutTrailingSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}

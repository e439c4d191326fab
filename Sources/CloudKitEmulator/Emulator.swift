internal import CloudKitModel
internal import Cryptography
internal import Diagnostics
package import LocalContainer
internal import Platform
internal import Synchronization
internal import WebServicesWire

/// Implements CloudKit Web Services and the management API over a local store. Maps requests to replies without
/// using the network; ``EmulatorServer`` adds the HTTP server.
package final class Emulator: Sendable {
  let configuration: EmulatorConfiguration
  let store: LocalStore
  let identifiers: IdentifierGenerator
  let assets: AssetStore
  let subscriptions = SubscriptionStore()
  let delays = DelayController()
  private let callers: AllowedHostsAndOrigins
  private let authenticator: Authenticator
  let monitor: EmulatorActivity
  private let throttle: RequestRateLimiter

  package init(_ configuration: EmulatorConfiguration, store: LocalStore) {
    self.configuration = configuration
    self.store = store
    identifiers = IdentifierGenerator(seed: configuration.seed)
    assets = AssetStore(configuration)
    callers = AllowedHostsAndOrigins(configuration)
    authenticator = Authenticator(configuration)
    monitor = EmulatorActivity(faults: configuration.faults)
    throttle = RequestRateLimiter(perSecond: configuration.rateLimit)
  }

  static let requestHeader = "X-Apple-Request-UUID"

  /// Answers a request. Errors become the reply that the service would send.
  package func reply(to request: EmulatorRequest) async -> EmulatorReply {
    if let reply = containerReply(to: request) { return reply }
    let start = ContinuousClock.now
    let uuid = identifiers.next()
    let isForPages = !isManagement(request)
    var reply: EmulatorReply
    do {
      try callers.check(request)
      if isForPages, let preflight = CORSPolicy.preflight(request) {
        reply = preflight
      } else {
        reply = await settledReply(to: request, uuid)
        if isForPages { CORSPolicy.addHeaders(to: &reply, for: request) }
      }
    } catch {
      reply = errorReply(error, to: request, uuid)
    }
    reply.headers.append((Self.requestHeader, uuid))
    monitor.record(request, reply, took: ContinuousClock.now - start)
    return reply
  }

  /// Which local container this is. The service has no such request, so no fault, delay or rate limit counts it.
  private func containerReply(to request: EmulatorRequest) -> EmulatorReply? {
    guard request.path == EmulatorServerName.containerPath, (try? callers.check(request)) != nil else {
      return nil
    }
    let id: JSONValue = .object([EmulatorServerName.containerKey: store.id.json])
    return EmulatorReply(status: 200, headers: Self.jsonHeaders, body: id.bytes())
  }

  private func settledReply(to request: EmulatorRequest, _ uuid: String) async -> EmulatorReply {
    let fault = monitor.fault(on: request.path)
    var reply: EmulatorReply
    do {
      try await delays.wait(for: configuration.latency)
      reply = try await answer(request, fault)
    } catch {
      reply = errorReply(error, to: request, uuid)
    }
    // Assets are served as they are: never replace text in them.
    if !request.path.hasPrefix(AssetStore.root) { reply.reword(configuration.reasons) }
    fault?.change(&reply, request)
    if reply.isDated {
      let now = configuration.now() + (fault?.clockSkew ?? .zero)
      reply.headers.append(("Date", UTCTime.httpDate(secondsSince1970: now.milliseconds / 1000)))
    }
    if fault != nil { reply.explanation = (reply.explanation.map { "\($0); " } ?? "") + "fault rule" }
    return reply
  }

  private func answer(
    _ request: EmulatorRequest, _ fault: Fault.Effect?
  ) async throws -> EmulatorReply {
    if let refusal = fault?.refusal { throw refusal.explained("not processed") }
    if let wait = throttle.refusal() {
      throw ServerError(
        .throttled, "Database throttled, retry later", "the request is above this emulator's rate limit",
        retryAfter: wait)
    }
    if let problem = request.bodyProblem { throw refusal(of: problem) }
    if request.path.hasPrefix(AssetStore.root) { return try assetTransfer(request) }
    if request.path == SignInPage.path { return try SignInPage.reply(to: request) }
    if isManagement(request) { return try await management(request) }
    return try await webService(request, fault)
  }

  // MARK: - Web services

  private func webService(
    _ request: EmulatorRequest, _ fault: Fault.Effect?
  ) async throws -> EmulatorReply {
    let (path, endpoint) = try route(request)
    // Clients ask with OPTIONS which methods a known path answers to
    // (Documentation/reference/web-services.md#endpoints, L).
    if request.method == "OPTIONS" {
      return EmulatorReply(status: 200, headers: [("Allow", "GET, POST, PUT, DELETE")])
    }
    let isRightRoot = endpoint.isUnderDevice == (path.root == .device)
    let isRightMethod = endpoint.methods.contains(request.method) || !configuration.refusesOtherMethods
    guard isRightMethod, isRightRoot else {
      throw HTTPRefusal.methodNotAllowed(endpoint.methods, isUnderDevice: endpoint.isUnderDevice)
    }
    // The machine's time, also when the container has another clock, so that clients of this machine are admitted. With the
    // fault clock-skew it is wrong, and the reply's Date header shows it.
    let now = LocalContainerSettings.systemClock() + (fault?.clockSkew ?? .zero)
    let caller = try authenticator.caller(of: request, now: now)
    try check(path, endpoint, caller)
    let exchange = EndpointRequest(
      endpoint: endpoint, method: request.method, environment: path.environment, caller: caller,
      body: try body(of: request), origin: request.origin)
    let answer = try await answer(exchange)
    var reply = EmulatorReply(
      status: 200, headers: Self.jsonHeaders, body: answer.json.bytes(), explanation: answer.explanation)
    // Apple documents a new token in each reply; the live service keeps the old one valid
    // (Documentation/reference/web-services.md#api-tokens-and-users).
    if case .user(_, let token) = caller {
      reply.headers.append(("X-Apple-CloudKit-Web-Auth-Token", token.exposed))
    }
    return reply
  }

  private func body(of request: EmulatorRequest) throws -> JSONValue {
    guard !request.body.isEmpty else { return .null }
    let json: JSONValue
    do { json = try JSONValue(parsing: request.body) } catch {
      throw Self.malformed(error, in: request.body)
    }
    return configuration.oneMayStandForList ? json.withSingleElementLists : json
  }

  private func route(_ request: EmulatorRequest) throws -> (ServicePath, Endpoint) {
    let path: ServicePath
    do { path = try ServicePath(parsing: request.path) } catch {
      throw ServerError(.notFound, "could not find handler for endpoint", error.description)
    }
    guard let endpoint = Endpoint(rawValue: path.operation) else {
      throw ServerError(
        .notFound, "could not find handler for endpoint",
        "'\(path.operation)' is not an operation of CloudKit Web Services")
    }
    return (path, endpoint)
  }

  /// Checks the path's container, environment and database for the kind of caller
  /// (Documentation/reference/web-services.md#credentials-and-databases).
  private func check(_ path: ServicePath, _ endpoint: Endpoint, _ caller: Authenticator.Caller) throws {
    guard path.container == configuration.container else {
      throw Authenticator.failed(
        "this emulator serves the container \(configuration.container), not '\(path.container)'")
    }
    guard configuration.environments.contains(path.environment) else {
      throw Authenticator.failed("the credentials are not for \(path.environment.rawValue)")
    }
    switch caller {
    case .serverKey where path.database != .public:
      throw ServerError(
        configuration.keyAtPrivateDatabase, "Authentication failed",
        "a server-to-server key reaches only the public database")
    case .serverKey where endpoint.needsUser && !configuration.userEndpointsOfKeys.contains(endpoint):
      throw Authenticator.failed("\(endpoint.rawValue) needs a signed-in user, not a server-to-server key")
    case .anonymous where path.database != .public || endpoint.needsUser:
      throw Authenticator.authenticationRequired("\(path.operation) needs a signed-in user")
    default: break
    }
    guard path.database == .public || path.database == .private && endpoint.ignoresPrivateDatabase else {
      throw ServerError(
        .badRequest, "endpoint not applicable in the database type '\(path.database.errorName)'",
        "only the public database is emulated")
    }
  }

  func isManagement(_ request: EmulatorRequest) -> Bool {
    !request.path.hasPrefix("/database/") && !request.path.hasPrefix("/device/")
      && !request.path.hasPrefix(AssetStore.root) && request.path != SignInPage.path
  }
}

final class RequestRateLimiter: Sendable {
  private let perSecond: Double?
  private let state: Mutex<(tokens: Double, at: ContinuousClock.Instant)>

  init(perSecond: Double?) {
    self.perSecond = perSecond
    state = Mutex((max(1, perSecond ?? 1), .now))
  }

  /// `nil` if the request may pass; otherwise the time to wait, in whole seconds, as the service returns it.
  func refusal() -> Duration? {
    guard let perSecond else { return nil }
    let now = ContinuousClock.now
    return state.withLock { state in
      let refill = (now - state.at) / .seconds(1) * perSecond
      state = (min(max(1, perSecond), state.tokens + refill), now)
      guard state.tokens < 1 else {
        state.tokens -= 1
        return nil
      }
      return .seconds(max(1, ((1 - state.tokens) / perSecond).rounded(.up)))
    }
  }
}

extension JSONValue {
  /// The body with a list of one element for each list of the reference that has its element alone.
  fileprivate var withSingleElementLists: JSONValue {
    guard case .object(var object) = self else { return self }
    for (index, member) in object.members.enumerated() {
      switch (member.key, member.value) {
      case ("records", .object), ("operations", .object), ("filterBy", .object), ("sortBy", .object),
        ("tokens", .object), ("tokens", .string), ("desiredKeys", .string):
        object.members[index].value = .array([member.value])
      case ("query", .object): object.members[index].value = member.value.withSingleElementLists
      default: break
      }
    }
    return .object(object)
  }
}

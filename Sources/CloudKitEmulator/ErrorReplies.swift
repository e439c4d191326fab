internal import CloudKitModel
internal import Diagnostics
internal import WebServicesWire

/// A refusal with another HTTP status than its error code has.
struct HTTPRefusal: Error {
  let refusal: ServerError
  let status: Int
  var headers: [(name: String, value: String)] = []

  static let wrongHost = HTTPRefusal(
    refusal: ServerError(
      .badRequest,
      "this emulator answers only for 127.0.0.1, [::1] and localhost; add a name with --allowed-host NAME",
      "the request's Host header names another server"),
    status: 421)

  /// For an operation that exists, but not with this method or path
  /// (Documentation/reference/web-services.md#endpoints, L).
  static func methodNotAllowed(_ allowed: [String], isUnderDevice: Bool = false) -> HTTPRefusal {
    HTTPRefusal(
      refusal: ServerError(
        .badRequest, "method not allowed",
        "send \(allowed.joined(separator: " or "))" + (isUnderDevice ? " under /device" : "")),
      // The service names no method that would work (L).
      status: 405,
      headers: [("Allow", isUnderDevice ? "OPTIONS" : allowed.joined(separator: ", "))])
  }

  static let tooSlow = HTTPRefusal(
    refusal: ServerError(
      .badRequest, "request body did not arrive in time", "the body did not arrive in time"),
    status: 408, headers: [("Connection", "close")])
}

extension Emulator {
  static let jsonHeaders = [(name: "Content-Type", value: "application/json; charset=UTF-8")]

  static func refusal(_ error: any Error) -> ServerError {
    switch error {
    case let error as ServerError: error.explanation.isEmpty ? error.explained(error.reason) : error
    case let error as HTTPRefusal: error.refusal
    case let error as WireFormatError:
      ServerError(.badRequest, badRequestReason(error), error.description)
    case let failure as ContainerFailure where failure.kind == .busy:
      ServerError(.tryAgainLater, "try again later", failure.message, retryAfter: .seconds(1))
    case let failure as ContainerFailure:
      ServerError(.internalError, "internal error", failure.message)
    default: ServerError(.internalError, "internal error", "\(error)")
    }
  }

  /// The service's error for invalid JSON, with line and column (Documentation/reference/web-services.md#endpoints,
  /// L).
  static func malformed(_ error: JSONSyntaxError, in body: [UInt8]) -> ServerError {
    let before = body.prefix(error.range.lowerBound).split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let place = "[line: \(max(1, before.count)), column: \((before.last?.count ?? 0) + 1)]"
    return ServerError(.badRequest, "BadRequestException: Unexpected input at \(place)", error.description)
  }

  /// The reply on a connection that is refused because all others are busy.
  func overloaded() -> EmulatorReply {
    let uuid = identifiers.next()
    let refusal = ServerError(
      .tryAgainLater, "try again later", "the maximum number of connections is in use",
      retryAfter: .seconds(1))
    var reply = errorReply(refusal, to: EmulatorRequest("", "/database/"), uuid)
    reply.headers.append((Self.requestHeader, uuid))
    return reply
  }

  func refusal(of problem: EmulatorRequest.BodyProblem) -> any Error {
    switch problem {
    case .tooLarge:
      ServerError(
        .quotaExceeded, "request body is too large",
        "the body is larger than \(configuration.bodyLimit) bytes")
    case .brokenOff:
      ServerError(
        .badRequest, "request body is incomplete",
        "the client closed the connection before the end of the body")
    case .tooSlow: HTTPRefusal.tooSlow
    }
  }

  /// The reason for a malformed request. Only a missing field has its own text
  /// (Documentation/reference/web-services.md#field-types, L).
  private static func badRequestReason(_ error: WireFormatError) -> String {
    error.problem.hasPrefix("Invalid value")
      ? "BadRequestException: \(error.problem)" : "BadRequestException: Unexpected input"
  }

  func errorReply(_ error: any Error, to request: EmulatorRequest, _ uuid: String) -> EmulatorReply {
    var shown = Self.refusal(error)
    shown.uuid = uuid
    if shown.code == .authenticationRequired { shown.redirectURL = request.origin + SignInPage.path }
    let json = isManagement(request) ? ManagementErrorBody(shown).json : .object(shown.errorDictionary)
    var reply = EmulatorReply(
      status: shown.code.httpStatus, headers: Self.jsonHeaders, body: json.bytes(),
      explanation: shown.explanation)
    // Repeat it in the header, for HTTP clients that do not read the body.
    if let wait = shown.retryAfter, configuration.sendsRetryAfterHeader {
      reply.headers.append(("Retry-After", String(wait.components.seconds)))
    }
    if shown.code == .throttled { reply.status = configuration.throttleStatus }
    if let error = error as? HTTPRefusal {
      reply.status = error.status
      reply.headers += error.headers
    }
    return reply
  }
}

/// Replaces texts in error replies: most texts of the service are unknown, and a client must not depend on them.
extension EmulatorReply {
  mutating func reword(_ reasons: [String: String]) {
    guard !reasons.isEmpty, let json = try? JSONValue(parsing: body) else { return }
    body = json.rewording(reasons).bytes()
  }
}

extension JSONValue {
  fileprivate func rewording(_ reasons: [String: String]) -> JSONValue {
    guard var object, object["serverErrorCode"] != nil, let text = object["reason"]?.string else {
      return mapping { $0.rewording(reasons) }
    }
    let rules = reasons.sorted { $0.key < $1.key }
    object["reason"] = .string(rules.reduce(text) { $0.replacing($1.key, with: $1.value) })
    return .object(object)
  }
}

internal import CloudKitModel
internal import Diagnostics
internal import LocalContainer
internal import WebServicesWire

/// The operation exists, but not for this method or not at this path
/// (Documentation/reference/web-services.md#endpoints, L).
struct MethodNotAllowed: Error {
  var allowed: [String]
  var isUnderDevice = false
}

extension Emulator {
  static let jsonHeaders = [(name: "Content-Type", value: "application/json; charset=UTF-8")]

  /// Whatever went wrong, in the service's words.
  static func refusal(_ error: any Error) -> Refusal {
    switch error {
    case let refusal as Refusal: refusal
    case is WrongHost: WrongHost.refusal
    case let error as ServerError: Refusal(error, error.reason)
    case let error as WireFormatError:
      Refusal(ServerError(.badRequest, badRequestReason(error)), error.description)
    case let error as MethodNotAllowed:
      Refusal(
        ServerError(.badRequest, "method not allowed"),
        "send \(error.allowed.joined(separator: " or "))" + (error.isUnderDevice ? " under /device" : ""))
    case let failure as ContainerFailure where failure.kind == .busy:
      Refusal(ServerError(.tryAgainLater, "try again later", retryAfter: .seconds(1)), failure.message)
    case let failure as ContainerFailure:
      Refusal(ServerError(.internalError, "internal error"), failure.message)
    default: Refusal(ServerError(.internalError, "internal error"), "\(error)")
    }
  }

  /// Where the text stops being JSON, as the service says it (Documentation/reference/web-services.md#endpoints, L).
  static func malformed(_ error: JSONSyntaxError, in body: [UInt8]) -> Refusal {
    let before = body.prefix(error.range.lowerBound).split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let place = "[line: \(max(1, before.count)), column: \((before.last?.count ?? 0) + 1)]"
    return Refusal(
      ServerError(.badRequest, "BadRequestException: Unexpected input at \(place)"), error.description)
  }

  /// The answer to a connection that cannot be served because all others are busy.
  func overloaded() -> EmulatorReply {
    let uuid = identifiers.next()
    let refusal = Refusal(
      ServerError(.tryAgainLater, "try again later", retryAfter: .seconds(1)),
      "as many connections as there may be are busy")
    var reply = errorReply(refusal, to: EmulatorRequest("", "/database/"), uuid)
    reply.headers.append(("X-Apple-Request-UUID", uuid))
    return reply
  }

  /// The answer to a request whose body could not be read to its end.
  func unreadReply(
    _ problem: EmulatorRequest.BodyProblem, _ request: EmulatorRequest, _ uuid: String
  ) -> EmulatorReply {
    var reply = errorReply(refusal(of: problem), to: request, uuid)
    if problem == .tooSlow {
      reply.status = 408
      reply.headers.append(("Connection", "close"))
    }
    return reply
  }

  private func refusal(of problem: EmulatorRequest.BodyProblem) -> Refusal {
    switch problem {
    case .tooLarge:
      Refusal(
        ServerError(.quotaExceeded, "request body is too large"),
        "the body is over \(configuration.bodyLimit) bytes")
    case .brokenOff:
      Refusal(
        ServerError(.badRequest, "request body is incomplete"), "the body broke off")
    case .tooSlow:
      Refusal(
        ServerError(.badRequest, "request body did not arrive in time"), "the body came too slowly")
    }
  }

  /// Only this mistake has a text of its own (Documentation/reference/web-services.md#field-types, L).
  private static func badRequestReason(_ error: WireFormatError) -> String {
    error.problem.hasPrefix("Invalid value")
      ? "BadRequestException: \(error.problem)" : "BadRequestException: Unexpected input"
  }

  func errorReply(_ error: any Error, to request: EmulatorRequest, _ uuid: String) -> EmulatorReply {
    let refusal = Self.refusal(error)
    var shown = refusal.error
    shown.uuid = uuid
    if shown.code == .authenticationRequired { shown.redirectURL = request.origin + SignInPage.path }
    let json = isManagement(request) ? ManagementErrorBody(shown).json : .object(shown.errorDictionary)
    var reply = EmulatorReply(
      status: shown.code.httpStatus, headers: Self.jsonHeaders, body: json.bytes(),
      explanation: refusal.explanation)
    // In the header as well, for clients that know HTTP better than CloudKit.
    if let wait = shown.retryAfter, configuration.sendsRetryAfterHeader {
      reply.headers.append(("Retry-After", String(wait.components.seconds)))
    }
    if shown.code == .throttled { reply.status = configuration.throttleStatus }
    if error is WrongHost { reply.status = 421 }
    if let error = error as? MethodNotAllowed {
      reply.status = 405
      reply.headers.append(("Allow", error.allowed.joined(separator: ", ")))
    }
    return reply
  }
}

extension Timestamp {
  func advanced(by duration: Duration) -> Timestamp {
    Timestamp(milliseconds: milliseconds + duration.components.seconds * 1000)
  }
}

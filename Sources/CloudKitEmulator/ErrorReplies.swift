internal import CloudKitModel
internal import LocalContainer
internal import PositionedJSON
internal import WebServicesWire

/// The operation exists, but not for this method or not at this path (web-services.md section 2, L).
struct MethodNotAllowed: Error {
  var allowed: [String]
  var isUnderDevice: Bool
}

extension Emulator {
  static let jsonHeaders = [(name: "Content-Type", value: "application/json; charset=UTF-8")]

  /// Whatever went wrong, in the service's words.
  static func refusal(_ error: any Error) -> Refusal {
    switch error {
    case let refusal as Refusal: refusal
    case let error as ServerError: Refusal(error, error.reason)
    case let error as JSONSyntaxError:
      Refusal(
        ServerError(
          .badRequest,
          "BadRequestException: Unexpected input at [line: 1, column: \(error.range.lowerBound + 1)]"),
        error.description)
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

  /// Only this mistake has a text of its own (web-services.md section 3.1, L).
  private static func badRequestReason(_ error: WireFormatError) -> String {
    error.problem.hasPrefix("Invalid value")
      ? "BadRequestException: \(error.problem)" : "BadRequestException: Unexpected input"
  }

  static func errorReply(_ refusal: Refusal, _ uuid: String, management: Bool) -> EmulatorReply {
    var error = refusal.error
    error.uuid = uuid
    let json = management ? ManagementErrorBody(error).json : .object(error.errorDictionary)
    let isMethod = error.reason == "method not allowed"
    return EmulatorReply(
      status: isMethod ? 405 : error.code.httpStatus, headers: jsonHeaders, body: json.bytes(),
      explanation: refusal.explanation)
  }
}

extension Timestamp {
  func advanced(by duration: Duration) -> Timestamp {
    Timestamp(milliseconds: milliseconds + duration.components.seconds * 1000)
  }
}

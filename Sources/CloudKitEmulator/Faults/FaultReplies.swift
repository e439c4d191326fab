internal import CloudKitModel
internal import WebServicesWire

extension Emulator {
  /// The reply of a fault that answers instead of processing the request.
  func replyInstead(
    of trouble: FaultRule.Action?, to request: EmulatorRequest, _ uuid: String
  ) -> EmulatorReply? {
    switch trouble {
    case .resetBefore: return EmulatorReply(status: 500, delivery: .reset)
    case .status(let status, let body?, let wait):
      var reply = EmulatorReply(
        status: status, headers: [("Content-Type", "text/html")], body: Array(body.utf8))
      if let wait { reply.headers.append(("Retry-After", String(wait.components.seconds))) }
      return reply
    case .status(let status, nil, let wait):
      let error = ServerError(FaultRule.Action.code(for: status), "fault rule", retryAfter: wait)
      var reply = errorReply(error, to: request, uuid)
      reply.status = status
      reply.explanation = nil
      return reply
    default: return nil
    }
  }
}

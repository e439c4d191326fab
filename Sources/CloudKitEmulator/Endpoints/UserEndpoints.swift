internal import CloudKitModel
internal import LocalContainer
internal import PositionedJSON
internal import WebServicesWire

/// web-services.md section 2: `users/*` and `tokens/*`.
extension Emulator {
  func caller(_ exchange: Exchange) throws -> Answer {
    guard let name = exchange.identity.userRecordName else {
      throw Authenticator.authenticationRequired("nobody is signed in")
    }
    return Answer(CallerReply(userRecordName: name).json)
  }

  /// Users of an emulator have no names or addresses, so that nobody is ever found.
  static let nobodyIsDiscoverable = Answer(["users": []])

  /// Push messages are never sent; the token only looks like one.
  func pushToken(_ exchange: Exchange) throws -> Answer {
    let message = try PushTokenMessage(json: exchange.body)
    if exchange.endpoint == .tokensRegister {
      guard message.apnsToken != nil else {
        throw Refusal(
          ServerError(.badRequest, "missing required field 'apnsToken'"), "register needs apnsToken")
      }
      return Answer([:])
    }
    return Answer([
      "apnsEnvironment": .string(message.apnsEnvironment.rawValue),
      "apnsToken": .string(identifiers.next()), "webcourierURL": .string(exchange.origin + "/webcourier"),
    ])
  }
}

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

  /// Users of an emulator have no names or addresses: they are found by their record names alone.
  func findUsers(_ exchange: Exchange) throws -> Answer {
    let known = Set(configuration.users.values.compactMap(\.userRecordName))
    let asksForAll = exchange.body.isNull && exchange.endpoint.methods.contains("GET")
    let asked = asksForAll ? [] : try UsersLookupMessage(json: exchange.body).userRecordNames
    let found = asked.filter(known.contains).map { CallerReply(userRecordName: $0).json }
    return Answer(["users": .array(found)])
  }

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

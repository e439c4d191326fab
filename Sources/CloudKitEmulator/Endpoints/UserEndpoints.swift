internal import CloudKitModel
internal import Diagnostics
internal import LocalContainer
internal import WebServicesWire

/// The operations `users/*` and `tokens/*`.
extension Emulator {
  /// Answers `users/caller`. The first call of a user creates the user's record.
  func caller(_ exchange: EndpointRequest) async throws -> EndpointReply {
    guard let name = exchange.identity.userRecordName else {
      throw Authenticator.authenticationRequired("no user is signed in")
    }
    if case .user = exchange.caller, configuration.signInMakesUser {
      try await store.signIn(exchange.identity, in: exchange.environment)
    }
    return EndpointReply(CallerReply(userRecordName: name).json)
  }

  /// Answers lookups of users. Users of an emulator have no names or addresses and are only found by record name.
  func findUsers(_ exchange: EndpointRequest) async throws -> EndpointReply {
    let asksForAll = exchange.method == "GET"
    guard !asksForAll || exchange.endpoint != .usersDiscover || configuration.discoversEverybody else {
      throw ServiceRefusal(
        ServerError(.internalError, "internal error"), "the live service returns this error, too")
    }
    let infos = asksForAll ? [] : try UsersLookupMessage(json: exchange.body).userRecordNames
    try checkCount(infos.count)
    let asked = infos.compactMap(\.self)
    let records = try await store.lookup(
      LookupRequest(asked, desiredKeys: []), in: exchange.environment, as: exchange.identity)
    let known =
      configuration.users.values.compactMap(\.userRecordName)
      + records.compactMap(\.outcome.record).filter { $0.recordType == "Users" }.map(\.recordName)
    let found = asked.filter(known.contains).map { CallerReply(userRecordName: $0).json }
    return EndpointReply(["users": .array(found)])
  }

  /// Issues a push token that has the form of a real one. Push messages are never sent.
  func pushToken(_ exchange: EndpointRequest) throws -> EndpointReply {
    let message = try PushTokenMessage(json: exchange.body)
    if exchange.endpoint == .tokensRegister {
      guard message.apnsToken != nil else {
        throw ServiceRefusal(
          ServerError(.badRequest, "missing required field 'apnsToken'"), "register needs apnsToken")
      }
      return EndpointReply([:])
    }
    return EndpointReply([
      "apnsEnvironment": .string(message.apnsEnvironment.rawValue),
      "apnsToken": .string(identifiers.next()), "webcourierURL": .string(exchange.origin + "/webcourier"),
    ])
  }
}

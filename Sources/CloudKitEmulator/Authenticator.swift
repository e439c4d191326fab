internal import CloudKitModel
internal import Cryptography
internal import LocalContainer
internal import WebServicesWire

/// Finds out who makes a request.
struct Authenticator: Sendable {
  enum Caller: Sendable {
    case serverKey(Identity)
    case user(Identity, webAuthToken: Secret)
    /// An app's token and nobody signed in.
    case anonymous

    var identity: Identity {
      switch self {
      case .serverKey(let identity), .user(let identity, _): identity
      case .anonymous: .world
      }
    }
  }

  private let configuration: EmulatorConfiguration
  private let verifier: SignatureVerifier

  init(_ configuration: EmulatorConfiguration) {
    self.configuration = configuration
    verifier = SignatureVerifier(
      keys: configuration.keys, window: configuration.signatureWindow, lead: configuration.signatureLead)
  }

  /// Throws a refusal that says nothing on the wire and everything in the explanation.
  ///
  /// - Parameter now: the clock that dates of signatures are held against.
  func caller(of request: EmulatorRequest, now: Timestamp) throws(Refusal) -> Caller {
    let isSigned = request.header(RequestSignature.keyIDHeader) != nil
    let items = request.query.map(PercentEncoding.queryItems) ?? [:]
    switch (isSigned, items["ckAPIToken"]) {
    case (true, nil): return .serverKey(try signer(of: request, now: now))
    case (false, let token?): return try tokenHolder(token, Self.session(in: items))
    case (true, _?): throw Self.failed("a signature and an API token in one request exclude each other")
    case (false, nil):
      throw Self.failed("neither a signature nor an API token", reason: "no auth method found")
    }
  }

  private func signer(of request: EmulatorRequest, now: Timestamp) throws(Refusal) -> Identity {
    do {
      try verifier.verify(
        SignatureVerifier.Request(
          path: request.path, query: request.query, body: request.body,
          keyID: request.header(RequestSignature.keyIDHeader),
          date: request.header(RequestSignature.dateHeader),
          signature: request.header(RequestSignature.signatureHeader)), now: now)
      return configuration.keyIdentity
    } catch {
      throw Self.failed(error.description)
    }
  }

  /// CloudKit JS sends the word `null` while no user is signed in.
  private static func session(in items: [String: String]) -> String? {
    [items["ckWebAuthToken"], items["ckSession"]].compactMap(\.self).first { !["", "null"].contains($0) }
  }

  private func tokenHolder(_ apiToken: String, _ webAuthToken: String?) throws(Refusal) -> Caller {
    guard configuration.apiTokens.contains(Secret(apiToken)) else {
      throw Self.failed("the API token is not one of this container's")
    }
    guard let webAuthToken else { return .anonymous }
    guard
      let identity = configuration.users[Secret(webAuthToken)] ?? SignInPage.identity(webAuthToken)
    else {
      throw Self.authenticationRequired("the web-auth token belongs to no user here, or has expired")
    }
    return .user(identity, webAuthToken: Secret(webAuthToken))
  }

  /// The service says the same for every cause (Documentation/reference/web-services.md#signature-refusals, L).
  static func failed(_ explanation: String, reason: String = "Authentication failed") -> Refusal {
    Refusal(ServerError(.authenticationFailed, reason), explanation)
  }

  static func authenticationRequired(_ explanation: String) -> Refusal {
    Refusal(ServerError(.authenticationRequired, "request needs authorization"), explanation)
  }
}

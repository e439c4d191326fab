internal import CloudKitModel
internal import Cryptography
internal import Diagnostics
internal import LocalContainer
internal import WebServicesWire

struct Authenticator: Sendable {
  enum Caller: Sendable {
    case serverKey(CallerIdentity)
    case user(CallerIdentity, webAuthToken: Secret)
    /// An API token without a signed-in user.
    case anonymous

    var identity: CallerIdentity {
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

  /// Throws ``ServerError``. As on the service, the error says nothing about the cause; the explanation does.
  ///
  /// - Parameter now: the time that signature dates are compared with.
  func caller(of request: EmulatorRequest, now: Timestamp) throws(ServerError) -> Caller {
    let keyID = request.header(RequestSignature.keyIDHeader)
    let items = request.query.map(PercentEncoding.queryItems) ?? [:]
    switch (keyID, items["ckAPIToken"]) {
    case (let keyID?, nil): return .serverKey(try signer(of: request, keyID, now: now))
    case (nil, let token?): return try tokenHolder(token, Self.session(in: items))
    case (_?, _?): throw Self.failed("a request may have a signature or an API token, not both")
    case (nil, nil):
      throw Self.failed(
        "the request has no credentials: neither a signature nor an API token", reason: "no auth method found"
      )
    }
  }

  private func signer(
    of request: EmulatorRequest, _ keyID: String, now: Timestamp
  ) throws(ServerError) -> CallerIdentity {
    do {
      try verifier.verify(
        SignatureVerifier.Request(
          path: request.path, query: request.query, body: request.body,
          keyID: keyID,
          date: request.header(RequestSignature.dateHeader),
          signature: request.header(RequestSignature.signatureHeader)), now: now)
      return configuration.identity(ofKey: keyID)
    } catch {
      throw Self.failed(error.description)
    }
  }

  /// CloudKit JS sends the word `null` while no user is signed in.
  private static func session(in items: [String: String]) -> String? {
    [items["ckWebAuthToken"], items["ckSession"]].compactMap(\.self).first { !["", "null"].contains($0) }
  }

  private func tokenHolder(_ apiToken: String, _ webAuthToken: String?) throws(ServerError) -> Caller {
    guard configuration.apiTokens.contains(Secret(apiToken)) else {
      throw Self.failed("the API token does not belong to this container")
    }
    guard let webAuthToken else { return .anonymous }
    guard
      let identity = configuration.users[Secret(webAuthToken)] ?? SignInPage.identity(webAuthToken)
    else { throw Self.authenticationRequired("the web-auth token is unknown or has expired") }
    return .user(identity, webAuthToken: Secret(webAuthToken))
  }

  /// The error for all failed authentications: the service does not say more
  /// (Documentation/reference/web-services.md#signature-refusals, L).
  static func failed(_ explanation: String, reason: String = "Authentication failed") -> ServerError {
    ServerError(.authenticationFailed, reason, explanation)
  }

  static func authenticationRequired(_ explanation: String) -> ServerError {
    ServerError(.authenticationRequired, "request needs authorization", explanation)
  }
}

internal import CloudKitModel
internal import Cryptography
internal import Diagnostics
internal import LocalContainer
internal import SchemaLanguage
internal import WebServicesWire

extension Emulator {
  /// Answers `users/caller` and `users/current`. The first call of a user creates the user's record.
  func caller(_ exchange: EndpointRequest) async throws -> EndpointReply {
    guard let name = exchange.identity.userRecordName else {
      throw Authenticator.authenticationRequired("no user is signed in")
    }
    if case .user = exchange.caller, configuration.signInMakesUser {
      try await container(exchange).signIn()
    }
    let user = Self.user(name)
    let isListed = configuration.callerInList && exchange.endpoint == .usersCaller
    return EndpointReply(json: isListed ? ["users": [user]] : user)
  }

  /// Answers lookups of users. Users of an emulator have no names or addresses and are only found by record name.
  func findUsers(_ exchange: EndpointRequest) async throws -> EndpointReply {
    let asksForAll = exchange.method == "GET" || exchange.endpoint == .usersLookupContacts
    guard !asksForAll || exchange.endpoint != .usersDiscover || configuration.discoversEverybody else {
      throw ServerError(
        .internalError, "", "the live service returns this error, too, and gives no reason")
    }
    let infos = asksForAll ? [] : try UsersLookupMessage(json: exchange.body).userRecordNames
    try store.checkCount(infos.count)
    let asked = infos.compactMap(\.self)
    let records = try await container(exchange).lookup(LookupRequest(asked, desiredKeys: []))
    let known =
      configuration.users.values.compactMap(\.userRecordName)
      + records.compactMap(\.record).filter { $0.recordType == SystemNames.users }.map(\.recordName)
    let found = asked.filter(known.contains).map(Self.user)
    return EndpointReply(json: ["users": .array(found)])
  }

  private static func user(_ name: String) -> JSONValue { ["userRecordName": name.json] }

  /// Issues a push token that has the form of a real one. Push messages are never sent.
  func pushToken(_ exchange: EndpointRequest) throws -> EndpointReply {
    let message = try PushTokenMessage(json: exchange.body)
    if exchange.endpoint == .tokensRegister {
      guard message.apnsToken != nil else {
        throw ServerError(.badRequest, "missing required field 'apnsToken'", "register needs apnsToken")
      }
      return EndpointReply(json: [:])
    }
    return EndpointReply(json: [
      "apnsEnvironment": message.apnsEnvironment.rawValue.json,
      "apnsToken": identifiers.next().json, "webcourierURL": .string(exchange.origin + "/webcourier"),
    ])
  }
}

/// A replacement for Apple's sign-in page (Documentation/reference/web-services.md#api-tokens-and-users): issues a
/// token for an invented user. The page that opened it gets the token in a message, as CloudKit JS expects.
enum SignInPage {
  static let path = "/sign-in"
  private static let tokenPrefix = "demo-user-"

  static func identity(_ token: String) -> CallerIdentity? {
    guard token.hasPrefix(tokenPrefix), isName(token.dropFirst(tokenPrefix.count)) else { return nil }
    return .user(holding: Secret(token))
  }

  /// Whether the name is short and needs no escaping in HTML or a URL.
  private static func isName(_ name: Substring) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy { $0.isIdentifierByte || "-.".utf8.contains($0) }
  }

  static func reply(to request: EmulatorRequest) throws -> EmulatorReply {
    guard request.method == "GET" else { throw HTTPRefusal.methodNotAllowed(["GET"]) }
    let name = request.query.map(PercentEncoding.queryItems)?["user"]
    let content = name.flatMap { isName($0[...]) ? welcome($0) : nil } ?? question
    let page =
      "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Sign in</title>\(content)</html>\n"
    return EmulatorReply(
      status: 200, headers: [("Content-Type", "text/html; charset=UTF-8")], body: Array(page.utf8))
  }

  private static let question = """
    <form action="\(path)"><p>An emulator of CloudKit asks who you are. Nobody here has a password, and nothing is \
    sent to Apple.</p><p><label>User <input name="user" value="demo" maxlength="64" pattern="[A-Za-z0-9._\\-]+" \
    required></label> <button>Sign in</button></p></form>
    """

  private static func welcome(_ name: String) -> String {
    let token = tokenPrefix + name
    return """
      <p>Signed in as \(name), whose web-auth token is <code>\(token)</code>.</p>\
      <script>window.opener?.postMessage({ckWebAuthToken: "\(token)", ckSession: "\(token)"}, "*")</script>
      """
  }
}

extension CallerIdentity {
  static func user(holding token: Secret) -> CallerIdentity {
    CallerIdentity(userRecordName: "_" + SHA256.hex("user of \(token.exposed)").prefix(32))
  }
}

/// Operations on zones and changes in the public database, most of which it refuses
/// (Documentation/reference/web-services.md#zones-and-changes).
extension Emulator {
  var defaultZone: JSONValue {
    let zoneID = ZoneID(
      ZoneID.defaultName, ownerRecordName: configuration.zoneOwner, zoneType: "DEFAULT_ZONE")
    return ["zoneID": zoneID.json, "atomic": false]
  }

  static let notInPublicDatabase = ServerError(
    .badRequest, "endpoint not applicable in the database type 'publicdb'",
    "zones and changes belong to private and shared databases")

  static let defaultZoneHasNoChanges = ServerError(
    .badRequest, "cannot get changes in default zone",
    "the public database keeps no change history; query by modifiedTimestamp instead")

  func zonesLookup(_ exchange: EndpointRequest) throws -> EndpointReply {
    let entries = try ZonesLookupMessage(json: exchange.body).zones.map { zoneID in
      Self.refusal(ofZone: zoneID)?.entry("zoneID", zoneID.json) ?? ReplyEntry(json: defaultZone)
    }
    return EndpointReply("zones", entries)
  }

  /// The refusal of `changes/zone`: one error for the default zone, another for an unknown zone.
  func recordChanges(_ exchange: EndpointRequest) throws -> ServerError {
    try Self.checkZone(ZoneChangesMessage(json: exchange.body).zoneID)
    return Self.defaultZoneHasNoChanges
  }

  /// Returns a refusal for each zone in a reply with HTTP 200
  /// (Documentation/reference/web-services.md#zones-and-changes).
  func zoneChanges(_ exchange: EndpointRequest) throws -> EndpointReply {
    let message = try ZoneChangesMessage(json: exchange.body)
    guard let zones = message.zones else { throw try recordChanges(exchange) }
    let entries = zones.map { zoneID in
      let zoneID = zoneID ?? .default
      return (Self.refusal(ofZone: zoneID) ?? Self.defaultZoneHasNoChanges).entry("zoneID", zoneID.json)
    }
    return EndpointReply("zones", entries)
  }
}

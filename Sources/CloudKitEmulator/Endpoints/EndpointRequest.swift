internal import CloudKitModel
internal import Diagnostics
internal import LocalContainer
internal import WebServicesWire

/// A request to Web Services that has passed authentication and path checks.
struct EndpointRequest: Sendable {
  let endpoint: Endpoint
  let method: String
  let environment: Environment
  let caller: Authenticator.Caller
  let body: JSONValue
  let origin: String

  var identity: CallerIdentity { caller.identity }
}

/// The body of a reply with HTTP 200, and the explanation of refused entries in it.
struct EndpointReply: Sendable {
  let json: JSONValue
  var explanation: String?
}

/// An entry of a list in a reply, and why it is refused, if it is.
struct ReplyEntry {
  let json: JSONValue
  var refusal: ServerError?
}

extension EndpointReply {
  init(_ list: String, _ entries: [ReplyEntry]) {
    let lines = entries.compactMap(\.refusal).map { "\($0.code): \(Emulator.refusal($0).explanation)" }
    json = [list: .array(entries.map(\.json))]
    explanation = lines.isEmpty ? nil : lines.unique.joined(separator: "; ")
  }
}

extension ServerError {
  /// The refusal in the place of the entry that the key names.
  func entry(_ key: String, _ name: JSONValue?) -> ReplyEntry {
    ReplyEntry(json: errorDictionary(for: key, name), refusal: self)
  }
}

extension Emulator {
  func container(_ exchange: EndpointRequest) -> LocalContainer {
    LocalContainer(store: store, environment: exchange.environment, identity: exchange.identity)
  }

  func answer(_ exchange: EndpointRequest) async throws -> EndpointReply {
    switch exchange.endpoint {
    case .recordsQuery: try await query(exchange)
    case .recordsLookup: try await lookup(exchange)
    case .recordsModify: try await modify(exchange)
    case .recordsChanges: throw try recordChanges(exchange)
    case .zonesList: EndpointReply(json: ["zones": [defaultZone]])
    case .zonesLookup: try zonesLookup(exchange)
    case .zonesModify, .zonesChanges, .changesDatabase: throw Self.notInPublicDatabase
    case .changesZone: try zoneChanges(exchange)
    case .subscriptionsList: try subscriptions.list(exchange)
    case .subscriptionsLookup: try subscriptions.lookup(exchange)
    case .subscriptionsModify: try await modifySubscriptions(exchange)
    case .usersCurrent, .usersCaller: try await caller(exchange)
    case .usersDiscover, .usersLookupEmail, .usersLookupID, .usersLookupContacts:
      try await findUsers(exchange)
    case .assetsUpload: try await assetUpload(exchange)
    case .assetsRereference: try await assetRereference(exchange)
    case .tokensCreate, .tokensRegister: try pushToken(exchange)
    case .recordsResolve, .recordsAccept: throw Self.sharingIsNotEmulated
    }
  }

  /// Throws if the zone is not the default zone.
  static func checkZone(_ zoneID: ZoneID?) throws(ServerError) {
    if let zoneID, let refusal = refusal(ofZone: zoneID) { throw refusal }
  }

  /// The refusal of a zone that is not the default zone, the only one in the public database
  /// (Documentation/reference/web-services.md#zones-and-changes).
  static func refusal(ofZone zoneID: ZoneID) -> ServerError? {
    if zoneID.isDefault { return nil }
    return ServerError(
      .zoneNotFound, "Zone '\(zoneID.zoneName)' does not exist",
      "the public database has only \(ZoneID.defaultName)")
  }

  static let sharingIsNotEmulated = ServerError(
    .notFound, "Could not find share",
    "shared records exist only in private databases, which the emulator does not have")
}

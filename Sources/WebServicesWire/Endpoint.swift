/// Every operation of CloudKit Web Services (Documentation/reference/web-services.md#endpoints).
public enum Endpoint: String, Sendable, Hashable, CaseIterable {
  case recordsQuery = "records/query"
  case recordsLookup = "records/lookup"
  case recordsModify = "records/modify"
  case recordsChanges = "records/changes"
  case recordsResolve = "records/resolve"
  case recordsAccept = "records/accept"
  case zonesList = "zones/list"
  case zonesLookup = "zones/lookup"
  case zonesModify = "zones/modify"
  case zonesChanges = "zones/changes"
  case changesDatabase = "changes/database"
  case changesZone = "changes/zone"
  case subscriptionsList = "subscriptions/list"
  case subscriptionsLookup = "subscriptions/lookup"
  case subscriptionsModify = "subscriptions/modify"
  case usersCurrent = "users/current"
  case usersCaller = "users/caller"
  case usersDiscover = "users/discover"
  case usersLookupEmail = "users/lookup/email"
  case usersLookupID = "users/lookup/id"
  case usersLookupContacts = "users/lookup/contacts"
  case assetsUpload = "assets/upload"
  case assetsRereference = "assets/rereference"
  case tokensCreate = "tokens/create"
  case tokensRegister = "tokens/register"

  /// The HTTP methods the operation answers to; the first is the one to use. Live clients also send POST, with an
  /// empty object, to operations without a body.
  public var methods: [String] {
    switch self {
    case .zonesList, .subscriptionsList, .usersCurrent, .usersCaller: ["GET", "POST"]
    case .usersLookupContacts: ["GET"]
    case .usersDiscover: ["POST", "GET"]
    default: ["POST"]
    }
  }

  /// Needs a signed-in person: a server-to-server key is refused
  /// (Documentation/reference/web-services.md#credentials-and-databases).
  public var needsUser: Bool {
    switch self {
    case .usersCurrent, .usersCaller, .usersDiscover, .usersLookupEmail, .usersLookupID, .usersLookupContacts,
      .recordsResolve, .recordsAccept:
      true
    default: false
    }
  }

  /// Lives under `/device`, not `/database`.
  public var isUnderDevice: Bool { self == .tokensCreate || self == .tokensRegister }

  /// Sending it twice has the same effect as sending it once, whatever became of the first.
  ///
  /// A modify is not: if the reply to a create is lost, the second one meets CONFLICT, and a force update may
  /// overwrite another write in between. Its outcome can only be found by reading the records.
  public var isRepeatable: Bool {
    switch self {
    case .recordsModify, .zonesModify, .subscriptionsModify, .recordsAccept, .tokensCreate, .tokensRegister:
      false
    default: true
    }
  }
}

package import CloudKitModel
internal import Diagnostics

/// The database a request is about. An admin tool's key reaches only the public one.
package enum DatabaseKind: String, Sendable, Hashable, CaseIterable {
  case `public`
  case `private`
  case shared

  /// As error texts name it: `privatedb`.
  package var errorName: String { rawValue + "db" }
}

/// The URL path of a request to Web Services: `/database/1/{container}/{environment}/{database}/{operation}`, or
/// `/device/1/{container}/{environment}/{operation}` for push tokens.
package struct ServicePath: Sendable, Hashable {
  /// The first component of a path, which selects the kind of operation.
  package enum Root: String, Sendable, Hashable { case database, device }

  package var root: Root
  package var container: String
  package var environment: Environment
  /// Always the public one under `/device`.
  package var database: DatabaseKind
  /// `records/query`, as written.
  package var operation: String

  package init(
    _ root: Root = .database, container: String, environment: Environment, database: DatabaseKind = .public,
    operation: String
  ) {
    self.root = root
    self.container = container
    self.environment = environment
    self.database = database
    self.operation = operation
  }

  /// The path from `/database` on: what is requested and what is signed.
  package var text: String {
    let database = root == .database ? "/\(database.rawValue)" : ""
    return "/\(root.rawValue)/1/\(container)/\(environment.rawValue)\(database)/\(operation)"
  }

  /// Takes a request's path apart. Throws a sentence saying which part is wrong. Every part is percent-decoded once and
  /// must be a plain name afterwards: no slash, no dots alone.
  package init(parsing path: String) throws(WireFormatError) {
    var parts: [String] = []
    for part in path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst() {
      parts.append(try Self.plainName(Substring(part)))
    }
    guard path.hasPrefix("/"), let root = parts.first.flatMap(Root.init), parts.count > 4, parts[1] == "1"
    else { throw WireFormatError("expected a path that begins with /database/1/ or /device/1/") }
    guard let environment = Environment(rawValue: parts[3]) else {
      throw WireFormatError("'\(parts[3])' is not an environment")
    }
    var operation = parts.dropFirst(4)
    var database = DatabaseKind.public
    if root == .database {
      guard let named = DatabaseKind(rawValue: operation.removeFirst()) else {
        throw WireFormatError("'\(parts[4])' is not a database")
      }
      database = named
    }
    guard !operation.isEmpty else { throw WireFormatError("the path names no operation") }
    self.init(
      root, container: parts[2], environment: environment, database: database,
      operation: operation.joined(separator: "/"))
  }

  private static func plainName(_ part: Substring) throws(WireFormatError) -> String {
    guard let name = PercentEncoding.decode(part) else {
      throw WireFormatError("the path has an invalid percent escape")
    }
    let isPrintable = name.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F }
    guard isPrintable, !["", ".", ".."].contains(name), !name.contains("/"), !name.contains("\\") else {
      throw WireFormatError("the path has an empty part or a part that is not allowed")
    }
    return name
  }
}

/// Every operation of CloudKit Web Services (Documentation/reference/web-services.md#endpoints).
package enum Endpoint: String, Sendable, Hashable, CaseIterable {
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
  package var methods: [String] {
    switch self {
    case .zonesList, .subscriptionsList, .usersCurrent, .usersCaller: ["GET", "POST"]
    case .usersDiscover: ["POST", "GET"]
    default: ["POST"]
    }
  }

  /// Needs a signed-in person: a server-to-server key is refused
  /// (Documentation/reference/web-services.md#credentials-and-databases).
  package var needsUser: Bool {
    switch self {
    case .usersCurrent, .usersCaller, .usersDiscover, .usersLookupEmail, .usersLookupID, .usersLookupContacts,
      .recordsResolve, .recordsAccept:
      true
    default: false
    }
  }

  /// Answers a user also for the private database, although it is about no database
  /// (Documentation/reference/web-services.md#users-endpoints, L).
  package var ignoresPrivateDatabase: Bool { self == .usersCaller }

  package var isUnderDevice: Bool { self == .tokensCreate || self == .tokensRegister }

  /// Sending it twice has the same effect as sending it once, whatever became of the first.
  ///
  /// A modify is not: if the reply to a create is lost, the second one meets CONFLICT, and a force update may
  /// overwrite another write in between. Its outcome can only be found by reading the records.
  package var isRepeatable: Bool {
    switch self {
    case .recordsModify, .zonesModify, .subscriptionsModify, .recordsAccept, .tokensCreate, .tokensRegister:
      false
    default: true
    }
  }
}

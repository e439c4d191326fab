internal import CloudKitModel
internal import Diagnostics
internal import LocalContainer
internal import SchemaLanguage
import Synchronization
internal import WebServicesWire

/// Keeps each caller's subscriptions while the emulator runs. Push messages are never sent. A caller cannot have two
/// subscriptions for the same record type and set of events (Documentation/reference/web-services.md#subscriptions).
final class SubscriptionStore: Sendable {
  private let byOwner = Mutex<[String: [Subscription]]>([:])

  func list(_ exchange: EndpointRequest) throws -> EndpointReply {
    EndpointReply(json: ["subscriptions": .array(try owned(by: exchange).map(\.json))])
  }

  func lookup(_ exchange: EndpointRequest) throws -> EndpointReply {
    let owned = try owned(by: exchange)
    let entries = try SubscriptionsLookupMessage(json: exchange.body).subscriptionIDs.map { id in
      owned.first { $0.subscriptionID == id }?.entry ?? Subscription.notFound.entry("subscriptionID", id.json)
    }
    return EndpointReply("subscriptions", entries)
  }

  private func owned(by exchange: EndpointRequest) throws -> [Subscription] {
    let owner = try exchange.subscriptionOwner
    return byOwner.withLock { $0[owner] ?? [] }
  }

  func apply(_ operation: SubscriptionsModifyMessage.Operation, owner: String, newID: String) -> ReplyEntry {
    let id = operation.subscription.subscriptionID ?? newID
    let subscription = copy(of: operation.subscription) { $0.subscriptionID = id }
    return byOwner.withLock { store in
      let owned = store[owner] ?? []
      let place = owned.firstIndex { $0.subscriptionID == id }
      switch (operation.kind, place) {
      case (.delete, _):
        if let place { store[owner]?.remove(at: place) }
        // A deleted one is its bare id (Documentation/reference/web-services.md#subscriptions, L).
        return ReplyEntry(json: ["subscriptionID": id.json])
      case (.create, let place?): return owned[place].entry
      case (.update, nil): return Subscription.notFound.entry("subscriptionID", id.json)
      case (.create, nil), (.update, _?):
        guard !owned.contains(where: { $0.watchesTheSame(as: subscription) }) else {
          return Subscription.duplicate.entry("subscriptionID", id.json)
        }
        if let place { store[owner]?[place] = subscription } else { store[owner] = owned + [subscription] }
        return subscription.entry
      }
    }
  }
}

extension EndpointRequest {
  /// The owner of new subscriptions. A key owns those that it creates
  /// (Documentation/reference/web-services.md#subscriptions). Throws the error of a caller that is neither a user nor a
  /// key.
  fileprivate var subscriptionOwner: String {
    get throws {
      guard let user = identity.userRecordName else {
        throw Authenticator.authenticationRequired(
          "a request for subscriptions needs a signed-in user or a server-to-server key")
      }
      return "\(environment.rawValue)/\(user)"
    }
  }
}

extension Emulator {
  func modifySubscriptions(_ exchange: EndpointRequest) async throws -> EndpointReply {
    let owner = try exchange.subscriptionOwner
    let operations = try SubscriptionsModifyMessage(json: exchange.body).operations
    try store.checkCount(operations.count)
    let schema = try await store.schema(of: exchange.environment)
    let entries = operations.map { operation in
      if let error = operation.problem(in: schema, configuration.behavior) {
        return error.entry("subscriptionID", operation.subscription.subscriptionID?.json)
      }
      return subscriptions.apply(operation, owner: owner, newID: identifiers.next())
    }
    return EndpointReply("subscriptions", entries)
  }
}

extension SubscriptionsModifyMessage.Operation {
  /// The error for an invalid operation, if any. Only `create` may leave out the subscription id; the server
  /// generates it.
  fileprivate func problem(in schema: Schema, _ behavior: ServerBehavior) -> ServerError? {
    if kind != .create, subscription.subscriptionID == nil { return .missing("subscriptionID") }
    return kind == .delete ? nil : subscription.problem(in: schema, behavior)
  }
}

extension Subscription {
  fileprivate var entry: ReplyEntry { ReplyEntry(json: json) }

  fileprivate static let notFound = ServerError(
    .notFound, "Subscription not found", "the caller has none with this subscriptionID")
  fileprivate static let duplicate = ServerError(
    .internalError, "could not find subscription we just created",
    "the caller has another one for this record type and these events")

  /// A user can have one subscription for a record type and its events, whatever else two of them say.
  fileprivate func watchesTheSame(as other: Subscription) -> Bool {
    subscriptionID != other.subscriptionID && query?.recordType == other.query?.recordType
      && firesOn == other.firesOn
  }

  /// The error for an unsupported subscription, if any. The public database supports only `query` subscriptions
  /// (Documentation/reference/web-services.md#subscriptions).
  fileprivate func problem(in schema: Schema, _ behavior: ServerBehavior) -> ServerError? {
    guard let kind else { return .missing("subscriptionType") }
    guard kind == .query else {
      return ServerError(.badRequest, "zone subscriptions are not supported in the public database")
    }
    guard let recordType = query?.recordType else { return .missing("query") }
    guard schema[recordType: recordType] != nil else {
      return QueryProblem.unknownRecordType(recordType).serverError
    }
    return behavior.subscriptionPredicate == .refuse ? predicateProblem(in: schema, behavior) : nil
  }

  /// The error for a predicate that the service would refuse in a query. A subscription to all records of a type has no
  /// predicate, and its order does not matter.
  private func predicateProblem(in schema: Schema, _ behavior: ServerBehavior) -> ServerError? {
    guard let query, !query.filters.isEmpty else { return nil }
    let predicate = Query(query.recordType, filters: query.filters)
    return predicate.problems(in: schema, ranges: behavior.ranges).first?.serverError
  }
}

extension ServerError {
  fileprivate static func missing(_ field: String) -> ServerError {
    ServerError(.badRequest, "missing required field '\(field)'")
  }
}

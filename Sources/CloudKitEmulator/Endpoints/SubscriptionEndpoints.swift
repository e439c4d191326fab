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
      owned.first { $0.subscriptionID == id }?.json ?? Subscription.notFound.entry(of: id)
    }
    return EndpointReply(json: ["subscriptions": .array(entries)])
  }

  private func owned(by exchange: EndpointRequest) throws -> [Subscription] {
    let owner = try exchange.subscriptionOwner
    return byOwner.withLock { $0[owner] ?? [] }
  }

  func apply(
    _ operation: SubscriptionsModifyMessage.Operation, owner: String, newID: String
  ) -> JSONValue {
    var subscription = operation.subscription
    subscription.subscriptionID = subscription.subscriptionID ?? newID
    return byOwner.withLock { store in
      Self.apply(operation.kind, subscription, to: &store[owner, default: []])
    }
  }

  private static func apply(
    _ kind: SubscriptionsModifyMessage.Kind, _ subscription: Subscription, to owned: inout [Subscription]
  ) -> JSONValue {
    let id = subscription.subscriptionID
    let place = owned.firstIndex { $0.subscriptionID == id }
    switch (kind, place) {
    case (.delete, _):
      if let place { owned.remove(at: place) }
      // A deleted one is its bare id (Documentation/reference/web-services.md#subscriptions, L).
      return .object(["subscriptionID": id?.json])
    case (.create, let place?): return owned[place].json
    case (.update, nil): return Subscription.notFound.entry(of: id)
    case (.create, nil), (.update, _?):
      guard !owned.contains(where: { $0.watchesTheSame(as: subscription) }) else {
        return ServerError(.internalError, "could not find subscription we just created").entry(of: id)
      }
      if let place { owned[place] = subscription } else { owned.append(subscription) }
      return subscription.json
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
        return error.entry(of: operation.subscription.subscriptionID)
      }
      return subscriptions.apply(operation, owner: owner, newID: identifiers.next())
    }
    return EndpointReply(json: ["subscriptions": .array(entries)])
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
  fileprivate static let notFound = ServerError(.notFound, "Subscription not found")

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
      return ServerError(.notFound, "could not find record_type with name '\(recordType)'")
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
  fileprivate func entry(of subscriptionID: String?) -> JSONValue {
    errorDictionary(for: "subscriptionID", subscriptionID?.json)
  }

  fileprivate static func missing(_ field: String) -> ServerError {
    ServerError(.badRequest, "missing required field '\(field)'")
  }
}

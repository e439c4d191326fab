package import CloudKitModel
package import Diagnostics

/// A subscription to changes of records: the service notifies its owner.
package struct Subscription: Sendable, Hashable {
  /// What is watched: the records of a query, or a zone.
  package enum Kind: String, Sendable, Hashable, CaseIterable { case query, zone }
  /// The changes of a record that cause a notification.
  package enum Event: String, Sendable, Hashable, CaseIterable { case create, update, delete }

  package var subscriptionID: String?
  package var kind: Kind?
  package var query: Query?
  package var zoneID: ZoneID?
  package var zoneWide = false
  package var firesOn: Set<Event> = []
  package var firesOnce = false
  /// Kept as it came.
  package var notificationInfo: JSONValue?

  /// What is left of a deleted subscription: its bare id.
  package init(deleted subscriptionID: String?) { self.subscriptionID = subscriptionID }
}

extension Subscription: WireMessage {
  package init(json: JSONValue) throws(WireFormatError) {
    let events = try json.list("firesOn") { event throws(WireFormatError) -> Event in
      guard let known = event.string.flatMap(Event.init(rawValue:)) else {
        throw .expected("create, update or delete", found: event)
      }
      return known
    }
    subscriptionID = try json.string("subscriptionID")
    kind = try json.word("subscriptionType", as: Kind.self)
    query = try json.member("query") { json throws(WireFormatError) in try Query(json: json) }
    zoneID = try json.zoneID()
    zoneWide = try json.bool("zoneWide") ?? false
    firesOn = Set(events ?? [])
    firesOnce = try json.bool("firesOnce") ?? false
    notificationInfo = json["notificationInfo"]
  }

  package var json: JSONValue {
    var object = JSONObject()
    object.set("subscriptionID", subscriptionID)
    object.set("subscriptionType", kind?.rawValue)
    object["query"] = query?.json
    object["zoneID"] = zoneID?.json
    object.set("zoneWide", zoneWide, default: false)
    if !firesOn.isEmpty {
      object["firesOn"] = .array(Event.allCases.filter(firesOn.contains).map { .string($0.rawValue) })
    }
    object.set("firesOnce", firesOnce, default: false)
    object["notificationInfo"] = notificationInfo
    return .object(object)
  }
}

/// The body of a `subscriptions/modify` request.
package struct SubscriptionsModifyMessage: Sendable, Hashable {
  /// What to do with a subscription.
  package enum Kind: String, Sendable, Hashable, CaseIterable { case create, update, delete }

  /// A change to one subscription.
  package struct Operation: Sendable, Hashable {
    package let kind: Kind
    package let subscription: Subscription

    init(json: JSONValue) throws(WireFormatError) {
      kind = try json.require("operationType", json.word("operationType", as: Kind.self))
      let subscription = try json.member("subscription") { json throws(WireFormatError) in
        try Subscription(json: json)
      }
      self.subscription = try json.require("subscription", subscription)
    }
  }

  package let operations: [Operation]

  package init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    let operations = try json.list("operations") { json throws(WireFormatError) in try Operation(json: json) }
    self.operations = try json.require("operations", operations)
  }
}

/// The body of a `subscriptions/lookup` request.
package struct SubscriptionsLookupMessage: Sendable, Hashable {
  package let subscriptionIDs: [String]

  package init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    let ids = try json.list("subscriptions") { entry throws(WireFormatError) in
      try entry.requiredString("subscriptionID")
    }
    subscriptionIDs = try json.require("subscriptions", ids)
  }
}

/// The body of a `subscriptions/…` reply. A deleted one is its bare id
/// (Documentation/reference/web-services.md#subscriptions, L).
package struct SubscriptionsReply: Sendable, Hashable {
  /// A subscription, or why the server refused it.
  package enum Entry: Sendable, Hashable {
    case subscription(Subscription)
    case failed(subscriptionID: String?, ServerError)
  }

  package var subscriptions: [Entry]

  package init(_ subscriptions: [Entry]) { self.subscriptions = subscriptions }

  package var json: JSONValue {
    let entries = subscriptions.map { entry in
      switch entry {
      case .subscription(let subscription): subscription.json
      case .failed(let id, let error):
        error.errorDictionary(for: "subscriptionID", id.map(JSONValue.string))
      }
    }
    return ["subscriptions": .array(entries)]
  }
}

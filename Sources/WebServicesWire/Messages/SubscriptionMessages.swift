public import CloudKitModel
public import Diagnostics

/// A subscription to changes of records: the service notifies its owner.
public struct Subscription: Sendable, Hashable {
  /// What is watched: the records of a query, or a zone.
  public enum Kind: String, Sendable, Hashable, CaseIterable { case query, zone }
  /// The changes of a record that cause a notification.
  public enum Event: String, Sendable, Hashable, CaseIterable { case create, update, delete }

  public var subscriptionID: String?
  public var kind: Kind?
  public var query: Query?
  public var zoneID: ZoneID?
  public var zoneWide: Bool
  public var firesOn: Set<Event>
  public var firesOnce: Bool
  /// Kept as it came.
  public var notificationInfo: JSONValue?

  public init(
    subscriptionID: String? = nil, kind: Kind?, query: Query? = nil, zoneID: ZoneID? = nil,
    zoneWide: Bool = false, firesOn: Set<Event> = [], firesOnce: Bool = false,
    notificationInfo: JSONValue? = nil
  ) {
    self.subscriptionID = subscriptionID
    self.kind = kind
    self.query = query
    self.zoneID = zoneID
    self.zoneWide = zoneWide
    self.firesOn = firesOn
    self.firesOnce = firesOnce
    self.notificationInfo = notificationInfo
  }
}

extension Subscription: WireMessage {
  public init(json: JSONValue) throws(WireFormatError) {
    let events = try json.list("firesOn") { event throws(WireFormatError) -> Event in
      guard let known = event.string.flatMap(Event.init(rawValue:)) else {
        throw .expected("create, update or delete", found: event)
      }
      return known
    }
    self.init(
      subscriptionID: try json.string("subscriptionID"),
      kind: try json.word("subscriptionType", as: Kind.self),
      query: try json.member("query") { json throws(WireFormatError) in try Query(json: json) },
      zoneID: try json.zoneID(), zoneWide: try json.bool("zoneWide") ?? false,
      firesOn: Set(events ?? []), firesOnce: try json.bool("firesOnce") ?? false,
      notificationInfo: json["notificationInfo"])
  }

  public var json: JSONValue {
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
public struct SubscriptionsModifyMessage: WireMessage, Hashable {
  /// What to do with a subscription.
  public enum Kind: String, Sendable, Hashable, CaseIterable { case create, update, delete }

  /// A change to one subscription.
  public struct Operation: WireMessage, Hashable {
    public var kind: Kind
    public var subscription: Subscription

    public init(_ kind: Kind, _ subscription: Subscription) {
      self.kind = kind
      self.subscription = subscription
    }

    public init(json: JSONValue) throws(WireFormatError) {
      kind = try json.require("operationType", json.word("operationType", as: Kind.self))
      let subscription = try json.member("subscription") { json throws(WireFormatError) in
        try Subscription(json: json)
      }
      self.subscription = try json.require("subscription", subscription)
    }

    public var json: JSONValue {
      ["operationType": .string(kind.rawValue), "subscription": subscription.json]
    }
  }

  public var operations: [Operation]

  public init(_ operations: [Operation]) { self.operations = operations }

  public init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    let operations = try json.list("operations") { json throws(WireFormatError) in try Operation(json: json) }
    self.operations = try json.require("operations", operations)
  }

  public var json: JSONValue { ["operations": .array(operations.map(\.json))] }
}

/// The body of a `subscriptions/lookup` request.
public struct SubscriptionsLookupMessage: WireMessage, Hashable {
  public var subscriptionIDs: [String]

  public init(_ subscriptionIDs: [String]) { self.subscriptionIDs = subscriptionIDs }

  public init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    let ids = try json.list("subscriptions") { entry throws(WireFormatError) in
      try entry.requiredString("subscriptionID")
    }
    subscriptionIDs = try json.require("subscriptions", ids)
  }

  public var json: JSONValue {
    ["subscriptions": .array(subscriptionIDs.map { ["subscriptionID": .string($0)] })]
  }
}

/// The body of a `subscriptions/…` reply. A deleted one is its bare id
/// (Documentation/reference/web-services.md#subscriptions, L).
public struct SubscriptionsReply: WireMessage, Hashable {
  /// A subscription, or why the server refused it.
  public enum Entry: Sendable, Hashable {
    case subscription(Subscription)
    case failed(subscriptionID: String?, ServerError)
  }

  public var subscriptions: [Entry]

  public init(_ subscriptions: [Entry]) { self.subscriptions = subscriptions }

  public init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    let entries = try json.list("subscriptions") { entry throws(WireFormatError) -> Entry in
      if let error = ServerError(errorDictionary: entry) {
        return .failed(subscriptionID: try entry.string("subscriptionID"), error)
      }
      return .subscription(try Subscription(json: entry))
    }
    subscriptions = try json.require("subscriptions", entries)
  }

  public var json: JSONValue {
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

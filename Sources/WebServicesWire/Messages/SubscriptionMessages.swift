package import CloudKitModel
package import Diagnostics

/// A subscription to changes of records: the service notifies its owner.
package struct Subscription: Sendable, Hashable {
  package enum Kind: String, Sendable, Hashable, CaseIterable { case query, zone }
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
    query = try json.member("query", Query.init(json:))
    zoneID = try json.zoneID()
    zoneWide = try json.bool("zoneWide") ?? false
    firesOn = Set(events ?? [])
    firesOnce = try json.bool("firesOnce") ?? false
    notificationInfo = json["notificationInfo"]
  }

  package var json: JSONValue {
    let events = Event.allCases.filter(firesOn.contains).map(\.rawValue)
    return .object([
      "subscriptionID": subscriptionID?.json, "subscriptionType": kind?.rawValue.json, "query": query?.json,
      "zoneID": zoneID?.json,
      "zoneWide": zoneWide.jsonIfTrue, "firesOn": events.isEmpty ? nil : events.json,
      "firesOnce": firesOnce.jsonIfTrue, "notificationInfo": notificationInfo,
    ])
  }
}

package struct SubscriptionsModifyMessage: Sendable, Hashable {
  package enum Kind: String, Sendable, Hashable, CaseIterable { case create, update, delete }

  package struct Operation: Sendable, Hashable {
    package let kind: Kind
    package let subscription: Subscription

    init(json: JSONValue) throws(WireFormatError) {
      kind = try json.require("operationType", json.word("operationType", as: Kind.self))
      subscription = try json.require(
        "subscription", json.member("subscription", Subscription.init(json:)))
    }
  }

  package let operations: [Operation]

  package init(json: JSONValue) throws(WireFormatError) {
    operations = try json.requiredList("operations", Operation.init(json:))
  }
}

package struct SubscriptionsLookupMessage: Sendable, Hashable {
  package let subscriptionIDs: [String]

  package init(json: JSONValue) throws(WireFormatError) {
    subscriptionIDs = try json.requiredList("subscriptions") { entry throws(WireFormatError) in
      try entry.requiredString("subscriptionID")
    }
  }
}

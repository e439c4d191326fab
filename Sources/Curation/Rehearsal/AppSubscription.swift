internal import Diagnostics

/// A subscription of an app to changes of the records that a query finds.
struct AppSubscription: Sendable, Hashable {
  /// The changes that cause a message.
  enum Event: String, CaseIterable { case create, update, delete }

  let firesOn: Set<Event>

  /// `nil` for anything but `{"firesOn": [...]}` with one or more events, each once.
  init?(_ json: JSONValue) {
    guard let members = json.object?.members, members.map(\.key) == ["firesOn"],
      let words = json["firesOn"]?.array, !words.isEmpty
    else { return nil }
    let events = words.compactMap { $0.string.flatMap(Event.init(rawValue:)) }
    firesOn = Set(events)
    guard firesOn.count == words.count else { return nil }
  }

  /// `create, update`
  var words: String { Event.allCases.filter(firesOn.contains).map(\.rawValue).joined(separator: ", ") }

  var json: JSONValue {
    ["firesOn": .array(Event.allCases.filter(firesOn.contains).map { .string($0.rawValue) })]
  }
}

extension AppScreenQuery {
  /// Why the service refuses the query's subscription beside others of one user, as a clause; `nil` if it does not: a
  /// user can have one subscription for a record type and a set of events
  /// (Documentation/reference/web-services.md#subscriptions).
  func collision(with others: [AppScreenQuery]) -> String? {
    guard let subscription else { return nil }
    let rival = others.first {
      $0.recordType == recordType && $0.schema == schema && $0.subscription == subscription
    }
    let kind = "for \(recordType) and \(subscription.words)"
    if let rival {
      return "collides with that of '\(rival.name)': a user can have one subscription \(kind)"
    }
    let parameters = parameters.filter(\.hasManyValues)
    guard let parameter = parameters.first else { return nil }
    return "collides with itself: an app makes one for each $\(parameter.rawValue), and a user can have one "
      + "subscription \(kind)"
  }
}

extension AppScreenQuery.Parameter {
  /// Whether an app makes a query for each of several values at the same time.
  fileprivate var hasManyValues: Bool {
    switch self {
    case .category, .collection, .feed, .session, .tag, .phrase: true
    case .feeds, .now, .lastMonth: false
    }
  }
}

internal import Diagnostics
internal import SchemaLanguage

/// A subscription of an app to changes of the records that a query finds.
struct AppSubscription: Sendable, Hashable {
  enum Event: String, CaseIterable { case create, update, delete }

  let firesOn: Set<Event>
  let desiredKeys: [String]

  /// `nil` for anything but `{"firesOn": [...], "desiredKeys": [...]}` with one or more events, each once. The second may
  /// be missing.
  init?(_ json: JSONValue) {
    guard let members = json.object?.members,
      members.allSatisfy({ ["firesOn", "desiredKeys"].contains($0.key) }),
      let words = json["firesOn"]?.array, !words.isEmpty
    else { return nil }
    let events = words.compactMap { $0.string.flatMap(Event.init(rawValue:)) }
    firesOn = Set(events)
    let keys = json["desiredKeys"].map { $0.array ?? [.null] } ?? []
    desiredKeys = keys.compactMap(\.string)
    guard firesOn.count == words.count, desiredKeys.count == keys.count else { return nil }
  }

  /// `create, update`
  var words: String { Event.allCases.filter(firesOn.contains).map(\.rawValue).joined(separator: ", ") }

  var json: JSONValue {
    var json: JSONObject = [
      "firesOn": .array(Event.allCases.filter(firesOn.contains).map { .string($0.rawValue) })
    ]
    if !desiredKeys.isEmpty { json["desiredKeys"] = .array(desiredKeys.map(JSONValue.string)) }
    return .object(json)
  }

  /// The fields that a message contains at most (Documentation/reference/web-services.md#subscriptions).
  private static let maxKeys = 3

  /// Why a message cannot contain its fields, a sentence each.
  func problems(with type: RecordType) -> [String] {
    var problems = desiredKeys.compactMap { key -> String? in
      guard let field = type.fields.first(where: { $0.name == key }) else {
        let near = SpellingSuggestion.nearest(to: key, among: type.fields.map(\.name))
        return "\(type.name) has no field '\(key)'\(near.map { "; did you mean '\($0)'?" } ?? "")"
      }
      switch field.type {
      case .scalar(.plain(let plain)) where plain != .bytes: return nil
      case .scalar(.reference), .scalar(.number): return nil
      default: return "a message cannot contain '\(key)', which is \(field.type)"
      }
    }
    if Set(desiredKeys).count > Self.maxKeys {
      problems.append("a message contains at most \(Self.maxKeys) fields, and \(desiredKeys.count) are named")
    }
    if firesOn == [.delete], !desiredKeys.isEmpty {
      problems.append("a message about a deletion contains no fields")
    }
    return problems
  }
}

extension AppScreenQuery {
  /// The predicate of the subscription: `isHidden EQUALS 0`, a filter each.
  var subscribedFilters: [String] {
    conditions.map { condition in
      let value =
        switch condition.value {
        case .plain(let json): json.text()
        case .parameter(let parameter): "$\(parameter.rawValue)"
        }
      return "\(condition.filter.field) \(condition.filter.comparator.rawValue) \(value)"
    }
  }

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

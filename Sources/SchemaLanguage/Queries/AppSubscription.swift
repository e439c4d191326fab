package import Diagnostics

/// A subscription of an app to changes of the records that a query finds.
package struct AppSubscription: Sendable {
  package enum Event: String, CaseIterable { case create, update, delete }

  package let firesOn: Set<Event>
  package let desiredKeys: [String]

  /// `nil` for anything but `{"firesOn": [...], "desiredKeys": [...]}` with one or more events, each once. The second may
  /// be missing.
  package init?(_ json: JSONValue) {
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
  package var words: String {
    Event.allCases.filter(firesOn.contains).map(\.rawValue).joined(separator: ", ")
  }

  package var json: JSONValue {
    var json: JSONObject = [
      "firesOn": .array(Event.allCases.filter(firesOn.contains).map { .string($0.rawValue) })
    ]
    if !desiredKeys.isEmpty { json["desiredKeys"] = .array(desiredKeys.map(JSONValue.string)) }
    return .object(json)
  }

  /// The fields that a message contains at most (Documentation/reference/web-services.md#subscriptions).
  private static let maxKeys = 3

  /// Why a message cannot contain its fields, a sentence each.
  package func problems(with type: RecordType) -> [String] {
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

extension AppQuery {
  /// Why the service refuses the query's subscription beside others of one user, as a clause; `nil` if it does not: a user
  /// can have one for a record type and its events, whatever else two of them say
  /// (Documentation/reference/web-services.md#subscriptions).
  package func collision(with others: [AppQuery]) -> String? {
    guard let subscription else { return nil }
    let kind = "for \(recordType) and \(subscription.words)"
    let rival = others.first {
      $0.recordType == recordType && $0.subscription?.firesOn == subscription.firesOn && $0.schema == schema
    }
    if let rival {
      return "collides with that of '\(rival.name)': a user can have one subscription \(kind)"
    }
    let parameter = filters.lazy.compactMap { $0.value?.string }.first(where: Self.manyValues.contains)
    return parameter.map {
      "collides with itself: an app makes one for each \($0), and a user can have one subscription \(kind)"
    }
  }

  /// The parameters for each of whose values an app makes a query at the same time.
  private static let manyValues: Set<String> = [
    "$category", "$collection", "$feed", "$session", "$tag", "$phrase",
  ]
}

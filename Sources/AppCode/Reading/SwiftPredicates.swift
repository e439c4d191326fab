internal import Diagnostics
internal import SchemaLanguage

/// What the properties and functions of an app's code that give a predicate ask for: `Type.name`, or `name` outside of types.
struct SwiftPredicates: Sendable {
  /// What a body may name instead of making a predicate itself.
  private struct Reference: Sendable, Equatable {
    /// The names that are possible, the surest first.
    let keys: [String]
    /// Where the body returns it, and nothing else.
    let place: SourceRange?
  }

  private var conditions: [String: [PredicateCondition]] = [:]
  private var references: [String: [Reference]] = [:]

  mutating func add(_ found: [PredicateCondition], to key: String) {
    conditions[key, default: []] += found
  }

  /// - Parameter place: where only running the code shows the predicate, if none of the names is known.
  mutating func refer(to keys: [String], from key: String, orUnknownAt place: SourceRange? = nil) {
    let reference = Reference(keys: keys, place: place)
    guard !keys.isEmpty || place != nil, references[key]?.contains(reference) != true else { return }
    references[key, default: []].append(reference)
  }

  /// The conditions of each name. A body with branches asks for one of them, so all count; a name without any is left out.
  static func joined(_ files: [SwiftPredicates]) -> [String: [PredicateCondition]] {
    var all = SwiftPredicates()
    for file in files {
      all.conditions.merge(file.conditions, uniquingKeysWith: +)
      all.references.merge(file.references, uniquingKeysWith: +)
    }
    var found: [String: [PredicateCondition]] = [:]
    for key in Set(all.conditions.keys).union(all.references.keys).sorted() {
      let asked = all.resolved(key)
      if asked.contains(where: { $0.subject != .unknown }) { found[key] = asked }
    }
    return found
  }

  /// - Parameter depth: how many names may stand for others.
  private func resolved(_ key: String, depth: Int = 4) -> [PredicateCondition] {
    (conditions[key] ?? [])
      + (references[key] ?? []).flatMap { reference -> [PredicateCondition] in
        let known = reference.keys.first {
          $0 != key && (conditions[$0] != nil || references[$0] != nil)
        }
        if let known, depth > 0 { return resolved(known, depth: depth - 1) }
        return reference.place.map { [.unknown($0)] } ?? []
      }
  }
}

extension RandomAccessCollection {
  /// The elements whose key an earlier element has, each with the first element of that key. Elements with the key
  /// `nil` are left out.
  ///
  /// Inlinable, because catalogs are large: unspecialized it takes a quarter of the time in which seeds are read.
  @inlinable
  package func repeated<Key: Hashable>(by key: (Element) -> Key?) -> [(element: Element, first: Element)] {
    var firsts: [Key: Index] = [:]
    firsts.reserveCapacity(count)
    var repeated: [(element: Element, first: Element)] = []
    for index in indices {
      guard let key = key(self[index]) else { continue }
      if let first = firsts[key] {
        repeated.append((self[index], self[first]))
      } else {
        firsts[key] = index
      }
    }
    return repeated
  }
}

extension Sequence {
  /// The first element of each key. Inlinable for the same reason.
  @inlinable
  package func keyed<Key: Hashable>(by key: (Element) -> Key?) -> [Key: Element] {
    var keyed: [Key: Element] = [:]
    for element in self {
      if let key = key(element), keyed[key] == nil { keyed[key] = element }
    }
    return keyed
  }

  /// The elements in groups of one key each, in the order of their first elements. An element without a key is a group of
  /// its own. Inlinable for the same reason.
  @inlinable
  package func groups<Key: Hashable>(by key: (Element) -> Key?) -> [[Element]] {
    var groups: [[Element]] = []
    var places: [Key: Int] = [:]
    for element in self {
      let key = key(element)
      if let place = key.flatMap({ places[$0] }) {
        groups[place].append(element)
      } else {
        if let key { places[key] = groups.count }
        groups.append([element])
      }
    }
    return groups
  }
}

extension Sequence where Element: Hashable {
  /// Each element once, in the order of the first ones.
  package var unique: [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}

/// A value with a change.
@inlinable
package func copy<Value>(of value: Value, _ change: (inout Value) throws -> Void) rethrows -> Value {
  var value = value
  try change(&value)
  return value
}

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

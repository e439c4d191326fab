/// Merges two lists of declarations by name.
enum SortedMerge {
  /// Visits every name of both lists in byte order, with its declaration in each list. If a name is declared twice,
  /// the last declaration is used. Sorted lists, such as exports, are not sorted again.
  static func walk<Element>(
    _ old: [Element], _ new: [Element], name: (Element) -> String, visit: (Element?, Element?) -> Void
  ) {
    let old = inOrder(old, name)
    let new = inOrder(new, name)
    var (left, right) = (old.startIndex, new.startIndex)
    while left < old.endIndex || right < new.endIndex {
      let takesLeft =
        right == new.endIndex || left < old.endIndex && !byteOrder(name(new[right]), name(old[left]))
      let takesRight =
        left == old.endIndex || right < new.endIndex && !byteOrder(name(old[left]), name(new[right]))
      visit(takesLeft ? old[left] : nil, takesRight ? new[right] : nil)
      if takesLeft { left += 1 }
      if takesRight { right += 1 }
    }
  }

  private static func inOrder<Element>(_ elements: [Element], _ name: (Element) -> String) -> [Element] {
    let isOrdered = elements.indices.dropFirst().allSatisfy {
      byteOrder(name(elements[$0 - 1]), name(elements[$0]))
    }
    guard !isOrdered else { return elements }
    let last = Dictionary(elements.map { (name($0), $0) }, uniquingKeysWith: { $1 })
    return last.values.sorted { byteOrder(name($0), name($1)) }
  }
}

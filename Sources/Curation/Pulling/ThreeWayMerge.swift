internal import Diagnostics

/// Merges lists that files and container both changed: tags as sets, the feeds of a collection element by element.
enum ThreeWayMerge {
  /// `nil` if the field is not a list, and if both sides moved elements.
  static func merged(
    _ field: String, base: JSONValue?, file: JSONValue?, container: JSONValue?
  ) -> JSONValue? {
    let merged: [JSONValue]? =
      switch field {
      case "tags": mergedSet(base.elements, file.elements, container.elements)
      case "feeds": mergedList(base.elements, file.elements, container.elements)
      default: nil
      }
    return merged.map(JSONValue.array)
  }

  /// The file's order without the elements that the container removed, and with those that it added at the end.
  static func mergedSet(_ base: [JSONValue], _ file: [JSONValue], _ container: [JSONValue]) -> [JSONValue] {
    let (before, there) = (Set(base), Set(container))
    let kept = file.filter { !before.contains($0) || there.contains($0) }
    let here = Set(file)
    return kept + container.filter { !before.contains($0) && !here.contains($0) }
  }

  /// `nil` if both sides moved elements, or added one in different places.
  static func mergedList(_ base: [JSONValue], _ file: [JSONValue], _ container: [JSONValue]) -> [JSONValue]? {
    let shared = Set(file).intersection(container)
    let common = shared.intersection(base)
    // What both added may stand in different places.
    guard common == shared || file.filter(shared.contains) == container.filter(shared.contains) else {
      return nil
    }
    let orders = [base, file, container].map { $0.filter(common.contains) }
    if orders[0] == orders[2] { return inserted(base, from: container, into: file) }
    if orders[0] == orders[1] { return inserted(base, from: file, into: container) }
    return orders[1] == orders[2] ? inserted(base, from: container, into: file) : nil
  }

  /// `list` without the elements that `other` removed, and with those that `other` added, each after the element that
  /// precedes it there.
  private static func inserted(_ base: [JSONValue], from other: [JSONValue], into list: [JSONValue])
    -> [JSONValue]
  {
    let (before, there) = (Set(base), Set(other))
    var result = list.filter { !before.contains($0) || there.contains($0) }
    for (index, element) in other.enumerated() where !before.contains(element) && !result.contains(element) {
      let anchor = other[..<index].last { result.contains($0) }.flatMap { result.firstIndex(of: $0) }
      result.insert(element, at: anchor.map { $0 + 1 } ?? 0)
    }
    return result
  }
}

extension JSONValue? {
  fileprivate var elements: [JSONValue] { self?.array ?? [] }
}

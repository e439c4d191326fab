internal import Diagnostics

/// The result of a three-way merge of one field: base, files and container.
enum FieldMergeResult: Equatable {
  case keep
  /// The new value for the files; `nil` removes the field.
  case take(JSONValue?)
  case conflict
}

/// Merges fields of seeds and container against their last common values. A change on one side wins, equal changes
/// agree, and different changes are a conflict. Tags are merged as sets, the feeds of a collection element by
/// element.
enum ThreeWayMerge {
  /// - Parameter base: `nil` without a base; `.some(nil)` for a field that the base does not have.
  static func decide(
    _ field: String, base: JSONValue??, file: JSONValue?, container: JSONValue?
  ) -> FieldMergeResult {
    if file == container { return .keep }
    guard let base else { return .conflict }
    if base == file { return .take(container) }
    if base == container { return .keep }
    let merged: [JSONValue]? =
      switch field {
      case "tags": mergedSet(base.elements, file.elements, container.elements)
      case "feeds": mergedList(base.elements, file.elements, container.elements)
      default: nil
      }
    guard let merged else { return .conflict }
    let value = JSONValue.array(merged)
    return value == file ? .keep : .take(value)
  }

  /// The file's order without the elements that the container removed, and with those that it added at the end.
  static func mergedSet(_ base: [JSONValue], _ file: [JSONValue], _ container: [JSONValue]) -> [JSONValue] {
    let (before, there) = (Set(base), Set(container))
    let kept = file.filter { !before.contains($0) || there.contains($0) }
    let here = Set(file)
    return kept + container.filter { !before.contains($0) && !here.contains($0) }
  }

  /// `nil` if both sides moved elements.
  static func mergedList(_ base: [JSONValue], _ file: [JSONValue], _ container: [JSONValue]) -> [JSONValue]? {
    let common = Set(base).intersection(file).intersection(container)
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

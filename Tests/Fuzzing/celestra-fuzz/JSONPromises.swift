import Diagnostics

/// What the JSON parser and writer promise for any bytes at all.
enum JSONPromises {
  /// The first promise these bytes break, in words; `nil` when all are kept.
  static func broken(by bytes: [UInt8]) -> String? {
    let value = Result { () throws(JSONSyntaxError) in try JSONValue(parsing: bytes) }
    let node = Result { () throws(JSONSyntaxError) in try JSONNode(parsing: bytes) }
    switch (value, node) {
    case (.success(let value), .success(let node)):
      return node.value == value
        ? misplaced(node, in: 0..<bytes.count) ?? misprinted(value) : "positions change the value"
    case (.failure(let error), .failure(let same)):
      guard error == same else { return "with positions the error is another one" }
      return isInside(error.range, 0..<bytes.count)
        ? nil : "the error points outside the text: \(error.range)"
    default: return "only one of the two parsers takes the text"
    }
  }

  /// Every value stands within the one that holds it, after the one before it.
  private static func misplaced(_ node: JSONNode, in outer: Range<Int>) -> String? {
    guard isInside(node.range, outer), !node.range.isEmpty else { return "a value stands at \(node.range)" }
    var rest = node.range
    for member in node.members ?? [] {
      guard isInside(member.keyRange, rest) else { return "a name stands at \(member.keyRange)" }
      rest = member.keyRange.upperBound..<rest.upperBound
      if let problem = misplaced(member.value, in: rest) { return problem }
      rest = member.value.range.upperBound..<rest.upperBound
    }
    for element in node.elements ?? [] {
      if let problem = misplaced(element, in: rest) { return problem }
      rest = element.range.upperBound..<rest.upperBound
    }
    return nil
  }

  private static func isInside(_ inner: Range<Int>, _ outer: Range<Int>) -> Bool {
    inner.lowerBound >= outer.lowerBound && inner.upperBound <= outer.upperBound
  }

  /// What is written reads back as the same value, in either layout, and is written the same way again.
  private static func misprinted(_ value: JSONValue) -> String? {
    for layout in [JSONValue.Layout.compact, .pretty] {
      let text = value.bytes(layout)
      guard let again = try? JSONValue(parsing: text), again == value, again.bytes(layout) == text else {
        return "written as something else: \(String(decoding: text, as: UTF8.self))"
      }
    }
    return value.sorted.sorted == value.sorted ? nil : "sorting twice is not sorting once"
  }
}

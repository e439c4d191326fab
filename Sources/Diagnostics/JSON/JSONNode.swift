/// A JSON value with its position in the text, for messages that point at a mistake.
package struct JSONNode: Sendable {
  package enum Content: Sendable {
    case scalar(JSONValue)
    case array([JSONNode])
    case object([JSONMember])
  }

  package let content: Content
  /// Byte offsets in the parsed text.
  package let range: Range<Int>

  package init(_ content: Content, range: Range<Int>) {
    self.content = content
    self.range = range
  }

  package var value: JSONValue {
    switch content {
    case .scalar(let value): value
    case .array(let elements): .array(elements.map(\.value))
    case .object(let members): .object(JSONObject(members.map { (key: $0.key, value: $0.value.value) }))
    }
  }

  package var members: [JSONMember]? { if case .object(let members) = content { members } else { nil } }
  package var elements: [JSONNode]? { if case .array(let elements) = content { elements } else { nil } }
  package var string: String? { if case .scalar(.string(let value)) = content { value } else { nil } }

  package subscript(key: String) -> JSONNode? {
    guard case .object(let members) = content else { return nil }
    // By index: a closure would be given a copy of each member.
    for index in members.indices where members[index].key == key { return members[index].value }
    return nil
  }
}

/// One `"key": value` of an object.
package struct JSONMember: Sendable {
  package let key: String
  /// Byte offsets of the key with its quotes.
  package let keyRange: Range<Int>
  package let value: JSONNode

  package init(key: String, keyRange: Range<Int>, value: JSONNode) {
    self.key = key
    self.keyRange = keyRange
    self.value = value
  }
}

extension JSONNode {
  /// The first member or element; `nil` for a value without one.
  fileprivate var head: Range<Int>? {
    switch content {
    case .scalar: nil
    case .array(let elements): elements.first?.range
    case .object(let members): members.first.map { $0.keyRange.lowerBound..<$0.value.range.upperBound }
    }
  }
}

extension SourceText {
  /// The place of a finding about a whole value: where its opening bracket is alone on its line, the first member or
  /// element, because the line with the bracket shows nothing of the value.
  package func range(of node: JSONNode) -> SourceRange {
    let start = node.range.lowerBound
    guard let head = node.head, lineNumber(at: head.lowerBound) > lineNumber(at: start),
      text(in: lineStart(lineNumber(at: start))..<start).allSatisfy(\.isWhitespace)
    else { return range(node.range) }
    return range(head)
  }
}

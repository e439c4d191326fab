/// A JSON value with its position in the text, for messages that point at a mistake.
package struct JSONNode: Sendable {
  /// The value, with nodes for its members or elements.
  package enum Content: Sendable {
    /// Neither a list nor an object.
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

  /// The value without its positions.
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

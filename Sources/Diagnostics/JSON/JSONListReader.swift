/// A JSON object with one list of any length. Elements are passed to the caller as they are read and not kept.
/// After a syntax error, everything read before it is still available.
package struct JSONListReader {
  /// The members of the outermost object that could be read, with an empty list in place of the list. Empty if the
  /// value is not an object.
  package private(set) var object = JSONObject()
  /// The syntax error that ended the reading; `nil` if the whole text was read.
  package private(set) var error: JSONSyntaxError?
  /// Whether the outermost value was read to its end. Text after it is a syntax error, but cuts nothing off.
  package private(set) var isComplete = false
  /// Whether a string was longer than ``JSONLimits/text`` and was shortened.
  package private(set) var isTextCut = false

  /// - Parameters:
  /// - name: the key of the list in the outermost object. A value that is not a list is read like other members.
  /// - take: called with each element.
  package init(
    named name: String, parsing bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits,
    take: (JSONValue) -> Void
  ) {
    var parser = JSONParser<JSONValueBuilder>(bytes: bytes, limits: limits)
    do throws(JSONSyntaxError) {
      try parser.members(into: &object, list: name, take)
      isComplete = true
      try parser.end()
    } catch {
      self.error = error
    }
    isTextCut = parser.isTextCut
  }
}

extension JSONParser<JSONValueBuilder> {
  fileprivate mutating func members(
    into object: inout JSONObject, list name: String, _ take: (JSONValue) -> Void
  ) throws(JSONSyntaxError) {
    skipMark()
    skipWhitespace()
    guard peek == UInt8(ascii: "{") else {
      _ = try value()
      return
    }
    try nested { parser throws(JSONSyntaxError) in
      try parser.eachMember { parser, key, _ throws(JSONSyntaxError) in
        parser.skipWhitespace()
        if key == name, parser.peek == UInt8(ascii: "[") {
          try parser.elements(take)
          object.members.append((key, .array([])))
        } else {
          object.members.append((key, try parser.value()))
        }
      }
    }
  }

  private mutating func elements(_ take: (JSONValue) -> Void) throws(JSONSyntaxError) {
    let held = weight
    try nested { parser throws(JSONSyntaxError) in
      try parser.eachElement { parser throws(JSONSyntaxError) in
        take(try parser.value())
        parser.weight = held
      }
    }
  }
}

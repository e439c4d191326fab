/// A JSON object with one list that may be of any length: its elements are handed over as they are read and are not
/// held. What could be read before a mistake counts.
public struct JSONList {
  /// The members of the outermost object, as far as they could be read, with an empty list in the list's place; empty
  /// for any other value.
  public private(set) var object = JSONObject()
  /// What ended the reading.
  public private(set) var error: JSONSyntaxError?
  /// A string was longer than ``JSONLimits/text``.
  public private(set) var isTextCut = false

  /// - Parameters:
  ///   - name: of the member of the outermost object that is the list; when it is no list, it is read like any other.
  ///   - take: is given each element.
  public init(
    named name: String, parsing bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits,
    take: (JSONValue) -> Void
  ) {
    var parser = JSONParser<ValueBuilder>(bytes, limits)
    do throws(JSONSyntaxError) {
      try parser.members(into: &object, list: name, take)
      try parser.end()
    } catch {
      self.error = error
    }
    isTextCut = parser.isTextCut
  }
}

extension JSONParser<ValueBuilder> {
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

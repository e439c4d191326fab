/// A JSON value. Unlike `Codable`, it keeps whether a number was written as an integer, which CloudKit's protocol
/// needs, and the order of an object's members. ``JSONNode`` also keeps positions.
package enum JSONValue: Sendable, Hashable {
  case null
  case bool(Bool)
  /// A number written without fraction or exponent that fits 64 bits.
  case integer(Int64)
  case double(Double)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)
}

/// The members of an object in their written order. The parser refuses repeated keys.
package struct JSONObject: Sendable, Hashable, ExpressibleByDictionaryLiteral {
  package var members: [(key: String, value: JSONValue)]

  package init(_ members: [(key: String, value: JSONValue)] = []) { self.members = members }

  /// A member without a value is left out.
  package init(dictionaryLiteral elements: (String, JSONValue?)...) {
    members = elements.compactMap { key, value in value.map { (key: key, value: $0) } }
  }

  /// Reads a member, or replaces it in place; a new key goes last, `nil` removes the member.
  package subscript(key: String) -> JSONValue? {
    get { index(of: key).map { members[$0].value } }
    set {
      switch (index(of: key), newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append((key, value))
      case (nil, nil): break
      }
    }
  }

  /// Without a copy of each member, which `firstIndex` would give to its closure.
  private func index(of key: String) -> Int? { members.indices.first { members[$0].key == key } }

  package static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.members.count == rhs.members.count
      && zip(lhs.members, rhs.members).allSatisfy { $0.key == $1.key && $0.value == $1.value }
  }

  package func hash(into hasher: inout Hasher) {
    for member in members {
      hasher.combine(member.key)
      hasher.combine(member.value)
    }
  }
}

extension JSONValue {
  package init(_ integer: Int) { self = .integer(Int64(integer)) }
  /// `null` for no text or number, so that the key is there.
  package init(orNull text: String?) { self = text.map(JSONValue.string) ?? .null }
  package init(orNull number: Int64?) { self = number.map(JSONValue.integer) ?? .null }
}

extension Bool { package var json: JSONValue { .bool(self) } }
extension Double { package var json: JSONValue { .double(self) } }

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(JSONObject(elements.map { (key: $0.0, value: $0.1) }))
  }
}

extension JSONValue {
  package var string: String? { if case .string(let value) = self { value } else { nil } }
  package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
  /// Also one that was written with a fraction or an exponent. A double of -2^63 can stand for a smaller number.
  package var wholeNumber: Int64? {
    guard case .double(let value) = self, value > -0x1p63 else { return integer }
    return Int64(exactly: value)
  }
  package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  package var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
  package var object: JSONObject? { if case .object(let value) = self { value } else { nil } }
  package var isNull: Bool { self == .null }

  /// The number as a floating-point value, however it was written.
  package var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }

  /// A member of an object; `nil` for a missing member, for `null`, and for anything but an object.
  package subscript(key: String) -> JSONValue? {
    guard case .object(let object) = self, let value = object[key], value != .null else { return nil }
    return value
  }

  /// An object with more members, each in place of one of the same name; any other value as it is.
  package func adding(_ members: JSONObject) -> JSONValue {
    guard case .object(var object) = self else { return self }
    for (key, value) in members.members { object[key] = value }
    return .object(object)
  }

  package var kindName: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .integer, .double: "a number"
    case .string: "a string"
    case .array: "a list"
    case .object: "an object"
    }
  }
}

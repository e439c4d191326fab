package import Diagnostics

/// A request or reply body that can be written and read.
package protocol WireMessage: Sendable {
  /// Reads a body; a member that is `null` counts as absent, an unknown one is skipped.
  init(json: JSONValue) throws(WireFormatError)
  var json: JSONValue { get }
}

/// The error for JSON that does not follow the protocol, with its place: `operations[3].record.recordName: expected a
/// string`.
///
/// A server answers it with BAD_REQUEST and keeps the detail for its log; a client reports it with the endpoint.
package struct WireFormatError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Names and indexes from the outside in; empty for the whole text.
  package private(set) var path: String
  package let problem: String

  package init(_ problem: String) {
    path = ""
    self.problem = problem
  }

  package var description: String { path.isEmpty ? problem : "\(path): \(problem)" }

  func inside(_ component: String) -> WireFormatError {
    return copy(of: self) {
      $0.path = path.isEmpty || path.hasPrefix("[") ? component + path : "\(component).\(path)"
    }
  }
}

/// Runs `body`, naming the place in any error it throws. The name is made only when it is needed.
func inside<Result>(
  _ component: @autoclosure () -> String, _ body: () throws(WireFormatError) -> Result
) throws(WireFormatError) -> Result {
  do { return try body() } catch { throw error.inside(component()) }
}

extension WireFormatError {
  static func expected(_ kind: String, found value: JSONValue) -> WireFormatError {
    WireFormatError("expected \(kind), found \(value.kindName)")
  }
  static let missing = WireFormatError("is missing")

  private static let unknownTypeWords = "has a type that this version does not know: "
  static func unknownType(_ name: String) -> WireFormatError { WireFormatError(unknownTypeWords + name) }

  /// Whether the service sends a type that was made after this version.
  package var isUnknownType: Bool { problem.hasPrefix(Self.unknownTypeWords) }
}

extension JSONValue {
  /// An integer that may also be a string: CloudKit JS sends `resultsLimit` as its caller gives it.
  var looseInteger: Int64? { integer ?? string.flatMap { Int64($0) } }

  /// The list or object with other elements or values of members; any other value as it is.
  package func mapping(_ change: (JSONValue) -> JSONValue) -> JSONValue {
    switch self {
    case .array(let elements): .array(elements.map(change))
    case .object(let object): .object(JSONObject(object.members.map { ($0.key, change($0.value)) }))
    default: self
    }
  }
}

/// Members of an object, read as the protocol means them: `null` is absent, another type is an error.
extension JSONValue {
  func requireObject() throws(WireFormatError) {
    guard case .object = self else { throw .expected("an object", found: self) }
  }

  func optional<Value>(
    _ key: String, _ kind: String, _ read: (JSONValue) -> Value?
  ) throws(WireFormatError) -> Value? {
    guard let member = self[key] else { return nil }
    guard let value = read(member) else { throw WireFormatError.expected(kind, found: member).inside(key) }
    return value
  }

  func string(_ key: String) throws(WireFormatError) -> String? { try optional(key, "a string", \.string) }

  func integer(_ key: String) throws(WireFormatError) -> Int64? {
    try optional(key, "a whole number", \.integer)
  }

  func number(_ key: String) throws(WireFormatError) -> Double? { try optional(key, "a number", \.number) }

  func bool(_ key: String) throws(WireFormatError) -> Bool? { try optional(key, "true or false", \.bool) }

  func require<Value>(_ key: String, _ value: Value?) throws(WireFormatError) -> Value {
    guard let value else { throw WireFormatError.missing.inside(key) }
    return value
  }

  func requiredString(_ key: String) throws(WireFormatError) -> String { try require(key, string(key)) }

  /// A member that names one of a fixed set of words, spelled exactly.
  func word<Word: RawRepresentable<String>>(
    _ key: String, as type: Word.Type
  ) throws(WireFormatError) -> Word? {
    guard let text = try string(key) else { return nil }
    guard let word = Word(rawValue: text) else {
      throw WireFormatError("'\(text)' is not a known value").inside(key)
    }
    return word
  }

  func strings(_ key: String) throws(WireFormatError) -> [String]? {
    try list(key) { element throws(WireFormatError) in
      guard let text = element.string else { throw .expected("a string", found: element) }
      return text
    }
  }

  func requiredList<Element>(
    _ key: String, _ read: (JSONValue) throws(WireFormatError) -> Element
  ) throws(WireFormatError) -> [Element] {
    try requireObject()
    return try require(key, list(key, read))
  }

  func list<Element>(
    _ key: String, _ read: (JSONValue) throws(WireFormatError) -> Element
  ) throws(WireFormatError) -> [Element]? {
    guard let member = self[key] else { return nil }
    return try inside(key) { () throws(WireFormatError) in
      guard let elements = member.array else { throw .expected("a list", found: member) }
      var result: [Element] = []
      result.reserveCapacity(elements.count)
      for (index, element) in elements.enumerated() {
        result.append(try inside("[\(index)]") { () throws(WireFormatError) in try read(element) })
      }
      return result
    }
  }

  func member<Value>(
    _ key: String, _ read: (JSONValue) throws(WireFormatError) -> Value
  ) throws(WireFormatError) -> Value? {
    guard let member = self[key] else { return nil }
    return try inside(key) { () throws(WireFormatError) in
      try member.requireObject()
      return try read(member)
    }
  }
}

extension Bool {
  /// `nil` for `false`, which is what a missing member means.
  var jsonIfTrue: JSONValue? { self ? .some(.bool(true)) : .none }
}

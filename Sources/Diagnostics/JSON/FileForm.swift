/// The form of a file that this tool writes for itself. Each file says what it is, and has the number of its form.
package struct FileForm: Sendable {
  /// In messages: `a saved plan`.
  private let name: String
  /// In the file; `nil` where the place says it: `celestra-admin plan`.
  private let kind: String?
  /// Increased with every change that an earlier version of this tool would misread.
  private let number: Int64 = 1

  package init(_ name: String, kind: String?) {
    self.name = name
    self.kind = kind
  }

  package var head: JSONObject {
    ["schemaVersion": .integer(number), "kind": kind.map(JSONValue.string)]
  }

  /// Parses a file, or a line of one. Throws ``FileFormError``, also for a text that is nested too deeply, needs too much
  /// memory, or repeats a key.
  package static func parse(_ bytes: some Collection<UInt8>) throws(FileFormError) -> JSONValue {
    var limits = JSONLimits(depth: 32)
    limits.weight = 1 << 30
    do throws(JSONSyntaxError) { return try JSONValue(parsing: bytes, limits: limits) } catch {
      throw FileFormError("the file is not JSON: \(error.message)")
    }
  }

  package func check(_ json: JSONValue) throws(FileFormError) {
    guard kind == nil || json["kind"]?.string == kind else { throw FileFormError("the file is not \(name)") }
    guard let found = json["schemaVersion"]?.integer, found > 0 else {
      throw FileFormError("\(name) has no number of its form")
    }
    guard found <= number else {
      throw FileFormError(
        "it was written by a newer celestra-admin (form \(found) of \(name), this one reads \(number))",
        isNewer: true)
    }
  }
}

package struct FileFormError: Error, Hashable, CustomStringConvertible {
  package let description: String
  package let isNewer: Bool

  package init(_ description: String, isNewer: Bool = false) {
    self.description = description
    self.isNewer = isNewer
  }
}

package protocol FileValue: Sendable {
  var json: JSONValue { get }
  /// Throws ``FileFormError``.
  init(json: JSONValue) throws
}

/// A value in a file of this tool whose members are a table, from which reading and writing follow.
package protocol FileRecord: FileValue {
  /// A value to read the members into.
  init()
  static var members: [FileMember<Self>] { get }
  /// Throws ``FileFormError`` if what was read contradicts itself.
  func check() throws
}

extension FileRecord {
  package func check() throws {}

  /// With the given members before its own.
  package func json(after head: JSONObject) -> JSONObject {
    var object = head
    for member in Self.members {
      if let value = member.write(self) { object.members.append((member.key, value)) }
    }
    return object
  }

  package var json: JSONValue { .object(json(after: [:])) }

  package init(json: JSONValue) throws {
    guard case .object = json else {
      throw FileFormError("an object was expected, but it is \(json.kindName)")
    }
    self.init()
    for member in Self.members { try member.read(&self, json[member.key]) }
    try check()
  }
}

package struct FileMember<Root>: Sendable {
  fileprivate let key: String
  fileprivate let write: @Sendable (Root) -> JSONValue?
  fileprivate let read: @Sendable (inout Root, JSONValue?) throws -> Void

  /// A member that every file has.
  package init<Value: FileValue>(_ key: String, _ path: any WritableKeyPath<Root, Value> & Sendable) {
    self.key = key
    write = { $0[keyPath: path].json }
    read = { root, json in
      guard let json else { throw FileFormError("'\(key)' is missing") }
      root[keyPath: path] = try Value(json: json)
    }
  }

  /// A member that is left out without a value.
  package init<Value: FileValue>(
    _ key: String, optional path: any WritableKeyPath<Root, Value?> & Sendable
  ) {
    self.key = key
    write = { $0[keyPath: path]?.json }
    read = { root, json in root[keyPath: path] = try json.map { try Value(json: $0) } }
  }

  /// A member that is left out where it is empty.
  package init<Value: FileValue & Collection>(
    _ key: String, orEmpty path: any WritableKeyPath<Root, Value> & Sendable
  ) {
    self.key = key
    write = { $0[keyPath: path].isEmpty ? nil : $0[keyPath: path].json }
    read = { root, json in if let json { root[keyPath: path] = try Value(json: json) } }
  }
}

// MARK: - Values

extension String: FileValue {
  package var json: JSONValue { .string(self) }
  package init(json: JSONValue) throws { self = try json.expect(json.string, "a string") }
}

extension Int64: FileValue {
  package var json: JSONValue { .integer(self) }
  package init(json: JSONValue) throws { self = try json.expect(json.integer, "a whole number") }
}

extension Int: FileValue {
  package var json: JSONValue { JSONValue(self) }
  package init(json: JSONValue) throws { self = Int(try Int64(json: json)) }
}

extension JSONValue: FileValue {
  package var json: JSONValue { self }
  package init(json: JSONValue) { self = json }
}

extension JSONObject: FileValue {
  package var json: JSONValue { .object(self) }
  package init(json: JSONValue) throws { self = try json.expect(json.object, "an object") }
}

extension Array: FileValue where Element: FileValue {
  package var json: JSONValue { .array(map(\.json)) }
  package init(json: JSONValue) throws {
    self = try json.expect(json.array, "a list").map(Element.init(json:))
  }
}

extension Set: FileValue where Element: FileValue & Comparable {
  package var json: JSONValue { sorted().json }
  package init(json: JSONValue) throws { self = Set(try [Element](json: json)) }
}

extension Dictionary: FileValue where Key: LosslessStringConvertible & Comparable, Value: FileValue {
  package var json: JSONValue {
    .object(JSONObject(sorted { $0.key < $1.key }.map { (key: $0.key.description, value: $0.value.json) }))
  }

  package init(json: JSONValue) throws {
    let members = try JSONObject(json: json).members.map { member in
      (try json.expect(Key(member.key), "another key"), try Value(json: member.value))
    }
    self.init(members) { first, _ in first }
  }
}

extension FileValue where Self: RawRepresentable, RawValue == String {
  package var json: JSONValue { .string(rawValue) }
  package init(json: JSONValue) throws {
    self = try json.expect(json.string.flatMap(Self.init), "one of the known words")
  }
}

extension JSONValue {
  package func expect<Value>(_ value: Value?, _ what: String) throws(FileFormError) -> Value {
    guard let value else { throw FileFormError("\(what) was expected, but it is \(kindName)") }
    return value
  }
}

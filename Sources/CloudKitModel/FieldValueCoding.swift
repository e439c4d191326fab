package import Diagnostics
internal import FoundationEssentials

package enum FieldValueError: Error, Sendable, Hashable {
  /// The request makes no sense: the service refuses all of it (Documentation/reference/web-services.md#endpoints).
  case malformed(String)
  /// This record's value does not fit: the service refuses the record.
  case invalid(String)

  package var reason: String {
    switch self {
    case .malformed(let reason), .invalid(let reason): reason
    }
  }
}

// MARK: - Writing

extension FieldValue {
  /// As on the wire: `{"value": …, "type": "STRING"}`.
  package var json: JSONValue { ["value": plainJSON, "type": .string(type.wireName)] }

  package var plainJSON: JSONValue {
    switch self {
    case .string(let value): .string(value)
    case .int64(let value): .integer(value)
    case .double(let value): .double(value)
    case .timestamp(let value): .integer(value.milliseconds)
    case .bytes(let value): .string(Data(value).base64EncodedString())
    case .reference(let value): value.json
    case .location(let value): value.json
    case .asset(let value): value.json
    case .list(_, let values): .array(values.map(\.plainJSON))
    }
  }
}

extension Reference {
  package var json: JSONValue { ["recordName": .string(recordName), "action": .string(action.rawValue)] }
}

extension Location {
  package var json: JSONValue {
    .object([
      "latitude": latitude.json, "longitude": longitude.json, "horizontalAccuracy": horizontalAccuracy?.json,
      "verticalAccuracy": verticalAccuracy?.json, "altitude": altitude?.json, "speed": speed?.json,
      "course": course?.json, "timestamp": timestamp?.milliseconds.json,
    ])
  }
}

extension Asset {
  package var json: JSONValue {
    .object([
      "fileChecksum": fileChecksum.json, "size": size.json, "receipt": receipt?.json,
      "wrappingKey": wrappingKey?.json, "referenceChecksum": referenceChecksum?.json,
      "downloadURL": downloadURL?.json,
    ])
  }
}

// MARK: - Reading

extension FieldValue {
  /// Reads `{"value": …, "type"?: …}`. A missing or null value gives `nil`: the field is to be cleared. Without a type
  /// it is inferred as the service does: dates and bytes are never guessed, and a whole number is INT64.
  package static func reading(_ json: JSONValue) throws(FieldValueError) -> FieldValue? {
    guard case .object(let object) = json else { throw .malformed("BadRequestException: Unexpected input") }
    guard let value = object["value"], value != .null else { return nil }
    guard let typeName = json["type"]?.string else {
      guard json["type"] == nil else { throw .malformed("BadRequestException: Unexpected input") }
      return try inferring(value)
    }
    if typeName.hasPrefix("ENCRYPTED_") || json["isEncrypted"]?.bool == true {
      throw .invalid("encrypted fields are not supported in the public database")
    }
    if typeName == "UNKNOWN_LIST" { return .list(of: .string, []) }
    guard let type = FieldType(wireName: typeName) else {
      throw .malformed("BadRequestException: Unexpected input")
    }
    return try reading(value, as: type)
  }

  package static func reading(_ value: JSONValue, as type: FieldType) throws(FieldValueError) -> FieldValue {
    switch type {
    case .scalar(let scalar): return try reading(value, as: scalar)
    case .list(let element):
      guard case .array(let values) = value else {
        throw .invalid("Invalid value, expected type \(type.wireName).")
      }
      var elements: [FieldValue] = []
      elements.reserveCapacity(values.count)
      for value in values { elements.append(try reading(value, as: element)) }
      return .list(of: element, elements)
    }
  }

  private static func reading(_ value: JSONValue, as type: ScalarType) throws(FieldValueError) -> FieldValue {
    let result: FieldValue? =
      switch type {
      case .string: value.string.map(FieldValue.string)
      case .int64: value.exactInteger.map(FieldValue.int64)
      case .double:
        (value.string.flatMap { try? JSONValue(parsing: $0) } ?? value).number.map(FieldValue.double)
      case .timestamp: value.exactInteger.map { .timestamp(Timestamp(milliseconds: $0)) }
      case .bytes: value.string.flatMap { Data(base64Encoded: $0) }.map { .bytes(Array($0)) }
      case .reference: try Reference(json: value).map(FieldValue.reference)
      case .location: Location(json: value).map(FieldValue.location)
      case .asset: Asset(json: value).map(FieldValue.asset)
      }
    guard let result else { throw .invalid("Invalid value, expected type \(type.wireName).") }
    return result
  }

  private static func inferring(_ value: JSONValue) throws(FieldValueError) -> FieldValue {
    switch value {
    case .string(let text): return .string(text)
    case .integer(let number): return .int64(number)
    case .double(let number): return .double(number)
    case .array(let values):
      guard let first = values.first else { return .list(of: .string, []) }
      // JavaScript writes 1.0 as 1: one fraction makes a list of numbers a list of DOUBLEs.
      let deciding = values.first { if case .double = $0 { true } else { false } } ?? first
      return try reading(value, as: .list(try inferring(deciding).type.element))
    case .object(let object):
      let type: ScalarType? =
        object["recordName"] != nil
        ? .reference : object["latitude"] != nil ? .location : object["receipt"] != nil ? .asset : nil
      guard let type else { throw .malformed("BadRequestException: Unexpected input") }
      return try reading(value, as: type)
    case .bool, .null: throw .malformed("BadRequestException: Unexpected input")
    }
  }
}

extension JSONValue {
  /// A whole number, also when it travels as a string (`numbersAsStrings`) or was written as `1.0`.
  fileprivate var exactInteger: Int64? { string.flatMap { Int64($0) } ?? wholeNumber }
}

extension Reference {
  init?(json: JSONValue) throws(FieldValueError) {
    guard let recordName = json["recordName"]?.string else { return nil }
    guard let action = json["action"] else {
      self.init(recordName)
      return
    }
    guard let known = action.string.flatMap(Action.init(rawValue:)) else {
      throw .malformed("BadRequestException: Unexpected input")
    }
    self.init(recordName, action: known)
  }
}

extension Location {
  /// `nil` also for an optional member of another kind, which would be lost otherwise.
  init?(json: JSONValue) {
    guard let latitude = json["latitude"]?.number, let longitude = json["longitude"]?.number else {
      return nil
    }
    self.init(
      latitude: latitude, longitude: longitude, horizontalAccuracy: json["horizontalAccuracy"]?.number,
      verticalAccuracy: json["verticalAccuracy"]?.number, altitude: json["altitude"]?.number,
      speed: json["speed"]?.number, course: json["course"]?.number,
      timestamp: json["timestamp"]?.exactInteger.map(Timestamp.init(milliseconds:)))
    let read = self.json
    let optional = ["horizontalAccuracy", "verticalAccuracy", "altitude", "speed", "course", "timestamp"]
    guard optional.allSatisfy({ json[$0] == nil || read[$0] != nil }) else { return nil }
  }
}

extension Asset {
  init?(json: JSONValue) {
    guard let checksum = json["fileChecksum"]?.string, let size = json["size"]?.exactInteger else {
      return nil
    }
    self.init(
      fileChecksum: checksum, size: size, receipt: json["receipt"]?.string,
      wrappingKey: json["wrappingKey"]?.string,
      referenceChecksum: json["referenceChecksum"]?.string, downloadURL: json["downloadURL"]?.string)
  }
}

extension FieldValueError: CommandFailureConvertible {
  package var failure: CommandFailure { CommandFailure(reason, code: "bad-input") }
}

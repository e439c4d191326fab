internal import CloudKitModel
internal import Diagnostics

/// Converts field values to and from SQLite: simple values natively, all others as JSON text.
enum StoredValue {
  static func encode(_ value: FieldValue) -> SQLValue {
    switch value {
    case .string(let text): .text(text)
    case .int64(let number): .integer(number)
    case .double(let number): .real(number)
    case .timestamp(let time): .integer(time.milliseconds)
    case .bytes(let bytes): .blob(bytes)
    case .reference(let reference): .text(reference.recordName)
    case .location, .asset: .text(value.plainJSON.text())
    case .list(_, let elements): .text(JSONValue.array(elements.map(element)).text())
    }
  }

  /// Encodes a list's element as JSON. A reference without an action is stored as its record name only, so that SQL
  /// can read it.
  private static func element(_ value: FieldValue) -> JSONValue {
    if case .reference(let reference) = value, reference.action == .none {
      return .string(reference.recordName)
    }
    return value.plainJSON
  }

  static func decode(_ stored: SQLValue, as type: FieldType) throws -> FieldValue? {
    if stored == .null { return nil }
    if let value = try decodePresent(stored, as: type) { return value }
    throw StorageFailure.damaged("the stored value of a \(type) field has another type")
  }

  private static func decodePresent(_ stored: SQLValue, as type: FieldType) throws -> FieldValue? {
    switch (type, stored) {
    case (.scalar(.string), .text(let text)): .string(text)
    case (.scalar(.int64), .integer(let number)): .int64(number)
    case (.scalar(.double), .real(let number)): .double(number)
    case (.scalar(.timestamp), .integer(let time)): .timestamp(Timestamp(milliseconds: time))
    case (.scalar(.bytes), .blob(let bytes)): .bytes(bytes)
    case (.scalar(.reference), .text(let name)): .reference(Reference(name))
    case (.scalar(.location), .text(let json)), (.scalar(.asset), .text(let json)):
      try FieldValue.reading(JSONValue(parsing: json), as: type)
    case (.list(let element), .text(let json)): try decodeList(JSONValue(parsing: json), of: element)
    default: nil
    }
  }

  private static func decodeList(_ json: JSONValue, of type: ScalarType) throws -> FieldValue? {
    guard let elements = json.array else { return nil }
    let values = try elements.map { element -> FieldValue in
      if type == .reference, let name = element.string { return .reference(Reference(name)) }
      return try FieldValue.reading(element, as: .scalar(type))
    }
    return .list(of: type, values)
  }
}

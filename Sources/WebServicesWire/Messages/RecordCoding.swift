package import CloudKitModel
package import Diagnostics

/// The format in which a server writes records, where Apple's documentation leaves a choice.
package struct RecordReplyFormat: Sendable, Hashable {
  /// INT64 and DOUBLE values as text, as a request may ask for.
  package var numbersAsStrings: Bool
  /// Give an empty list the type `UNKNOWN_LIST`, as two Swift clients once met it, instead of the type of its field
  /// (Documentation/reference/web-services.md#field-types, L).
  package var emptyListsAreUntyped: Bool
  /// Give every list the type `LIST`, as one client's older notes have it.
  package var listsAreUntyped = false
  /// `numbersAsStrings` is about TIMESTAMP as well (?).
  package var timestampsAsStrings = false
  /// A DOUBLE without decimals is written with a fraction, `3.0`, instead of as the service does.
  package var wholeDoublesHaveFraction = false

  package init(numbersAsStrings: Bool = false, emptyListsAreUntyped: Bool = false) {
    self.numbersAsStrings = numbersAsStrings
    self.emptyListsAreUntyped = emptyListsAreUntyped
  }
}

/// The record dictionary of replies (Documentation/reference/web-services.md#record-dictionary).
extension Record {
  package func json(_ format: RecordReplyFormat = RecordReplyFormat()) -> JSONValue {
    let fields = fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json(format)) }
    return .object([
      "recordName": recordName.json, "recordType": recordType.json, "fields": .object(JSONObject(fields)),
      "pluginFields": [:], "recordChangeTag": changeTag?.json, "created": created?.json,
      "modified": modified?.json, "deleted": false,
    ])
  }

  package init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    let name = try json.requiredString("recordName")
    self.init(
      recordType: try json.requiredString("recordType"), recordName: name,
      fields: try inside("(\(name))") { () throws(WireFormatError) in
        try json.member("fields") { fields throws(WireFormatError) in try Self.fields(fields) } ?? [:]
      },
      changeTag: try json.string("recordChangeTag"), created: try json.stamp("created"),
      modified: try json.stamp("modified"))
  }

  private static func fields(_ json: JSONValue) throws(WireFormatError) -> [String: FieldValue] {
    guard let members = json.object?.members else { return [:] }
    var fields: [String: FieldValue] = [:]
    fields.reserveCapacity(members.count)
    for member in members where !member.value.isNull {
      do { fields[member.key] = try FieldValue.readingAnswered(member.value) } catch {
        throw WireFormatError(error.reason).inside(member.key)
      }
    }
    return fields
  }
}

extension FieldValue {
  func json(_ format: RecordReplyFormat) -> JSONValue {
    var typeName = type.wireName
    if case .list(_, let elements) = self {
      if elements.isEmpty, format.emptyListsAreUntyped { return ["value": [], "type": "UNKNOWN_LIST"] }
      if format.listsAreUntyped { typeName = "LIST" }
    }
    return ["value": format.plain(self), "type": .string(typeName)]
  }

  /// A value of a reply. A list may come as a bare `LIST`: its type is then what its elements look like.
  fileprivate static func readingAnswered(_ json: JSONValue) throws(FieldValueError) -> FieldValue? {
    guard let type = json["type"]?.string, let value = json["value"] else { return try reading(json) }
    guard isKnown(type) else { throw .malformed(WireFormatError.unknownType(type).problem) }
    if type == "LIST" { return try reading(["value": value]) }
    // Apple's own containers name numbers so (L).
    guard type.hasPrefix("NUMBER_") else { return try reading(json) }
    return try reading(["value": value, "type": .string(String(type.dropFirst("NUMBER_".count)))])
  }

  private static func isKnown(_ type: String) -> Bool {
    type == "LIST" || type == "UNKNOWN_LIST" || type.hasPrefix("NUMBER_") || type.hasPrefix("ENCRYPTED_")
      || FieldType(wireName: type) != nil
  }
}

extension RecordReplyFormat {
  fileprivate func plain(_ value: FieldValue) -> JSONValue {
    let type = value.type.element
    let isText = type == .int64 || type == .double || type == .timestamp && timestampsAsStrings
    let isReal = type == .double || type == .location
    let json = isReal && !wholeDoublesHaveFraction ? value.plainJSON.withoutEmptyFractions : value.plainJSON
    return numbersAsStrings && isText ? json.numbersAsStrings : json
  }
}

extension JSONValue {
  /// Whole numbers without a fraction, as far as a double holds them exactly.
  fileprivate var withoutEmptyFractions: JSONValue {
    guard case .double(let value) = self else { return mapping(\.withoutEmptyFractions) }
    let isExact = abs(value) < 0x1p53 && !(value == 0 && value.sign == .minus)
    return isExact ? Int64(exactly: value).map(JSONValue.integer) ?? self : self
  }

  fileprivate var numbersAsStrings: JSONValue {
    switch self {
    case .integer(let value): .string(String(value))
    case .double(let value): .string(value.description)
    case .array(let values): .array(values.map(\.numbersAsStrings))
    default: self
    }
  }

  /// Members that are missing are taken as empty: no job depends on them.
  fileprivate func stamp(_ key: String) throws(WireFormatError) -> RecordStamp? {
    try member(key) { json throws(WireFormatError) in
      RecordStamp(
        timestamp: Timestamp(milliseconds: try json.integer("timestamp") ?? 0),
        userRecordName: try json.string("userRecordName") ?? "", deviceID: try json.string("deviceID") ?? "")
    }
  }
}

extension RecordStamp {
  /// Always all three members: a known client drops the stamp otherwise.
  package var json: JSONValue {
    [
      "timestamp": timestamp.milliseconds.json, "userRecordName": userRecordName.json,
      "deviceID": deviceID.json,
    ]
  }
}

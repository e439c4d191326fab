package import Diagnostics
package import SchemaLanguage

/// Reads fields in the notation for users: plain JSON values whose types the schema declares, such as `"title":
/// "News"`, with times in ISO 8601, references by record name, and true or false for the numbers 1 and 0. Also reads
/// the notation of Web Services, `{"type": …, "value": …}`.
package enum FieldNotation {
  /// The fields' values.
  ///
  /// - Parameter declared: the types of the record type's fields; a field without one is typed by its value.
  package static func fields(
    _ json: JSONValue, declared: [String: FieldType]
  ) throws(FieldValueError) -> [String: FieldValue] {
    guard let fields = json.object else { return try Record.fields(json) }
    return try Record.fields(
      .object(JSONObject(fields.members.map { ($0.key, onTheWire($0.value, declared[$0.key])) })))
  }

  /// The value of a filter that a file has, of the type of a field's values, or a list of them, as the comparator takes it;
  /// `nil` for null. A time may also count from now, as `-30d`.
  ///
  /// - Parameter type: `nil` where the field is not known: then the value is typed as it is written.
  package static func filterValue(
    _ json: JSONValue, _ comparator: Comparator, as type: ScalarType?, now: Timestamp
  ) throws(FieldValueError) -> FieldValue? {
    let declared = (type ?? (json.bool == nil ? nil : .int64)).map {
      comparator.takesList ? FieldType.list($0) : .scalar($0)
    }
    return try FieldValue.reading(onTheWire(json, declared, now: now))
  }

  private static func onTheWire(_ json: JSONValue, _ declared: FieldType?, now: Timestamp? = nil) -> JSONValue
  {
    if json.object?["value"] != nil { return json }
    guard let declared else { return ["value": json] }
    return ["value": value(json, declared.element, now), "type": .string(declared.wireName)]
  }

  private static func value(_ json: JSONValue, _ type: ScalarType, _ now: Timestamp?) -> JSONValue {
    switch (type, json) {
    case (_, .array(let elements)): .array(elements.map { value($0, type, now) })
    case (.int64, .bool(let isTrue)): .integer(isTrue ? 1 : 0)
    // A time in ISO 8601.
    case (.timestamp, .string(let text)):
      Timestamp(text: text, now: now).map { .integer($0.milliseconds) } ?? json
    case (.reference, .string(let name)): ["recordName": .string(name), "action": "NONE"]
    default: json
    }
  }
}

package import Diagnostics

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

  private static func onTheWire(_ json: JSONValue, _ declared: FieldType?) -> JSONValue {
    if json.object?["value"] != nil { return json }
    guard let declared else { return ["value": json] }
    return ["value": value(json, declared.element), "type": .string(declared.wireName)]
  }

  private static func value(_ json: JSONValue, _ type: ScalarType) -> JSONValue {
    switch (type, json) {
    case (_, .array(let elements)): .array(elements.map { value($0, type) })
    case (.int64, .bool(let isTrue)): .integer(isTrue ? 1 : 0)
    // A time in ISO 8601.
    case (.timestamp, .string(let text)): Timestamp(text: text).map { .integer($0.milliseconds) } ?? json
    case (.reference, .string(let name)): ["recordName": .string(name), "action": "NONE"]
    default: json
    }
  }
}

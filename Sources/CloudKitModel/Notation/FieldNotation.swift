public import Diagnostics

/// Reads fields in the notation for users: plain JSON values whose types the schema declares, such as `"title":
/// "News"`, with times in ISO 8601, references by record name, and true or false for the numbers 1 and 0. Also reads
/// the notation of Web Services, `{"type": …, "value": …}`.
public enum FieldNotation {
  /// The fields' values.
  ///
  /// - Parameter declared: the types of the record type's fields; a field without one is typed by its value.
  public static func fields(
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
    case (.timestamp, _): CKToolNotation.milliseconds(json)
    case (.reference, .string(let name)): ["recordName": .string(name), "action": "NONE"]
    default: json
    }
  }
}

/// Reads and writes fields in the JSON notation of Apple's cktool: `{"title": {"type": "stringType", "value": "…"}}`,
/// with times in ISO 8601 and files by the key that the command line gives them (its manual page, create-record).
/// Also reads the type names and milliseconds of Web Services.
public enum CKToolNotation {
  /// The type behind Apple's name for it: `stringListType` is `STRING_LIST`.
  public static func type(_ name: String) -> FieldType? {
    guard name.hasSuffix("Type") else { return nil }
    let stem = name.dropLast(4)
    guard stem.hasSuffix("List") else { return scalar(stem).map(FieldType.scalar) }
    return scalar(stem.dropLast(4)).map(FieldType.list)
  }

  private static func scalar(_ name: Substring) -> ScalarType? {
    name == "date" ? .timestamp : ScalarType.allCases.first { $0.rawValue.lowercased() == name }
  }

  /// The fields' values.
  ///
  /// - Parameter assets: the uploaded files, by the key that stands for each.
  public static func fields(
    _ json: JSONValue, assets: [String: Asset] = [:]
  ) throws(FieldValueError) -> [String: FieldValue] {
    guard let fields = json.object else { return try Record.fields(json) }
    var members: [(key: String, value: JSONValue)] = []
    for member in fields.members {
      members.append((member.key, try onTheWire(member.value, assets)))
    }
    return try Record.fields(.object(JSONObject(members)))
  }

  private static func onTheWire(
    _ json: JSONValue, _ assets: [String: Asset]
  ) throws(FieldValueError) -> JSONValue {
    guard var object = json.object, let name = object["type"]?.string, let type = type(name) else {
      return json
    }
    object["type"] = .string(type.wireName)
    switch type.element {
    case .timestamp: object["value"] = object["value"].map(milliseconds)
    case .asset:
      object["value"] = try object["value"].map { json throws(FieldValueError) in
        try file(json, assets)
      }
    default: break
    }
    return .object(object)
  }

  /// A time in ISO 8601, or a list of them, as the wire has it.
  static func milliseconds(_ json: JSONValue) -> JSONValue {
    switch json {
    case .string(let text): Timestamp(text: text).map { .integer($0.milliseconds) } ?? json
    case .array(let values): .array(values.map(milliseconds))
    default: json
    }
  }

  private static func file(_ json: JSONValue, _ assets: [String: Asset]) throws(FieldValueError) -> JSONValue
  {
    switch json {
    case .string(let key):
      guard let asset = assets[key] else { throw .invalid("the file of the asset '\(key)' is missing") }
      return asset.json
    case .array(let values):
      var files: [JSONValue] = []
      for value in values { files.append(try file(value, assets)) }
      return .array(files)
    default: return json
    }
  }
}

extension FilterExpression {
  /// A filter of Apple's: a value may say its own type, as in `stringType:12`.
  public init(cktool text: String) throws(NotationError) {
    try self.init(text)
    let parts = value.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2, let type = CKToolNotation.type(parts[0]) else { return }
    value = parts[1]
    explicitType = type
  }
}

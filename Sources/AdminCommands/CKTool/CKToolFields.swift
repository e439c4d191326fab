internal import CloudKitModel
internal import Diagnostics
internal import PositionedJSON

/// Fields as Apple's tool reads them: `{"title": {"type": "stringType", "value": "…"}}`, times in ISO 8601
/// (cktool's manual page, create-record). The wire's own type names and milliseconds are understood as well.
struct CKToolFields {
  private let source: SourceText

  init(_ source: SourceText) { self.source = source }

  func read() throws -> [String: FieldValue] {
    do {
      return try Record.fields(CKToolFields.onTheWire(JSONValue(parsing: source.bytes)))
    } catch let error as JSONSyntaxError {
      throw CommandFailure(
        "\(source.name) is not valid JSON", code: "bad-input",
        diagnostics: [error.diagnostic(in: source, code: "RC0101")])
    } catch let error as FieldValueError {
      throw CommandFailure("\(source.name): \(error.reason)", code: "bad-input")
    }
  }

  /// The type behind Apple's name for it: `stringListType` is `STRING_LIST`.
  static func type(_ name: String) -> FieldType? {
    guard name.hasSuffix("Type") else { return nil }
    let stem = name.dropLast(4)
    guard stem.hasSuffix("List") else { return scalar(stem).map(FieldType.scalar) }
    return scalar(stem.dropLast(4)).map(FieldType.list)
  }

  private static func scalar(_ name: Substring) -> ScalarType? {
    name == "date" ? .timestamp : ScalarType.allCases.first { $0.rawValue.lowercased() == name }
  }

  private static func onTheWire(_ json: JSONValue) throws -> JSONValue {
    guard let fields = json.object else { return json }
    return .object(JSONObject(try fields.members.map { ($0.key, try field($0.value)) }))
  }

  private static func field(_ json: JSONValue) throws -> JSONValue {
    guard var object = json.object, let name = object["type"]?.string, let type = type(name) else {
      return json
    }
    guard type.element != .asset else {
      throw CommandFailure("assets cannot be written by this command yet", code: "unsupported")
    }
    object["type"] = .string(type.wireName)
    if type.element == .timestamp { object["value"] = object["value"].map(milliseconds) }
    return .object(object)
  }

  private static func milliseconds(_ json: JSONValue) -> JSONValue {
    switch json {
    case .string(let text): Timestamp(text: text).map { .integer($0.milliseconds) } ?? json
    case .array(let values): .array(values.map(milliseconds))
    default: json
    }
  }
}

extension FilterExpression {
  /// A filter of Apple's: a value may say its own type, as in `stringType:12`.
  init(cktool text: String) throws {
    try self.init(text)
    let parts = value.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2, let type = CKToolFields.type(parts[0]) else { return }
    value = parts[1]
    explicitType = type
  }
}

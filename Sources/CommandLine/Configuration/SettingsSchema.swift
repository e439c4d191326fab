package import Diagnostics

/// A JSON Schema (draft-07) of the project file, made from the settings that may stand in it.
package struct SettingsSchema: Sendable {
  package let json: JSONValue

  package init(of settings: [SettingKey]) {
    let keys = settings.filter { $0.places != .process }
    var places: JSONObject = [:]
    for key in keys {
      let name = String(key.name.prefix { $0 != "." })
      guard places[name] == nil else { continue }
      let own = keys.first { $0.name == name }.map { JSONValue.object($0.schema) }
      let members = keys.filter { $0.name.hasPrefix("\(name).") }.map { member in
        (key: String(member.name.dropFirst(name.count + 1)), value: JSONValue.object(member.schema))
      }
      let section = JSONValue.object(Self.section(JSONObject(members)))
      let either: JSONValue? = own.map { ["anyOf": [$0, section]] }
      places[name] = members.isEmpty ? own : either ?? section
    }
    let head: JSONValue = [
      "$schema": "http://json-schema.org/draft-07/schema#", "title": "Settings of celestra-admin",
    ]
    json = head.adding(Self.section(places))
  }

  /// Keys that begin with $ are comments. A setting may also stand under its whole name.
  private static func section(_ properties: JSONObject) -> JSONObject {
    [
      "type": "object", "properties": .object(properties),
      "patternProperties": ["^\\$": [:], "\\.": [:]], "additionalProperties": false,
    ]
  }
}

extension SettingKey {
  fileprivate var schema: JSONObject {
    var schema: JSONObject = ["description": summary.json]
    for member in type.schema.members { schema[member.key] = member.value }
    if let defaultValue {
      // A file that cannot hold the default as its own type says it in words.
      switch type {
      case .boolean: schema["default"] = .bool(defaultValue == "true")
      case .count, .number, .share:
        schema["default"] = Int(defaultValue)?.json ?? Double(defaultValue)?.json
      default: schema["default"] = defaultValue.json
      }
    }
    return schema
  }
}

extension SettingType {
  fileprivate var schema: JSONObject {
    switch self {
    case .text, .path, .time: ["type": "string"]
    case .address: ["type": "string", "pattern": "^https?://"]
    case .boolean: ["type": "boolean"]
    case .count: ["type": "integer", "minimum": 1]
    case .number: ["type": "number", "minimum": .double(0.001), "maximum": 1_000_000]
    case .share: ["type": "number", "minimum": 0, "maximum": 1]
    case .duration: ["type": "string", "pattern": "^([0-9]+(\\.[0-9]+)?[dhms])+$"]
    case .delay: ["type": "string", "pattern": "^(0|([0-9]+(\\.[0-9]+)?[dhms])+)$"]
    case .choice(let words): ["enum": words.json]
    case .list: ["type": "array"]
    case .object: ["type": "object"]
    }
  }
}

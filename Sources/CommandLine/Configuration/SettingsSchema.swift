package import Diagnostics

/// A JSON Schema (draft-07) of the project file, made from the settings that may stand in it.
package struct SettingsSchema: Sendable {
  package let json: JSONValue

  package init(of settings: [SettingKey]) {
    var root = Node()
    for key in settings where key.places != .process {
      root.insert(key, at: key.name.split(separator: ".").map(String.init))
    }
    let head: JSONValue = [
      "$schema": "http://json-schema.org/draft-07/schema#", "title": "Settings of celestra-admin",
    ]
    json = head.adding(root.schema)
  }

  /// What stands at one place of the file: a setting, a section with more of them, or either.
  private struct Node {
    var key: SettingKey?
    var children: [(name: String, node: Node)] = []

    mutating func insert(_ key: SettingKey, at path: some Collection<String>) {
      guard let name = path.first else { return self.key = key }
      if !children.contains(where: { $0.name == name }) { children.append((name, Node())) }
      for index in children.indices where children[index].name == name {
        children[index].node.insert(key, at: path.dropFirst())
      }
    }

    var schema: JSONObject {
      guard !children.isEmpty else { return key?.schema ?? [:] }
      // Keys that begin with $ are comments. A setting may also stand under its whole name.
      let section: JSONObject = [
        "type": "object",
        "properties": .object(JSONObject(children.map { (key: $0.name, value: .object($0.node.schema)) })),
        "patternProperties": ["^\\$": [:], "\\.": [:]], "additionalProperties": false,
      ]
      guard let key else { return section }
      return ["anyOf": [.object(key.schema), .object(section)]]
    }
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
    case .number: ["type": "number", "exclusiveMinimum": 0]
    case .share: ["type": "number", "minimum": 0, "maximum": 1]
    case .duration: ["type": "string", "pattern": "^(0|([0-9]+(\\.[0-9]+)?[dhms])+)$"]
    case .choice(let words): ["enum": words.json]
    case .list: ["type": "array"]
    case .object: ["type": "object"]
    }
  }
}

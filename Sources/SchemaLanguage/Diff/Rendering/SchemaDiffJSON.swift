public import Diagnostics

/// The `result` of `schema diff --format json`.
public enum SchemaDiffJSON {
  public static func render(_ changes: [SchemaChange]) -> JSONValue {
    [
      "changes": .array(changes.map(value)),
      "summary": [
        "changes": JSONValue(changes.count),
        "refusedInDevelopment": JSONValue(changes.refusedInDevelopment),
        "refusedInProduction": JSONValue(changes.refusedInProduction),
      ],
    ]
  }

  /// `recordType` is always present, and empty for a change of roles.
  public static func value(_ change: SchemaChange) -> JSONValue {
    var object: JSONObject = [
      "kind": .string(change.kind.rawValue), "recordType": .string(change.recordType ?? ""),
    ]
    object["field"] = change.field.map(JSONValue.string)
    object["role"] = change.role.map(JSONValue.string)
    object["from"] = change.from.map(JSONValue.string)
    object["to"] = change.to.map(JSONValue.string)
    object["risk"] = .string(change.risk.rawValue)
    object["development"] = .string(change.development.rawValue)
    object["production"] = .string(change.production.rawValue)
    object["hint"] = change.hint.map(JSONValue.string)
    if let whole = change.whole {
      object["fields"] = .array(whole.fields.map(value))
      object["grants"] = .array(whole.grants.map(value))
    }
    return .object(object)
  }

  private static func value(_ field: Field) -> JSONValue {
    [
      "name": .string(field.name), "type": .string(field.type.description),
      "options": .array(field.indexes.map { .string($0.rawValue) }),
    ]
  }

  private static func value(_ grant: Grant) -> JSONValue {
    ["role": .string(grant.role), "privileges": .array(grant.privileges.map { .string($0.rawValue) })]
  }
}

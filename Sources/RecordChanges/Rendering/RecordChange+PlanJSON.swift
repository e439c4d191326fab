internal import CloudKitModel
public import Diagnostics

extension RecordChange {
  /// The change as JSON for scripts: every field that it writes, before and after, with plain values.
  public func planJSON(slug: String? = nil) -> JSONObject {
    var json: JSONObject = [
      "action": .string(action.rawValue), "recordType": .string(recordType),
      "recordName": .string(recordName),
    ]
    json["slug"] = slug.map(JSONValue.string)
    json["fields"] = .object(
      JSONObject(
        fields.sorted { $0.key < $1.key }.map { name, change in
          (name, ["from": change.from.readableJSON, "to": change.to.readableJSON])
        }))
    return json
  }
}

extension FieldValue? {
  /// A plain JSON value: a reference is its record name, a time is ISO 8601 in UTC, and an absent value is `null`.
  fileprivate var readableJSON: JSONValue {
    switch self {
    case nil: .null
    case .reference(let reference)?: .string(reference.recordName)
    case .timestamp(let moment)?: .string(moment.iso8601)
    case .list(_, let elements)?: .array(elements.map { Optional($0).readableJSON })
    case let value?: value.plainJSON
    }
  }
}

public import Diagnostics

extension Record {
  /// The record as it travels between containers and files: type, name and typed fields. Without its tag and
  /// stamps, which belong to one container, and so without anybody's user record name.
  public var portableJSON: JSONValue {
    let fields = fields.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value.json) }
    return [
      "recordType": .string(recordType), "recordName": .string(recordName),
      "fields": .object(JSONObject(fields)),
    ]
  }

  /// Throws ``FieldValueError``.
  public init(portableJSON json: JSONValue) throws(FieldValueError) {
    guard let recordType = json["recordType"]?.string, let recordName = json["recordName"]?.string else {
      throw .malformed("a record needs a recordType and a recordName")
    }
    self.init(recordType: recordType, recordName: recordName)
    fields = try Record.fields(json["fields"] ?? [:])
  }

  /// Reads `{"name": {"value": …, "type": …}, …}`; a field without a value is left out.
  public static func fields(_ json: JSONValue) throws(FieldValueError) -> [String: FieldValue] {
    guard case .object(let object) = json else { throw .malformed("fields must be an object") }
    var fields: [String: FieldValue] = [:]
    for member in object.members {
      do throws(FieldValueError) {
        fields[member.key] = try FieldValue.reading(member.value)
      } catch {
        throw .invalid("field \(member.key): \(error.reason)")
      }
    }
    return fields
  }
}

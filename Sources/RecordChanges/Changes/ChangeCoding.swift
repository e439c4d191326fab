internal import CloudKitModel
public import Diagnostics

/// The error for a plan or a history file that cannot be parsed.
public struct ChangeCodingError: Error, Sendable, Hashable, CustomStringConvertible {
  public let description: String
  public init(_ description: String) { self.description = description }
}

extension RecordChange {
  /// The change with typed values, so that nothing is lost between planning and applying.
  public var json: JSONValue {
    var object: JSONObject = [
      "action": .string(action.rawValue), "recordType": .string(recordType),
      "recordName": .string(recordName),
    ]
    object["label"] = label.map(JSONValue.string)
    object["changeTag"] = changeTag.map(JSONValue.string)
    if !fields.isEmpty {
      let members = fields.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value.json) }
      object["fields"] = .object(JSONObject(members))
    }
    return .object(object)
  }

  /// Throws ``ChangeCodingError``.
  public init(json: JSONValue) throws {
    guard let action = json["action"]?.string.flatMap(Action.init(rawValue:)),
      let recordType = json["recordType"]?.string, let recordName = json["recordName"]?.string
    else { throw ChangeCodingError("a change lacks its action, record type or record name") }
    self.init(
      action, recordType: recordType, recordName: recordName, label: json["label"]?.string,
      changeTag: json["changeTag"]?.string)
    for member in json["fields"]?.object?.members ?? [] {
      fields[member.key] = try FieldChange(json: member.value)
    }
  }
}

extension FieldChange {
  var json: JSONValue {
    var object = JSONObject()
    object["from"] = from?.json
    object["to"] = to?.json
    return .object(object)
  }

  init(json: JSONValue) throws {
    do throws(FieldValueError) {
      self.init(
        from: try json["from"].flatMapping(FieldValue.reading),
        to: try json["to"].flatMapping(FieldValue.reading))
    } catch {
      throw ChangeCodingError("a field value cannot be read: \(error.reason)")
    }
  }
}

extension Optional {
  fileprivate func flatMapping<Value, Failure>(
    _ transform: (Wrapped) throws(Failure) -> Value?
  ) throws(Failure) -> Value? {
    if let wrapped = self { try transform(wrapped) } else { nil }
  }
}

extension ChangeCodingError: CommandFailureConvertible {
  public var failure: CommandFailure { CommandFailure(description, code: "bad-plan") }
}

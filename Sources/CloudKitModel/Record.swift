package import Diagnostics

package struct Record: Sendable, Hashable {
  package var recordType: String
  package var recordName: String
  package var fields: [String: FieldValue]
  /// Opaque; changes with every write. A write that carries an old one is refused with CONFLICT.
  package var changeTag: String?
  package var created: RecordStamp?
  package var modified: RecordStamp?

  package init(
    recordType: String, recordName: String, fields: [String: FieldValue] = [:], changeTag: String? = nil,
    created: RecordStamp? = nil, modified: RecordStamp? = nil
  ) {
    self.recordType = recordType
    self.recordName = recordName
    self.fields = fields
    self.changeTag = changeTag
    self.created = created
    self.modified = modified
  }

  package subscript(field: String) -> FieldValue? { fields[field] }
}

/// The time at which a record was created or changed, and the user who did it.
///
/// The user's record name is needed to evaluate `_creator` and to imitate the service. It must never be shown: the
/// description leaves it out, and no result or report of the tool contains it.
package struct RecordStamp: Sendable, Hashable, CustomStringConvertible {
  package var timestamp: Timestamp
  package var userRecordName: String
  package var deviceID: String

  package init(timestamp: Timestamp, userRecordName: String, deviceID: String) {
    self.timestamp = timestamp
    self.userRecordName = userRecordName
    self.deviceID = deviceID
  }

  package var description: String { "Stamp(\(timestamp.milliseconds) ms)" }
}

extension Record {
  /// The record as it travels between containers and files: type, name and typed fields. Without its tag and
  /// stamps, which belong to one container, and so without anybody's user record name.
  package var portableJSON: JSONValue {
    let fields = fields.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value.json) }
    return [
      "recordType": .string(recordType), "recordName": .string(recordName),
      "fields": .object(JSONObject(fields)),
    ]
  }

  /// Whether a container can have a record of this name.
  package static func isName(_ text: String) -> Bool {
    (1...ContainerLimits.recordName).contains(text.utf8.count) && text.utf8.allSatisfy { $0 < 0x80 }
  }

  package init(portableJSON json: JSONValue) throws(FieldValueError) {
    guard let recordType = json["recordType"]?.string, let recordName = json["recordName"]?.string,
      let fields = json["fields"]
    else { throw .malformed("a record needs a recordType, a recordName and fields") }
    self.init(recordType: recordType, recordName: recordName)
    self.fields = try Record.fields(fields)
  }

  /// Reads `{"name": {"value": …, "type": …}, …}`; a field without a value is left out.
  package static func fields(_ json: JSONValue) throws(FieldValueError) -> [String: FieldValue] {
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

package struct RecordOperation: Sendable, Hashable {
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Inserts; refused when the name is taken.
    case create
    /// Sets the listed fields; refused when the change tag is stale.
    case update
    /// Sets the listed fields without looking at the tag; inserts when absent.
    case forceUpdate
    /// Sets the listed fields and clears all others; refused when the change tag is stale.
    case replace
    /// As ``replace`` without looking at the tag; inserts when absent.
    case forceReplace
    /// Deletes; an unknown name succeeds.
    case delete
    /// Deletes without looking at the tag.
    case forceDelete
  }

  package var kind: Kind
  /// Needed by every kind that can insert.
  package var recordType: String?
  /// Without one, `create` gets a name from the container.
  package var recordName: String?
  package var changeTag: String?
  /// The fields to set; a field present with `nil` is cleared, an absent one is left alone.
  package var fields: [String: FieldValue?]
  /// The fields to return; `nil` returns all.
  package var desiredKeys: [String]?

  package init(
    _ kind: Kind, recordType: String? = nil, recordName: String? = nil, changeTag: String? = nil,
    fields: [String: FieldValue?] = [:], desiredKeys: [String]? = nil
  ) {
    self.kind = kind
    self.recordType = recordType
    self.recordName = recordName
    self.changeTag = changeTag
    self.fields = fields
    self.desiredKeys = desiredKeys
  }
}

/// The outcome of one entry of a lookup or modify request, in the order of the entries.
package enum RecordOutcome: Sendable, Hashable {
  case record(Record)
  case deleted(recordName: String)
  /// The HTTP status may still have been 200.
  case failed(recordName: String?, ServerError)

  package var record: Record? { if case .record(let record) = self { record } else { nil } }
  package var error: ServerError? { if case .failed(_, let error) = self { error } else { nil } }

  /// The record, or `nil` if it does not exist (NOT_FOUND). Throws every other refusal: it does not say whether the
  /// record exists.
  package var found: Record? {
    get throws(ServerError) {
      if let error, error.code != .notFound { throw error }
      return record
    }
  }
}

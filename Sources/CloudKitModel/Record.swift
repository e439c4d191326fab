/// A record as the container holds it.
public struct Record: Sendable, Hashable {
  public var recordType: String
  public var recordName: String
  public var fields: [String: FieldValue]
  /// Opaque; changes with every write. A write that carries an old one is refused with CONFLICT.
  public var changeTag: String?
  public var created: RecordStamp?
  public var modified: RecordStamp?

  public init(
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

  public subscript(field: String) -> FieldValue? { fields[field] }
}

/// The time at which a record was created or changed, and the user who did it.
///
/// The user's record name is needed to evaluate `_creator` and to imitate the service. It must never be shown: the
/// description leaves it out, and no result or report of the tool contains it.
public struct RecordStamp: Sendable, Hashable, CustomStringConvertible {
  public var timestamp: Timestamp
  public var userRecordName: String
  public var deviceID: String

  public init(timestamp: Timestamp, userRecordName: String, deviceID: String) {
    self.timestamp = timestamp
    self.userRecordName = userRecordName
    self.deviceID = deviceID
  }

  public var description: String { "Stamp(\(timestamp.milliseconds) ms)" }
}

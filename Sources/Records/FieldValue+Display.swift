package import CloudKitModel
internal import Diagnostics
internal import RecordChanges
internal import SchemaLanguage

extension FieldValue {
  /// The value in one line for a person. A text that holds control characters is shown as JSON writes it.
  package var display: String {
    switch self {
    case .string(let text): text.isPrintableLine ? text : JSONValue.string(text).text()
    case .int64(let number): String(number)
    case .double(let number): String(number)
    case .timestamp(let timestamp): timestamp.iso8601
    case .bytes(let bytes): "\(bytes.count) bytes"
    case .reference(let reference): "→ \(reference.recordName)"
    case .location(let location): "\(location.latitude), \(location.longitude)"
    case .asset(let asset): "asset of \(asset.size) bytes"
    case .list(_, let values): "[\(values.map(\.listElement).joined(separator: ", "))]"
    }
  }

  private var listElement: String { string?.asListElement ?? display }

  /// The value as a spreadsheet takes it: texts, names, base64, times and numbers as they are, lists and places as JSON.
  var cell: String {
    switch self {
    case .int64, .double: display
    default: Optional(self).readableJSON.string ?? Optional(self).readableJSON.text()
    }
  }
}

extension Record {
  /// The value of a field by its stored name, of a system field too. Who created or changed a record has none here:
  /// a user's record name is never shown.
  func shownValue(of field: String) -> FieldValue? {
    switch FieldName(field) {
    case .user(let name): fields[name]
    case .system(.recordName): .string(recordName)
    case .system(.createdTimestamp): created.map { .timestamp($0.timestamp) }
    case .system(.modifiedTimestamp): modified.map { .timestamp($0.timestamp) }
    case .system(.etag): changeTag.map(FieldValue.string)
    case .system(.createdUserRecordName), .system(.modifiedUserRecordName): nil
    }
  }
}

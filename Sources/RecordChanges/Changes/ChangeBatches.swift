internal import CloudKitModel

package struct ModifyRequestLimits: Sendable, Hashable {
  package var operations: Int
  /// The approximate size in bytes of JSON.
  package var bytes: Int

  /// The service's limits. A quarter of the request's size is reserved for the JSON around the records.
  package static let service = ModifyRequestLimits(operations: 200, bytes: 1_500_000)

  package init(operations: Int, bytes: Int) {
    self.operations = operations
    self.bytes = bytes
  }
}

extension [RecordChange] {
  /// The number of changes from the start that fit into one request: at least one, and only one for each record.
  func batchLength(within limits: ModifyRequestLimits) -> Int {
    var bytes = 0
    var names = Set<String>()
    for change in self {
      bytes += change.estimatedSize
      let fits = names.count < limits.operations && (bytes <= limits.bytes || names.isEmpty)
      guard fits, names.insert(change.recordName).inserted else { break }
    }
    return names.count
  }
}

extension RecordChange {
  var operation: RecordOperation {
    let kind: RecordOperation.Kind =
      switch action {
      case .create: .create
      case .update: .update
      case .delete: .delete
      }
    return RecordOperation(
      kind, recordType: recordType, recordName: recordName, changeTag: changeTag,
      fields: fields.mapValues(\.to), desiredKeys: [])
  }

  /// An update or delete without a change tag, so that the service cannot detect a conflict.
  var lacksChangeTag: Bool { action != .create && changeTag == nil }

  /// The approximate size of this change in a request, in bytes.
  var estimatedSize: Int {
    fields.reduce(200 + recordName.utf8.count) { size, field in
      size + field.key.utf8.count + 40 + (field.value.to?.estimatedSize ?? 0)
    }
  }
}

extension FieldValue {
  fileprivate var estimatedSize: Int {
    switch self {
    case .string(let text): text.utf8.count * 9 / 8
    case .bytes(let bytes): bytes.count * 4 / 3
    case .list(_, let values): values.reduce(0) { $0 + $1.estimatedSize + 1 }
    case .reference(let reference): reference.recordName.utf8.count + 40
    case .location, .asset: 400
    case .int64, .double, .timestamp: 20
    }
  }
}

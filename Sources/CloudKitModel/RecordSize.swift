extension FieldValue {
  /// Bytes the value takes of a record's ``ContainerLimits/recordSize``. Apple publishes the limit, not the
  /// measure; this one counts text as UTF-8, a number or moment as 8 and a reference as its name.
  public var size: Int {
    switch self {
    case .string(let text): text.utf8.count
    case .int64, .double, .timestamp: 8
    case .bytes(let bytes): bytes.count
    case .reference(let reference): reference.recordName.utf8.count
    case .location: 64
    // Its metadata: the file lies beside the record and does not count
    // (Documentation/reference/web-services.md#limits).
    case .asset: 128
    case .list(_, let values): values.reduce(0) { $0 + $1.size }
    }
  }
}

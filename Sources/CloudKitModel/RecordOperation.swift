/// One entry of a modify request.
public struct RecordOperation: Sendable, Hashable {
  /// The kinds of operations, by their names in Web Services.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
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

  public var kind: Kind
  /// Needed by every kind that can insert.
  public var recordType: String?
  /// Without one, `create` gets a name from the container.
  public var recordName: String?
  public var changeTag: String?
  /// The fields to set; a field present with `nil` is cleared, an absent one is left alone.
  public var fields: [String: FieldValue?]
  /// The fields to return; `nil` returns all.
  public var desiredKeys: [String]?

  public init(
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
public enum RecordOutcome: Sendable, Hashable {
  case record(Record)
  case deleted(recordName: String)
  /// The HTTP status may still have been 200.
  case failed(recordName: String?, ServerError)

  public var record: Record? { if case .record(let record) = self { record } else { nil } }
  public var error: ServerError? { if case .failed(_, let error) = self { error } else { nil } }

  /// The record, or `nil` if it does not exist (NOT_FOUND). Throws every other refusal: it does not say whether the
  /// record exists.
  public var found: Record? {
    get throws(ServerError) {
      if let error, error.code != .notFound { throw error }
      return record
    }
  }
}

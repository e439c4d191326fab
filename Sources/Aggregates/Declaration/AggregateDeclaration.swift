public import CloudKitModel

/// One number that the container cannot compute itself, declared as data: what to read, how to group it, and
/// which fields hold the result.
public struct AggregateDeclaration: Sendable, Hashable {
  /// As on the command line: `recount NAME`.
  public var name: String
  public var source: Source
  public var operation: Operation
  public var targets: [Target]

  public init(name: String, source: Source, operation: Operation = .count, targets: [Target]) {
    self.name = name
    self.source = source
    self.operation = operation
    self.targets = targets
  }

  public enum Operation: Sendable, Hashable {
    /// The number of sources.
    case count
    /// The sum of an INT64 or DOUBLE field over the sources that have it.
    case sum(String)
    /// The largest INT64, DOUBLE or TIMESTAMP value over the sources that have it.
    case max(String)

    /// The field whose values are combined.
    public var field: String? {
      switch self {
      case .count: nil
      case .sum(let field), .max(let field): field
      }
    }
  }

  /// The records that are counted.
  public struct Source: Sendable, Hashable {
    public var recordType: String
    /// A STRING or REFERENCE field holding the name of what the source counts towards.
    public var groupField: String
    /// All must hold for a record to be a source.
    public var filters: [Filter]
    /// A source with another name is reported and not counted; `nil` accepts every name.
    public var recordNames: RecordNameRule?

    public init(
      recordType: String, groupField: String, filters: [Filter] = [], recordNames: RecordNameRule? = nil
    ) {
      self.recordType = recordType
      self.groupField = groupField
      self.filters = filters
      self.recordNames = recordNames
    }
  }

  /// A field that holds the result.
  public struct Target: Sendable, Hashable {
    public var recordType: String
    public var field: String
    /// The STRING or REFERENCE field naming the group this record stands for; `nil` is its own record name.
    public var groupField: String?
    /// A copy follows another target: it does not make its group one that exists.
    public var isCopy: Bool

    public init(recordType: String, field: String, groupField: String? = nil, isCopy: Bool = false) {
      self.recordType = recordType
      self.field = field
      self.groupField = groupField
      self.isCopy = isCopy
    }
  }
}

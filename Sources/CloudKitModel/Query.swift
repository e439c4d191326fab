/// A query for all records of one type that match every filter, in the order of the sorts.
public struct Query: Sendable, Hashable {
  public var recordType: String
  /// All must hold; CloudKit has no OR.
  public var filters: [Filter]
  public var sorts: [Sort]

  public init(_ recordType: String, filters: [Filter] = [], sorts: [Sort] = []) {
    self.recordType = recordType
    self.filters = filters
    self.sorts = sorts
  }
}

/// One condition on one field.
public struct Filter: Sendable, Hashable {
  public var comparator: Comparator
  public var field: FieldName
  /// For IN and the LIST_CONTAINS_ANY/ALL family this is a list.
  public var value: FieldValue
  /// Meters, for NEAR.
  public var distance: Double?

  public init(_ field: FieldName, _ comparator: Comparator, _ value: FieldValue, distance: Double? = nil) {
    self.field = field
    self.comparator = comparator
    self.value = value
    self.distance = distance
  }
}

/// The comparison of a filter, by its name in Web Services.
public enum Comparator: String, Sendable, Hashable, CaseIterable {
  case equals = "EQUALS"
  case notEquals = "NOT_EQUALS"
  case lessThan = "LESS_THAN"
  case lessThanOrEquals = "LESS_THAN_OR_EQUALS"
  case greaterThan = "GREATER_THAN"
  case greaterThanOrEquals = "GREATER_THAN_OR_EQUALS"
  case near = "NEAR"
  case containsAllTokens = "CONTAINS_ALL_TOKENS"
  case containsAnyTokens = "CONTAINS_ANY_TOKENS"
  case `in` = "IN"
  case notIn = "NOT_IN"
  case beginsWith = "BEGINS_WITH"
  case notBeginsWith = "NOT_BEGINS_WITH"
  case listContains = "LIST_CONTAINS"
  case notListContains = "NOT_LIST_CONTAINS"
  case listContainsAny = "LIST_CONTAINS_ANY"
  case notListContainsAny = "NOT_LIST_CONTAINS_ANY"
  case listContainsAll = "LIST_CONTAINS_ALL"
  case notListContainsAll = "NOT_LIST_CONTAINS_ALL"
  case listMemberBeginsWith = "LIST_MEMBER_BEGINS_WITH"
  case notListMemberBeginsWith = "NOT_LIST_MEMBER_BEGINS_WITH"
}

/// A field to sort by, with its direction.
public struct Sort: Sendable, Hashable {
  public var field: FieldName
  public var ascending: Bool
  /// For a LOCATION field: order by distance from here.
  public var relativeLocation: Location?

  public init(_ field: FieldName, ascending: Bool = true, relativeLocation: Location? = nil) {
    self.field = field
    self.ascending = ascending
    self.relativeLocation = relativeLocation
  }
}

/// A field of the app's own, or one that every record has.
public enum FieldName: Sendable, Hashable, ExpressibleByStringLiteral {
  case user(String)
  case system(SystemField)

  /// A stored name (`___recordID`) names the system field; anything else, `recordName` included, a user field: so
  /// does the service.
  public init(_ storedName: String) {
    self = SystemField(storedName: storedName).map(FieldName.system) ?? .user(storedName)
  }

  public init(stringLiteral value: String) { self.init(value) }

  /// As the schema and the service's error texts name it.
  public var storedName: String {
    switch self {
    case .user(let name): name
    case .system(let field): field.storedName
    }
  }
}

/// The fields every record has.
public enum SystemField: String, Sendable, Hashable, CaseIterable {
  case recordName
  case createdTimestamp
  case createdUserRecordName
  case modifiedTimestamp
  case modifiedUserRecordName
  case etag

  public var storedName: String {
    switch self {
    case .recordName: "___recordID"
    case .createdTimestamp: "___createTime"
    case .createdUserRecordName: "___createdBy"
    case .modifiedTimestamp: "___modTime"
    case .modifiedUserRecordName: "___modifiedBy"
    case .etag: "___etag"
    }
  }

  public init?(storedName: String) {
    guard let field = Self.allCases.first(where: { $0.storedName == storedName }) else { return nil }
    self = field
  }

  public var type: ScalarType {
    switch self {
    case .recordName, .createdUserRecordName, .modifiedUserRecordName: .reference
    case .createdTimestamp, .modifiedTimestamp: .timestamp
    case .etag: .string
    }
  }
}

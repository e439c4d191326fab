public import SchemaLanguage

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

  public init(_ field: FieldName, equals value: FieldValue) { self.init(field, .equals, value) }
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

extension SystemField {
  public var type: ScalarType { FieldType(dataType).element }
}

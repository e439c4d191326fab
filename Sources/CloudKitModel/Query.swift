package import SchemaLanguage

/// A query for all records of one type that match every filter, in the order of the sorts.
package struct Query: Sendable, Hashable {
  package var recordType: String
  /// All must hold; CloudKit has no OR.
  package var filters: [Filter]
  package var sorts: [Sort]

  package init(_ recordType: String, filters: [Filter] = [], sorts: [Sort] = []) {
    self.recordType = recordType
    self.filters = filters
    self.sorts = sorts
  }

  /// The fields by which it filters and sorts.
  package var fields: [FieldName] { filters.map(\.field) + sorts.map(\.field) }
}

package struct Filter: Sendable, Hashable {
  package var comparator: Comparator
  package var field: FieldName
  /// For IN and the LIST_CONTAINS_ANY/ALL family this is a list.
  package var value: FieldValue
  /// Meters, for NEAR.
  package var distance: Double?

  package init(_ field: FieldName, _ comparator: Comparator, _ value: FieldValue, distance: Double? = nil) {
    self.field = field
    self.comparator = comparator
    self.value = value
    self.distance = distance
  }

  package init(_ field: FieldName, equals value: FieldValue) { self.init(field, .equals, value) }
}

package struct Sort: Sendable, Hashable {
  package var field: FieldName
  package var ascending: Bool
  /// For a LOCATION field: order by distance from here.
  package var relativeLocation: Location?

  package init(_ field: FieldName, ascending: Bool = true, relativeLocation: Location? = nil) {
    self.field = field
    self.ascending = ascending
    self.relativeLocation = relativeLocation
  }
}

/// A field of the app's own, or one that every record has.
package enum FieldName: Sendable, Hashable, ExpressibleByStringLiteral {
  case user(String)
  case system(SystemField)

  /// A stored name (`___recordID`) names the system field; anything else, `recordName` included, a user field: so
  /// does the service.
  package init(_ storedName: String) {
    self = SystemField(storedName: storedName).map(FieldName.system) ?? .user(storedName)
  }

  package init(stringLiteral value: String) { self.init(value) }

  /// As the schema and the service's error texts name it.
  package var storedName: String {
    switch self {
    case .user(let name): name
    case .system(let field): field.storedName
    }
  }
}

extension SystemField {
  package var type: ScalarType { FieldType(dataType).element }
}

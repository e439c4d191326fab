package import CloudKitModel
package import Diagnostics
internal import SchemaLanguage

extension Query: WireMessage {
  package init(json: JSONValue) throws(WireFormatError) {
    self.init(
      try json.requiredString("recordType"), filters: try json.list("filterBy", Filter.init(json:)) ?? [],
      sorts: try json.list("sortBy", Sort.init(json:)) ?? [])
  }

  package var json: JSONValue {
    .object([
      "recordType": .string(recordType), "filterBy": filters.isEmpty ? nil : .array(filters.map(\.json)),
      "sortBy": sorts.isEmpty ? nil : .array(sorts.map(\.json)),
    ])
  }
}

extension Filter: WireMessage {
  package init(json: JSONValue) throws(WireFormatError) {
    let comparator = try json.require("comparator", json.word("comparator", as: Comparator.self))
    try Self.checkTag(of: json["fieldValue"], comparator)
    self.init(
      try FieldName(json: json), comparator, try Self.value(in: json), distance: try json.number("distance"))
  }

  /// The list of an IN filter is not inferred (Documentation/reference/web-services.md#in-filters, L).
  private static func checkTag(of value: JSONValue?, _ comparator: Comparator) throws(WireFormatError) {
    guard comparator == .in || comparator == .notIn, value?["value"] != nil, value?["type"] == nil else {
      return
    }
    throw WireFormatError("the value of \(comparator.rawValue) needs a type such as STRING_LIST")
      .inside("fieldValue")
  }

  private static func value(in json: JSONValue) throws(WireFormatError) -> FieldValue {
    let fieldValue = try json.require("fieldValue", json["fieldValue"])
    do {
      guard let value = try FieldValue.reading(fieldValue) else {
        throw WireFormatError.missing.inside("value")
      }
      return value
    } catch let error as FieldValueError {
      throw WireFormatError(reason(error, in: fieldValue)).inside("fieldValue")
    } catch let error as WireFormatError {
      throw error.inside("fieldValue")
    } catch {
      throw WireFormatError("is not a field value").inside("fieldValue")
    }
  }

  /// An IN filter whose value is not tagged as a list has a text of its own
  /// (Documentation/reference/web-services.md#field-types).
  private static func reason(_ error: FieldValueError, in fieldValue: JSONValue) -> String {
    guard let elements = fieldValue["value"]?.array, let type = fieldValue["type"]?.string,
      !type.hasSuffix("_LIST")
    else { return error.reason }
    let elementClass = elements.first?.string == nil ? "" : " with objects of class java.lang.String"
    return "Invalid value, expected type \(type) but actual value was a list\(elementClass)"
  }

  package var json: JSONValue {
    let (key, name) = field.jsonMember
    return .object([
      "comparator": comparator.rawValue.json, key: name, "fieldValue": value.json, "distance": distance?.json,
    ])
  }
}

extension Sort: WireMessage {
  package init(json: JSONValue) throws(WireFormatError) {
    let location = try json.member("relativeLocation") { json throws(WireFormatError) -> Location in
      let value = json["value"] ?? json
      guard case .location(let location)? = try? FieldValue.reading(value, as: .scalar(.location)) else {
        throw .expected("a location", found: value)
      }
      return location
    }
    self.init(
      try FieldName(json: json), ascending: try json.bool("ascending") ?? true, relativeLocation: location)
  }

  package var json: JSONValue {
    let (key, name) = field.jsonMember
    return .object([
      key: name, "ascending": .bool(ascending),
      "relativeLocation": relativeLocation.map { ["value": $0.json] },
    ])
  }
}

extension FieldName {
  /// What a record of another database has, by the Console's names: here these are fields that no type has.
  private static let ofOtherDatabases = ["share": "___share", "parent": "___parent"]

  /// `systemFieldName` takes the Console's names, `fieldName` the stored ones
  /// (Documentation/reference/web-services.md#system-fields).
  init(json: JSONValue) throws(WireFormatError) {
    if let stored = try json.string("systemFieldName").flatMap({ Self.ofOtherDatabases[$0] }) {
      self = .user(stored)
    } else if let system = try json.word("systemFieldName", as: SystemField.self) {
      self = .system(system)
    } else {
      self.init(try json.requiredString("fieldName"))
    }
  }

  var jsonMember: (key: String, value: JSONValue) {
    switch self {
    case .user(let name): ("fieldName", .string(name))
    case .system(let field): ("systemFieldName", .string(field.rawValue))
    }
  }
}

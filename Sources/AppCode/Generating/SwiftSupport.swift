/// The types that all generated Swift files use. `@@` stands for the access level.
enum SwiftSupport {
  static let text = ##"""
    #if canImport(FoundationEssentials)
      @@import FoundationEssentials
    #else
      @@import Foundation
    #endif

    /// The fields of a record type. What a record has and this schema does not know is ignored when it is read, and is
    /// never sent.
    @@protocol RecordFields: Sendable, Equatable {
      associatedtype Update: RecordUpdate where Update.Fields == Self
      static var recordType: String { get }
      /// Throws ``RecordError`` for a field whose value has another type.
      static func decode(from source: some FieldSource) throws(RecordError) -> Self
      /// Writes every field, and removes those without a value.
      static func encode(_ fields: Self, to target: inout some FieldTarget)
    }

    /// The changes of some fields of a record; all others stay as they are.
    @@protocol RecordUpdate: Sendable, Equatable {
      associatedtype Fields: RecordFields
      static func encode(_ update: Self, to target: inout some FieldTarget)
    }

    /// What an update does with a field.
    @@enum FieldUpdate<Value: FieldConvertible>: Sendable, Equatable {
      case unchanged
      case set(Value)
      case clear
    }

    /// The name of a record of one type.
    @@struct RecordName<Fields: RecordFields>: Sendable, Hashable {
      @@var rawValue: String
      @@init(_ rawValue: String) { self.rawValue = rawValue }
    }

    /// A record: its name, and the fields that its type declares.
    @@struct Record<Fields: RecordFields>: Sendable, Equatable {
      @@var name: RecordName<Fields>
      @@var fields: Fields
      @@init(name: RecordName<Fields>, fields: Fields) {
        self.name = name
        self.fields = fields
      }

      /// Throws ``RecordError`` for a record of another type, and for a field whose value has another type.
      @@init(_ stored: StoredRecord) throws(RecordError) {
        guard stored.recordType == Fields.recordType else {
          throw .wrongRecordType(expected: Fields.recordType, found: stored.recordType)
        }
        self.init(name: RecordName(stored.recordName), fields: try Fields.decode(from: stored))
      }

      @@var stored: StoredRecord {
        var stored = StoredRecord(recordType: Fields.recordType, recordName: name.rawValue)
        Fields.encode(fields, to: &stored)
        return stored
      }
    }

    /// Why a record cannot be read.
    @@enum RecordError: Error, Sendable, Equatable, CustomStringConvertible {
      case wrongRecordType(expected: String, found: String)
      case wrongType(recordType: String, field: String, expected: String, found: String)

      @@var description: String {
        switch self {
        case .wrongRecordType(let expected, let found): "expected a record of type \(expected), found \(found)"
        case .wrongType(let recordType, let field, let expected, let found):
          "the field \(recordType).\(field) has the type \(found), expected \(expected)"
        }
      }
    }

    // MARK: Values

    /// A value as CloudKit Web Services writes it: `{"type": "STRING", "value": "News"}`.
    @@enum FieldValue: Sendable, Equatable {
      case string(String)
      case int64(Int64)
      case double(Double)
      case timestamp(Date)
      case bytes(Data)
      case location(Location)
      case reference(recordName: String, action: ReferenceAction)
      case asset(Asset)
      case list([FieldValue])

      @@var typeName: String {
        switch self {
        case .string: "STRING"
        case .int64: "INT64"
        case .double: "DOUBLE"
        case .timestamp: "TIMESTAMP"
        case .bytes: "BYTES"
        case .location: "LOCATION"
        case .reference: "REFERENCE"
        case .asset: "ASSETID"
        case .list(let values): values.first.map { $0.typeName + "_LIST" } ?? "UNKNOWN_LIST"
        }
      }
    }

    @@enum ReferenceAction: String, Sendable, Codable { case none = "NONE", deleteSelf = "DELETE_SELF", validate = "VALIDATE" }

    @@struct Location: Sendable, Hashable, Codable {
      @@var latitude: Double
      @@var longitude: Double
      @@init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
      }
    }

    /// A file. Web Services gives an address for downloading it, CloudKit on Apple's platforms a file on disk.
    @@struct Asset: Sendable, Hashable, Codable {
      @@var fileChecksum: String?
      @@var size: Int64?
      @@var downloadURL: String?
      @@var fileURL: URL?
      @@init(fileChecksum: String? = nil, size: Int64? = nil, downloadURL: String? = nil, fileURL: URL? = nil) {
        self.fileChecksum = fileChecksum
        self.size = size
        self.downloadURL = downloadURL
        self.fileURL = fileURL
      }
    }

    /// A reference to a record of one type.
    @@struct Reference<Target: RecordFields>: Sendable, Hashable {
      @@var name: RecordName<Target>
      @@var action: ReferenceAction
      @@init(_ name: RecordName<Target>, action: ReferenceAction = .none) {
        self.name = name
        self.action = action
      }
    }

    /// A reference whose record type the schema does not name.
    @@struct AnyReference: Sendable, Hashable {
      @@var recordName: String
      @@var action: ReferenceAction
      @@init(_ recordName: String, action: ReferenceAction = .none) {
        self.recordName = recordName
        self.action = action
      }
    }

    /// A type that a field can have.
    @@protocol FieldConvertible: Sendable, Equatable {
      static var typeName: String { get }
      init?(_ value: FieldValue)
      var fieldValue: FieldValue { get }
    }

    extension String: FieldConvertible {
      @@static var typeName: String { "STRING" }
      @@init?(_ value: FieldValue) { guard case .string(let own) = value else { return nil }; self = own }
      @@var fieldValue: FieldValue { .string(self) }
    }
    extension Int64: FieldConvertible {
      @@static var typeName: String { "INT64" }
      @@init?(_ value: FieldValue) { guard case .int64(let own) = value else { return nil }; self = own }
      @@var fieldValue: FieldValue { .int64(self) }
    }
    extension Double: FieldConvertible {
      @@static var typeName: String { "DOUBLE" }
      @@init?(_ value: FieldValue) { guard case .double(let own) = value else { return nil }; self = own }
      @@var fieldValue: FieldValue { .double(self) }
    }
    extension Date: FieldConvertible {
      @@static var typeName: String { "TIMESTAMP" }
      @@init?(_ value: FieldValue) { guard case .timestamp(let own) = value else { return nil }; self = own }
      @@var fieldValue: FieldValue { .timestamp(self) }
    }
    extension Data: FieldConvertible {
      @@static var typeName: String { "BYTES" }
      @@init?(_ value: FieldValue) { guard case .bytes(let own) = value else { return nil }; self = own }
      @@var fieldValue: FieldValue { .bytes(self) }
    }
    extension Location: FieldConvertible {
      @@static var typeName: String { "LOCATION" }
      @@init?(_ value: FieldValue) { guard case .location(let own) = value else { return nil }; self = own }
      @@var fieldValue: FieldValue { .location(self) }
    }
    extension Asset: FieldConvertible {
      @@static var typeName: String { "ASSETID" }
      @@init?(_ value: FieldValue) { guard case .asset(let own) = value else { return nil }; self = own }
      @@var fieldValue: FieldValue { .asset(self) }
    }
    extension Reference: FieldConvertible {
      @@static var typeName: String { "REFERENCE" }
      @@init?(_ value: FieldValue) {
        guard case .reference(let name, let action) = value else { return nil }
        self.init(RecordName(name), action: action)
      }
      @@var fieldValue: FieldValue { .reference(recordName: name.rawValue, action: action) }
    }
    extension AnyReference: FieldConvertible {
      @@static var typeName: String { "REFERENCE" }
      @@init?(_ value: FieldValue) {
        guard case .reference(let name, let action) = value else { return nil }
        self.init(name, action: action)
      }
      @@var fieldValue: FieldValue { .reference(recordName: recordName, action: action) }
    }
    /// A record's name in a text field.
    extension RecordName: FieldConvertible {
      @@static var typeName: String { "STRING" }
      @@init?(_ value: FieldValue) { guard case .string(let own) = value else { return nil }; self.init(own) }
      @@var fieldValue: FieldValue { .string(rawValue) }
    }
    extension Array: FieldConvertible where Element: FieldConvertible {
      @@static var typeName: String { Element.typeName + "_LIST" }
      @@init?(_ value: FieldValue) {
        guard case .list(let values) = value else { return nil }
        self = []
        for value in values {
          guard let element = Element(value) else { return nil }
          append(element)
        }
      }
      @@var fieldValue: FieldValue { .list(map(\.fieldValue)) }
    }

    // MARK: Reading and writing fields

    /// Where fields are read from.
    @@protocol FieldSource {
      /// `nil` without a value. Throws ``RecordError`` for a value of another type.
      func value<Value: FieldConvertible>(
        _ field: String, of recordType: String, as type: Value.Type, isEncrypted: Bool
      ) throws(RecordError) -> Value?
    }

    /// Where fields are written to.
    @@protocol FieldTarget {
      /// `nil` removes the value.
      mutating func set<Value: FieldConvertible>(_ field: String, to value: Value?, isEncrypted: Bool)
    }

    extension FieldTarget {
      @@mutating func update<Value>(_ field: String, with update: FieldUpdate<Value>, isEncrypted: Bool) {
        switch update {
        case .unchanged: break
        case .set(let value): set(field, to: value, isEncrypted: isEncrypted)
        case .clear: set(field, to: Value?.none, isEncrypted: isEncrypted)
        }
      }
    }

    /// A record in the form of Web Services and of `celestra-admin records export`.
    @@struct StoredRecord: Sendable, Equatable, FieldSource, FieldTarget {
      @@var recordType: String
      @@var recordName: String
      @@var fields: [String: FieldValue]
      /// The fields that were removed, which an update sends without a value.
      @@private(set) var cleared: Set<String> = []

      @@init(recordType: String, recordName: String, fields: [String: FieldValue] = [:]) {
        self.recordType = recordType
        self.recordName = recordName
        self.fields = fields
      }

      @@func value<Value: FieldConvertible>(
        _ field: String, of recordType: String, as type: Value.Type, isEncrypted: Bool
      ) throws(RecordError) -> Value? {
        guard let value = fields[field] else { return nil }
        guard let converted = Value(value) else {
          throw .wrongType(recordType: recordType, field: field, expected: Value.typeName, found: value.typeName)
        }
        return converted
      }

      @@mutating func set<Value: FieldConvertible>(_ field: String, to value: Value?, isEncrypted: Bool) {
        if value == nil, fields[field] != nil { cleared.insert(field) }
        fields[field] = value?.fieldValue
      }

      /// Makes the changes of an update.
      @@mutating func apply<Update: RecordUpdate>(_ update: Update) { Update.encode(update, to: &self) }
    }

    extension StoredRecord: Codable {
      private enum Key: String, CodingKey { case recordType, recordName, fields }

      @@init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        self.init(
          recordType: try values.decode(String.self, forKey: .recordType),
          recordName: try values.decode(String.self, forKey: .recordName),
          fields: try values.decodeIfPresent([String: FieldValue].self, forKey: .fields) ?? [:])
      }

      @@func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(recordType, forKey: .recordType)
        try values.encode(recordName, forKey: .recordName)
        try values.encode(fields, forKey: .fields)
      }
    }

    extension FieldValue: Codable {
      private enum Key: String, CodingKey { case type, value }
      private struct WireReference: Codable {
        var recordName: String
        var action: ReferenceAction?
      }

      @@init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        let type = try values.decode(String.self, forKey: .type)
        if type.hasSuffix("_LIST") {
          var elements = try values.nestedUnkeyedContainer(forKey: .value)
          var list: [FieldValue] = []
          while !elements.isAtEnd {
            list.append(try Self.scalar(String(type.dropLast(5)), from: try elements.superDecoder()))
          }
          self = .list(list)
        } else {
          self = try Self.scalar(type, from: try values.superDecoder(forKey: .value))
        }
      }

      private static func scalar(_ type: String, from decoder: any Decoder) throws -> FieldValue {
        let value = try decoder.singleValueContainer()
        switch type {
        case "STRING": return .string(try value.decode(String.self))
        case "INT64": return .int64(try value.decode(Int64.self))
        case "DOUBLE": return .double(try value.decode(Double.self))
        case "TIMESTAMP": return .timestamp(Date(timeIntervalSince1970: try value.decode(Double.self) / 1000))
        case "BYTES":
          guard let data = Data(base64Encoded: try value.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: value, debugDescription: "expected base64")
          }
          return .bytes(data)
        case "LOCATION": return .location(try value.decode(Location.self))
        case "REFERENCE":
          let reference = try value.decode(WireReference.self)
          return .reference(recordName: reference.recordName, action: reference.action ?? .none)
        case "ASSETID", "ASSET": return .asset(try value.decode(Asset.self))
        default: throw DecodingError.dataCorruptedError(in: value, debugDescription: "unknown field type \(type)")
        }
      }

      @@func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(typeName, forKey: .type)
        switch self {
        case .list(let elements):
          var list = values.nestedUnkeyedContainer(forKey: .value)
          for element in elements { try element.encodeValue(to: list.superEncoder()) }
        default: try encodeValue(to: values.superEncoder(forKey: .value))
        }
      }

      private func encodeValue(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .string(let own): try value.encode(own)
        case .int64(let own): try value.encode(own)
        case .double(let own): try value.encode(own)
        // Whole milliseconds, as on the wire.
        case .timestamp(let own): try value.encode(Int64((own.timeIntervalSince1970 * 1000).rounded()))
        case .bytes(let own): try value.encode(own.base64EncodedString())
        case .location(let own): try value.encode(own)
        case .reference(let name, let action): try value.encode(WireReference(recordName: name, action: action))
        case .asset(let own): try value.encode(own)
        case .list(let own): try value.encode(own)
        }
      }
    }

    // MARK: Queries

    /// The indexes of a field, as types: filters that need a missing index do not compile.
    @@protocol FieldIndex: Sendable {}
    @@protocol HasQueryable: FieldIndex {}
    @@protocol LacksQueryable: FieldIndex {}
    @@protocol HasSortable: FieldIndex {}
    @@protocol LacksSortable: FieldIndex {}
    @@protocol HasSearchable: FieldIndex {}
    @@protocol LacksSearchable: FieldIndex {}
    @@enum NoIndex: LacksQueryable, LacksSortable, LacksSearchable {}
    @@enum OnlyQueryable: HasQueryable, LacksSortable, LacksSearchable {}
    @@enum OnlySortable: LacksQueryable, HasSortable, LacksSearchable {}
    @@enum OnlySearchable: LacksQueryable, LacksSortable, HasSearchable {}
    @@enum QueryableSortable: HasQueryable, HasSortable, LacksSearchable {}
    @@enum QueryableSearchable: HasQueryable, LacksSortable, HasSearchable {}
    @@enum SearchableSortable: LacksQueryable, HasSortable, HasSearchable {}
    @@enum QueryableSearchableSortable: HasQueryable, HasSortable, HasSearchable {}

    /// A field in a query.
    @@struct QueryField<Fields: RecordFields, Value: FieldConvertible, Index: FieldIndex>: Sendable {
      @@let name: String
      @@init(_ name: String) { self.name = name }
    }

    /// A condition of a query for records of one type, in the words of Web Services.
    @@struct Filter<Fields: RecordFields>: Sendable, Equatable {
      @@let fieldName: String
      @@let comparator: String
      @@let fieldValue: FieldValue
    }

    /// An order of a query for records of one type.
    @@struct Sort<Fields: RecordFields>: Sendable, Equatable {
      @@let fieldName: String
      @@let ascending: Bool
    }

    extension QueryField where Index: HasQueryable {
      @@static func == (field: Self, value: Value) -> Filter<Fields> { field.filter("EQUALS", value) }
      @@static func != (field: Self, value: Value) -> Filter<Fields> { field.filter("NOT_EQUALS", value) }
      @@static func < (field: Self, value: Value) -> Filter<Fields> { field.filter("LESS_THAN", value) }
      @@static func <= (field: Self, value: Value) -> Filter<Fields> { field.filter("LESS_THAN_OR_EQUALS", value) }
      @@static func > (field: Self, value: Value) -> Filter<Fields> { field.filter("GREATER_THAN", value) }
      @@static func >= (field: Self, value: Value) -> Filter<Fields> { field.filter("GREATER_THAN_OR_EQUALS", value) }
      @@func isAny(of values: [Value]) -> Filter<Fields> { filter("IN", values) }
      @@func contains<Element>(_ element: Element) -> Filter<Fields> where Value == [Element] {
        filter("LIST_CONTAINS", element)
      }
    }
    extension QueryField where Index: HasQueryable, Value == String {
      @@func hasPrefix(_ prefix: String) -> Filter<Fields> { filter("BEGINS_WITH", prefix) }
    }
    extension QueryField where Index: HasSortable {
      @@var ascending: Sort<Fields> { Sort(fieldName: name, ascending: true) }
      @@var descending: Sort<Fields> { Sort(fieldName: name, ascending: false) }
    }
    extension QueryField where Index: HasSearchable {
      @@func containsAllWords(_ words: String) -> Filter<Fields> { filter("CONTAINS_ALL_TOKENS", words) }
    }
    extension QueryField {
      fileprivate func filter(_ comparator: String, _ value: some FieldConvertible) -> Filter<Fields> {
        Filter(fieldName: name, comparator: comparator, fieldValue: value.fieldValue)
      }
    }

    extension QueryField where Index: LacksQueryable {
      @available(*, unavailable, message: "this field has no QUERYABLE index: add it to the schema to filter by the field")
      @@static func == (field: Self, value: Value) -> Filter<Fields> { field.filter("", value) }
      @available(*, unavailable, message: "this field has no QUERYABLE index: add it to the schema to filter by the field")
      @@static func != (field: Self, value: Value) -> Filter<Fields> { field.filter("", value) }
      @available(*, unavailable, message: "this field has no QUERYABLE index: add it to the schema to filter by the field")
      @@static func < (field: Self, value: Value) -> Filter<Fields> { field.filter("", value) }
      @available(*, unavailable, message: "this field has no QUERYABLE index: add it to the schema to filter by the field")
      @@static func <= (field: Self, value: Value) -> Filter<Fields> { field.filter("", value) }
      @available(*, unavailable, message: "this field has no QUERYABLE index: add it to the schema to filter by the field")
      @@static func > (field: Self, value: Value) -> Filter<Fields> { field.filter("", value) }
      @available(*, unavailable, message: "this field has no QUERYABLE index: add it to the schema to filter by the field")
      @@static func >= (field: Self, value: Value) -> Filter<Fields> { field.filter("", value) }
      @available(*, unavailable, message: "this field has no QUERYABLE index: add it to the schema to filter by the field")
      @@func isAny(of values: [Value]) -> Filter<Fields> { filter("", values) }
    }
    extension QueryField where Index: LacksSortable {
      @available(*, unavailable, message: "this field has no SORTABLE index: add it to the schema to sort by the field")
      @@var ascending: Sort<Fields> { Sort(fieldName: name, ascending: true) }
      @available(*, unavailable, message: "this field has no SORTABLE index: add it to the schema to sort by the field")
      @@var descending: Sort<Fields> { Sort(fieldName: name, ascending: false) }
    }
    extension QueryField where Index: LacksSearchable {
      @available(*, unavailable, message: "this field has no SEARCHABLE index: add it to the schema to search its words")
      @@func containsAllWords(_ words: String) -> Filter<Fields> { filter("", words) }
    }
    """##
}

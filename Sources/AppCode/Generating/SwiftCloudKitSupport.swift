/// Reading and writing records of CloudKit in generated Swift code. `@@` stands for the access level.
enum SwiftCloudKitSupport {
  static let text = ##"""
    #if canImport(CloudKit)
      @@import CloudKit
      import CoreLocation
      import Foundation

      // Type-checked against a stub of CloudKit's interface. It has never been tried on Apple's platforms.

      extension Record {
        /// Throws ``RecordError`` for a record of another type, and for a field whose value has another type.
        @@init(_ record: CKRecord) throws(RecordError) {
          guard record.recordType == Fields.recordType else {
            throw .wrongRecordType(expected: Fields.recordType, found: record.recordType)
          }
          self.init(
            name: RecordName(record.recordID.recordName), fields: try Fields.decode(from: CloudKitFields(record)))
        }

        /// Writes every field to a record of CloudKit, and removes those without a value.
        @@func write(to record: CKRecord) {
          var target = CloudKitFields(record)
          Fields.encode(fields, to: &target)
        }

        /// A new record of CloudKit with all fields.
        @@func ckRecord(in zone: CKRecordZone.ID = CKRecordZone.default().zoneID) -> CKRecord {
          let record = CKRecord(
            recordType: Fields.recordType, recordID: CKRecord.ID(recordName: name.rawValue, zoneID: zone))
          write(to: record)
          return record
        }
      }

      extension CKQuery {
        /// A query for the records of a type that pass all filters. `containsAllWords` searches all SEARCHABLE fields,
        /// because CloudKit's predicates cannot name one.
        @@convenience init<Fields: RecordFields>(
          _ type: Fields.Type, where filters: [Filter<Fields>] = [], sortedBy sorts: [Sort<Fields>] = []
        ) {
          let format = filters.map(\.format).joined(separator: " AND ")
          self.init(
            recordType: Fields.recordType,
            predicate: filters.isEmpty
              ? NSPredicate(value: true)
              : NSPredicate(format: format, argumentArray: filters.flatMap(\.arguments)))
          sortDescriptors =
            sorts.isEmpty
            ? nil
            : sorts.map { NSSortDescriptor(key: CloudKitValues.key($0.fieldName), ascending: $0.ascending) }
        }
      }

      extension Filter {
        fileprivate var format: String {
          switch comparator {
          case "EQUALS": "%K == %@"
          case "NOT_EQUALS": "%K != %@"
          case "LESS_THAN": "%K < %@"
          case "LESS_THAN_OR_EQUALS": "%K <= %@"
          case "GREATER_THAN": "%K > %@"
          case "GREATER_THAN_OR_EQUALS": "%K >= %@"
          case "IN": "%K IN %@"
          case "LIST_CONTAINS": "%K CONTAINS %@"
          case "BEGINS_WITH": "%K BEGINSWITH %@"
          default: "allTokens TOKENMATCHES[cdl] %@"
          }
        }

        fileprivate var arguments: [Any] {
          let value = CloudKitValues.written(fieldValue).map { [$0 as Any] } ?? []
          return comparator == "CONTAINS_ALL_TOKENS" ? value : [CloudKitValues.key(fieldName)] + value
        }
      }

      extension RecordUpdate {
        /// Makes the changes in a record of CloudKit.
        @@func apply(to record: CKRecord) {
          var target = CloudKitFields(record)
          Self.encode(self, to: &target)
        }
      }

      /// The fields of a record of CloudKit.
      private struct CloudKitFields: FieldSource, FieldTarget {
        let record: CKRecord

        init(_ record: CKRecord) { self.record = record }

        func value<Value: FieldConvertible>(
          _ field: String, of recordType: String, as type: Value.Type, isEncrypted: Bool
        ) throws(RecordError) -> Value? {
          let found: (any CKRecordValueProtocol)? =
            isEncrypted ? record.encryptedValues[field] : record[field]
          guard let found else { return nil }
          guard let value = CloudKitValues.read(found, typeName: Value.typeName).flatMap(Value.init) else {
            throw .wrongType(
              recordType: recordType, field: field, expected: Value.typeName, found: "\(Swift.type(of: found))")
          }
          return value
        }

        mutating func set<Value: FieldConvertible>(_ field: String, to value: Value?, isEncrypted: Bool) {
          let written = value.flatMap { CloudKitValues.written($0.fieldValue) }
          if isEncrypted { record.encryptedValues[field] = written } else { record[field] = written }
        }
      }

      /// Values in CloudKit's types. A number does not say whether it is an integer, so the expected type decides.
      private enum CloudKitValues {
        /// The name of a field in predicates and sorts.
        static func key(_ field: String) -> String {
          switch field {
          case "createdTimestamp": "creationDate"
          case "modifiedTimestamp": "modificationDate"
          default: field
          }
        }

        static func read(_ value: Any, typeName: String) -> FieldValue? {
          if typeName.hasSuffix("_LIST") {
            guard let elements = value as? [Any] else { return nil }
            let values = elements.compactMap { read($0, typeName: String(typeName.dropLast(5))) }
            return values.count == elements.count ? .list(values) : nil
          }
          switch typeName {
          case "STRING": return (value as? String).map(FieldValue.string)
          case "INT64": return (value as? Int64).map(FieldValue.int64)
          case "DOUBLE": return (value as? Double).map(FieldValue.double)
          case "TIMESTAMP": return (value as? Date).map(FieldValue.timestamp)
          case "BYTES": return (value as? Data).map(FieldValue.bytes)
          case "LOCATION":
            return (value as? CLLocation).map {
              .location(Location(latitude: $0.coordinate.latitude, longitude: $0.coordinate.longitude))
            }
          case "REFERENCE":
            return (value as? CKRecord.Reference).map {
              .reference(
                recordName: $0.recordID.recordName, action: $0.action == .deleteSelf ? .deleteSelf : .none)
            }
          case "ASSETID": return (value as? CKAsset).map { .asset(Asset(fileURL: $0.fileURL)) }
          default: return nil
          }
        }

        /// `nil` for an asset without a file on disk.
        static func written(_ value: FieldValue) -> (any CKRecordValueProtocol)? {
          switch value {
          case .string(let own): own
          case .int64(let own): own
          case .double(let own): own
          case .timestamp(let own): own
          case .bytes(let own): own
          case .location(let own): CLLocation(latitude: own.latitude, longitude: own.longitude)
          case .reference(let name, let action):
            CKRecord.Reference(
              recordID: CKRecord.ID(recordName: name), action: action == .deleteSelf ? .deleteSelf : .none)
          case .asset(let own): own.fileURL.map { CKAsset(fileURL: $0) }
          case .list(let own): list(own)
          }
        }

        /// A list has elements of one type, which CloudKit requires.
        private static func list(_ values: [FieldValue]) -> any CKRecordValueProtocol {
          var (texts, integers, doubles): ([String], [Int64], [Double]) = ([], [], [])
          var (dates, data, locations): ([Date], [Data], [CLLocation]) = ([], [], [])
          var (references, assets): ([CKRecord.Reference], [CKAsset]) = ([], [])
          for value in values {
            switch written(value) {
            case let own as String: texts.append(own)
            case let own as Int64: integers.append(own)
            case let own as Double: doubles.append(own)
            case let own as Date: dates.append(own)
            case let own as Data: data.append(own)
            case let own as CLLocation: locations.append(own)
            case let own as CKRecord.Reference: references.append(own)
            case let own as CKAsset: assets.append(own)
            default: break
            }
          }
          if !integers.isEmpty { return integers }
          if !doubles.isEmpty { return doubles }
          if !dates.isEmpty { return dates }
          if !data.isEmpty { return data }
          if !locations.isEmpty { return locations }
          if !references.isEmpty { return references }
          if !assets.isEmpty { return assets }
          return texts
        }
      }
    #endif
    """##
}

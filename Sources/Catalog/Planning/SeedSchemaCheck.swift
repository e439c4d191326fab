package import CloudKitModel
internal import Diagnostics
package import RecordChanges
package import SchemaLanguage

package struct MissingSchemaElement: Sendable, Hashable, CustomStringConvertible {
  package enum Kind: Sendable, Hashable {
    case missingType
    case missingField(FieldType)
    case wrongType(found: FieldType, needed: FieldType)
    /// Without it the records of a type cannot be listed
    /// (Documentation/reference/web-services.md#comparators-and-indexes).
    case cannotList
  }

  package var recordType: String
  package var field: String?
  package var kind: Kind

  /// One sentence, without a full stop.
  package var description: String {
    let place = field.map { "\(recordType).\($0)" } ?? recordType
    return switch kind {
    case .missingType: "the record type \(place) is missing"
    case .missingField(let type): "the field \(place) (\(type)) is missing"
    case .wrongType(let found, let needed): "the field \(place) is \(found), the seeds need \(needed)"
    case .cannotList: "\(place) has no \"\(SystemField.recordName.storedName)\" QUERYABLE"
    }
  }
}

/// The error for a schema that lacks what the seeds need. Nothing was planned, because the container would refuse
/// the fields, or create them unasked in development (Documentation/reference/web-services.md#just-in-time-schema).
package struct SeedSchemaCheckError: Error, Sendable, Hashable, CustomStringConvertible {
  package let gaps: [MissingSchemaElement]
  /// Whether the schema is the one that the seeds are planned for, and not the container's own.
  package var isPlanned = false
  /// What the schema must fit: the seeds, or a saved plan.
  package var purpose = "the seeds"

  package var description: String {
    "\(isPlanned ? "the planned" : "the container's") schema does not fit \(purpose): "
      + gaps.map(\.description).joined(separator: "; ")
  }
}

package enum SeedSchemaCheck {
  package static func gaps(in schema: Schema, usesOptional: Bool = false) -> [MissingSchemaElement] {
    SeedKind.allCases.flatMap { kind -> [MissingSchemaElement] in
      guard let type = schema[recordType: kind.recordType] else {
        return [MissingSchemaElement(recordType: kind.recordType, kind: .missingType)]
      }
      let rows = SeedFields.celestra[kind].filter { row in
        switch row.need {
        case .always: true
        case .onceUsed: usesOptional
        case .never: row.recordField.flatMap { type[field: $0] } != nil
        }
      }
      var needed = rows.keyed(by: \.recordField).mapValues(\.fieldType)
      for owner in [FieldOwner.seedAtCreation, .seedAtChange] {
        for field in FieldOwnership.fields(of: kind.recordType, ownedBy: owner) {
          needed[field] = .scalar(.timestamp)
        }
      }
      return listingGap(in: type) + fieldGaps(in: type, needed: needed)
    }
  }

  /// The seeded types that the schema has and whose records it does not list.
  static func unlistableTypes(in schema: Schema) -> [MissingSchemaElement] {
    CatalogRecordType.seeded.compactMap { schema[recordType: $0] }.flatMap(listingGap)
  }

  /// Throws ``SeedSchemaCheckError`` if a container's schema lacks what a saved plan writes.
  package static func check(_ schema: Schema, for plan: PlanFile) throws(SeedSchemaCheckError) {
    let gaps = gaps(in: schema, for: plan.changes)
    guard !gaps.isEmpty else { return }
    let origin = plan.schemaDigest == nil ? "" : ", which was made for a schema that comes first"
    throw SeedSchemaCheckError(gaps: gaps, purpose: "the plan\(origin)")
  }

  /// The types and fields that changes write and that the schema lacks, each once, in the order of the changes.
  private static func gaps(in schema: Schema, for changes: [RecordChange]) -> [MissingSchemaElement] {
    var needed: [(recordType: String, fields: [String: FieldType])] = []
    for change in changes where change.action != .delete {
      let index = needed.firstIndex { $0.recordType == change.recordType } ?? needed.endIndex
      if index == needed.endIndex { needed.append((change.recordType, [:])) }
      // The service gives no type for an empty list.
      for (name, field) in change.fields where !FieldValue?.none.isSame(as: field.to) {
        needed[index].fields[name] = field.to?.type
      }
    }
    return needed.flatMap { recordType, fields in
      guard let type = schema[recordType: recordType] else {
        return [MissingSchemaElement(recordType: recordType, kind: .missingType)]
      }
      return fieldGaps(in: type, needed: fields)
    }
  }

  static func listingGap(in type: RecordType) -> [MissingSchemaElement] {
    let name = type[field: SystemField.recordName.storedName]
    return name?.indexes.contains(.queryable) == true
      ? [] : [MissingSchemaElement(recordType: type.name, kind: .cannotList)]
  }

  static func fieldGaps(in type: RecordType, needed: [String: FieldType]) -> [MissingSchemaElement] {
    needed.sorted { $0.key < $1.key }.compactMap { field, needed in
      guard let declared = type[field: field] else {
        return MissingSchemaElement(recordType: type.name, field: field, kind: .missingField(needed))
      }
      let found = FieldType(declared.type)
      return found == needed
        ? nil
        : MissingSchemaElement(
          recordType: type.name, field: field, kind: .wrongType(found: found, needed: needed))
    }
  }
}

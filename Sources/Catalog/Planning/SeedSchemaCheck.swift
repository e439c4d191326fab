internal import CloudKitModel
internal import Diagnostics
package import RecordChanges
package import SchemaLanguage

package struct MissingSchemaElement: Sendable, Hashable, CustomStringConvertible {
  package let recordType: String
  package var field: String?
  /// One sentence, without a full stop.
  package let description: String
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
    SeedKind.allCases.flatMap { kind in
      gaps(of: kind.recordType, in: schema) { type in
        let rows = SeedFields.celestra[kind].filter { row in
          switch row.need {
          case .always: true
          case .onceUsed: usesOptional
          case .never: row.recordField.flatMap { type[field: $0] } != nil
          }
        }
        let times = [FieldOwner.seedAtCreation, .seedAtChange].flatMap {
          FieldOwnership.fields(of: kind.recordType, ownedBy: $0)
        }
        return rows.keyed(by: \.recordField).mapValues(\.fieldType)
          .merging(times.map { ($0, FieldType.scalar(.timestamp)) }) { $1 }
      }
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
    changes.filter { $0.action != .delete }.groups(by: \.recordType).flatMap { changes in
      gaps(of: changes[0].recordType, in: schema, lists: false) { _ in
        changes.reduce(into: [:]) { needed, change in
          // The service gives no type for an empty list.
          for (name, field) in change.fields where !FieldValue?.none.isSame(as: field.to) {
            needed[name] = field.to?.type
          }
        }
      }
    }
  }

  /// Without the index the records of a type cannot be listed
  /// (Documentation/reference/web-services.md#comparators-and-indexes).
  private static func listingGap(in type: RecordType) -> [MissingSchemaElement] {
    let name = SystemField.recordName.storedName
    return type[field: name]?.indexes.contains(.queryable) == true
      ? [] : [.init(recordType: type.name, description: "\(type.name) has no \"\(name)\" QUERYABLE")]
  }

  /// - Parameter lists: whether the records of the type are listed.
  static func gaps(
    of recordType: String, in schema: Schema, lists: Bool = true,
    needed: (RecordType) -> [String: FieldType]
  ) -> [MissingSchemaElement] {
    guard let type = schema[recordType: recordType] else {
      return [.init(recordType: recordType, description: "the record type \(recordType) is missing")]
    }
    let gaps = needed(type).sorted { $0.key < $1.key }.compactMap { field, needed -> MissingSchemaElement? in
      let found = type[field: field].map { FieldType($0.type) }
      guard found != needed else { return nil }
      let place = "the field \(recordType).\(field)"
      return MissingSchemaElement(
        recordType: recordType, field: field,
        description: found.map { "\(place) is \($0), the seeds need \(needed)" }
          ?? "\(place) (\(needed)) is missing")
    }
    return (lists ? listingGap(in: type) : []) + gaps
  }
}

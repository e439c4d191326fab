public import CloudKitModel
public import SchemaLanguage

/// A type, field or index that the seeds need and the schema lacks.
public struct MissingSchemaElement: Sendable, Hashable, CustomStringConvertible {
  /// The kinds of missing schema parts.
  public enum Kind: Sendable, Hashable {
    case missingType
    case missingField(FieldType)
    case wrongType(found: FieldType, needed: FieldType)
    /// Without it the records of a type cannot be listed
    /// (Documentation/reference/web-services.md#comparators-and-indexes).
    case cannotList
  }

  public var recordType: String
  public var field: String?
  public var kind: Kind

  /// One sentence, without a full stop.
  public var description: String {
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
public struct SeedSchemaCheckError: Error, Sendable, Hashable, CustomStringConvertible {
  public let gaps: [MissingSchemaElement]

  public var description: String {
    "the container's schema does not fit the seeds: \(gaps.map(\.description).joined(separator: "; "))"
  }
}

/// Checks, before planning, that a schema has every type and field that seeding reads or writes.
public enum SeedSchemaCheck {
  /// - Parameters:
  ///   - fields: the keys of the seeds.
  ///   - usesOptional: whether the seeds use the fields that a container needs only then.
  public static func gaps(
    in schema: Schema, for fields: SeedFields = .celestra, usesOptional: Bool = false
  ) -> [MissingSchemaElement] {
    SeedKind.allCases.flatMap { kind -> [MissingSchemaElement] in
      guard let type = schema[recordType: kind.recordType] else {
        return [MissingSchemaElement(recordType: kind.recordType, kind: .missingType)]
      }
      let rows = fields[kind].filter { row in
        switch row.need {
        case .always: true
        case .onceUsed: usesOptional
        case .never: row.recordField.flatMap { type[field: $0] } != nil
        }
      }
      var needed = Dictionary(
        rows.compactMap { row in row.recordField.map { ($0, row.fieldType) } },
        uniquingKeysWith: { first, _ in first })
      for owner in [FieldOwner.seedAtCreation, .seedAtChange] {
        for field in FieldOwnership.fields(of: kind.recordType, ownedBy: owner) {
          needed[field] = .scalar(.timestamp)
        }
      }
      return listingGap(in: type) + fieldGaps(in: type, needed: needed)
    }
  }

  private static func listingGap(in type: RecordType) -> [MissingSchemaElement] {
    let name = type[field: SystemField.recordName.storedName]
    return name?.indexes.contains(.queryable) == true
      ? [] : [MissingSchemaElement(recordType: type.name, kind: .cannotList)]
  }

  private static func fieldGaps(in type: RecordType, needed: [String: FieldType]) -> [MissingSchemaElement] {
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

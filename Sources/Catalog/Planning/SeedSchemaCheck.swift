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
  /// - Parameter retiring: whether the seeds retire feeds; other seeds need no field for it.
  public static func gaps(in schema: Schema, retiring: Bool = false) -> [MissingSchemaElement] {
    DesiredRecord.examples(retiring: retiring).flatMap { example in
      guard let type = schema[recordType: example.recordType] else {
        return [MissingSchemaElement(recordType: example.recordType, kind: .missingType)]
      }
      return listingGap(in: type) + fieldGaps(in: type, needed: example.fieldTypes)
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

extension DesiredRecord {
  /// Sample records with all fields filled, from which the preflight derives the fields that seeding writes.
  fileprivate static func examples(retiring: Bool) -> [DesiredRecord] {
    let names = CategoryRecordNames()
    return [
      DesiredRecord(SeedCategory(slug: "a", name: "a", parentCategory: "b", description: "a"), names: names),
      DesiredRecord(
        SeedFeed(
          slug: "a", title: "a", feedURL: "a", siteURL: "a", subtitle: "a", imageURL: "a", category: "a"),
        recordName: "a", names: names, replacement: retiring ? .some("a") : nil),
      DesiredRecord(
        SeedCollection(
          slug: "a", title: "a", description: "a", coverImageURL: "a", curatorName: "a", feeds: []),
        recordName: "a", feedNames: []),
    ]
  }

  fileprivate var fieldTypes: [String: FieldType] {
    var types = Dictionary(fields.compactMap { key, value in value.map { (key, $0.type) } }) { first, _ in
      first
    }
    for owner in [FieldOwner.seedAtCreation, .seedAtChange] {
      for field in FieldOwnership.fields(of: recordType, ownedBy: owner) {
        types[field] = .scalar(.timestamp)
      }
    }
    return types
  }
}

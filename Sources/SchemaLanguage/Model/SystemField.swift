import Diagnostics

/// The fields every record has, by their names in Web Services
/// (Documentation/reference/schema-language.md#system-fields).
package enum SystemField: String, Sendable, Hashable, CaseIterable {
  case recordName
  case createdTimestamp
  case createdUserRecordName
  case modifiedTimestamp
  case modifiedUserRecordName
  case etag

  /// The name in a schema.
  package var storedName: String {
    switch self {
    case .recordName: "___recordID"
    case .createdTimestamp: "___createTime"
    case .createdUserRecordName: "___createdBy"
    case .modifiedTimestamp: "___modTime"
    case .modifiedUserRecordName: "___modifiedBy"
    case .etag: "___etag"
    }
  }

  package init?(storedName: String) {
    guard storedName.utf8.first == UInt8(ascii: "_"),
      let field = Self.allCases.first(where: { $0.storedName == storedName })
    else { return nil }
    self = field
  }

  package var dataType: DataType {
    switch self {
    case .recordName, .createdUserRecordName, .modifiedUserRecordName: .reference
    case .createdTimestamp, .modifiedTimestamp: .timestamp
    case .etag: .string
    }
  }

  /// The system field that a name probably means: a misspelling, or the field's name in another API
  /// (Documentation/reference/web-services.md#system-fields).
  package static func nearest(to name: String) -> SystemField? {
    let other: [String: SystemField] = [
      "recordname": .recordName, "creationdate": .createdTimestamp, "createdat": .createdTimestamp,
      "created": .createdTimestamp, "modificationdate": .modifiedTimestamp, "modifiedat": .modifiedTimestamp,
      "modified": .modifiedTimestamp, "recordchangetag": .etag,
    ]
    if let field = other[name.drop { $0 == "_" }.lowercased()] { return field }
    guard name.utf8.count <= 32 else { return nil }
    return SpellingSuggestion.nearest(to: name, among: allCases.map(\.storedName).sorted())
      .flatMap(SystemField.init(storedName:))
  }
}

extension Field {
  package var isSystem: Bool { SystemField(storedName: name) != nil }
}

extension FieldDeclaration {
  package var isSystem: Bool { SystemField(storedName: name) != nil }
}

extension RecordType {
  /// Whether a container can find the records of the type by the time of their last change.
  package var hasChangeIndex: Bool {
    self[field: SystemField.modifiedTimestamp.storedName]?.indexes.contains(.queryable) ?? false
  }
}

package enum SystemNames {
  package static let users = "Users"
  package static let roles: Set<String> = [Role.world, Role.icloud, Role.creator]

  package static func isManaged(_ recordType: String) -> Bool {
    recordType == users || isOfSharing(recordType)
  }

  package static func isOfSharing(_ recordType: String) -> Bool { recordType.hasPrefix("cloudkit.") }
}

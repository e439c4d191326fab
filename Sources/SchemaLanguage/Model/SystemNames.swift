import Diagnostics

/// Names that are CloudKit's own.
enum SystemNames {
  static let users = "Users"
  static let share = "cloudkit.share"
  static let roles: Set<String> = [Role.world, Role.icloud, Role.creator]

  /// Every record's own fields and their types (Documentation/reference/schema-language.md#system-fields).
  static let fields: [String: DataType] = [
    "___createTime": .timestamp, "___createdBy": .reference, "___etag": .string,
    "___modTime": .timestamp, "___modifiedBy": .reference, "___recordID": .reference,
  ]

  static let recordID = "___recordID"

  /// Whether CloudKit creates and manages the record type.
  static func isManaged(_ recordType: String) -> Bool {
    recordType == users || recordType.hasPrefix("cloudkit.")
  }

  /// The system field that a name probably means: a misspelling, or the field's name in another API
  /// (Documentation/reference/web-services.md#system-fields).
  static func nearestField(to name: String) -> String? {
    let other = [
      "recordname": "___recordID", "creationdate": "___createTime", "createdat": "___createTime",
      "created": "___createTime", "modificationdate": "___modTime", "modifiedat": "___modTime",
      "modified": "___modTime", "recordchangetag": "___etag",
    ]
    return other[name.drop { $0 == "_" }.lowercased()]
      ?? (name.utf8.count <= 32 ? SpellingSuggestion.nearest(to: name, among: fields.keys.sorted()) : nil)
  }
}

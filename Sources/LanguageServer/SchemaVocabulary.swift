package import SchemaLanguage

/// What the words of a schema mean, for a person who edits one
/// (Documentation/reference/schema-language.md).
package enum SchemaVocabulary {
  /// The meaning of a keyword, in Markdown; `nil` for one that explains itself.
  package static func meaning(of keyword: Keyword) -> String? {
    switch keyword {
    case .string: "Text. It can be QUERYABLE, SORTABLE and SEARCHABLE."
    case .int64:
      "A whole number of 64 bits. Apps keep flags in it, as 0 and 1. It can be QUERYABLE and SORTABLE."
    case .double: "A number with a fraction. It can be QUERYABLE and SORTABLE."
    case .timestamp: "A moment, to the millisecond. It can be QUERYABLE and SORTABLE."
    case .location:
      "A latitude and a longitude. It can be QUERYABLE, which queries by distance need, and SORTABLE."
    case .bytes: "Data inside the record, which may have 1 MB in all. An ASSET holds larger data."
    case .asset: "A file beside the record. It takes no option."
    case .reference:
      "The name of another record. It can be QUERYABLE. The schema does not say what it refers to; a comment `// -> Type` does."
    case .list:
      "Several values of one type, such as `LIST<STRING>`. QUERYABLE finds records whose list contains a value."
    case .encrypted:
      "Only the user's devices can read the value, in the private and shared databases. It takes no option. Whether a field is encrypted is decided when the field is made."
    case .queryable:
      "The index for equality: queries can filter by the field. Without it such a query is refused."
    case .sortable:
      "The index for order: queries can sort by the field. Comparing it with < and > needs QUERYABLE."
    case .searchable: "The index for words: queries can search in the text. For STRING and LIST<STRING>."
    case .grant:
      "Who may do what with records of the type: `GRANT READ, WRITE TO role`. Privileges of several grants add up."
    case .read: "READ: see records, also in queries."
    case .create:
      "CREATE: make records of the type. For `_creator` it allows nothing, because a record that does not exist yet has no creator."
    case .write:
      "WRITE: change and delete records of the type. For `_icloud` it means every record, for `_creator` the user's own."
    case .role: "A role of the container: `CREATE ROLE Name;`. People get it in the CloudKit Console."
    case .record, .type:
      "A record type. Production keeps a deployed type and its fields forever: fields are added, never removed or changed."
    default: nil
    }
  }

  /// The meaning of a role that CloudKit has.
  package static func meaning(ofRole name: String) -> String? {
    switch name {
    case Role.world: "Everyone, also without an iCloud account."
    case Role.icloud: "Everyone who is signed in to iCloud."
    case Role.creator: "The user who made the record."
    default: nil
    }
  }

  package static let roles = [Role.world, Role.icloud, Role.creator]

  /// The meaning of a field that every record has.
  package static func meaning(of field: SystemField) -> String {
    switch field {
    case .recordName:
      "The record's name. QUERYABLE makes the type listable: a query without a filter needs it."
    case .createdTimestamp: "When the record was made, by the service's clock."
    case .createdUserRecordName: "The user who made the record. QUERYABLE finds one person's records."
    case .modifiedTimestamp: "When the record was changed last, by the service's clock."
    case .modifiedUserRecordName: "The user who changed the record last."
    case .etag: "The record's change tag."
    }
  }

  package static let types: [Keyword] = [
    .asset, .bytes, .double, .encrypted, .int64, .list, .location, .reference, .string, .timestamp,
  ]

  /// The options that a field of a type can have; none for an encrypted one.
  package static func options(of type: DataType?) -> [Keyword] {
    switch type?.primitive {
    case .asset, .encrypted: []
    case .reference: [.queryable]
    case .plain(.string):
      if case .list? = type { [.queryable, .searchable] } else { [.queryable, .searchable, .sortable] }
    case .plain, .number, nil:
      if case .list? = type { [.queryable] } else { [.queryable, .sortable] }
    }
  }

  /// What begins a comment about a finding; its code and the reason follow.
  static let ignoring = "celestra:ignore "

  /// The marks of this tool in comments.
  package static let marks: [(text: String, meaning: String)] = [
    ("\(ignoring)CODE reason", "Does not report this finding here. The reason is part of it."),
    ("celestra:private", "The type is of the private database: rules about other readers skip it."),
    ("celestra:public", "The type is of the public database, although it looks private."),
  ]
}

/// Words from SQL and other languages, with their equivalents in the schema language
/// (Documentation/reference/schema-language.md#common-mistakes).
enum SQLSynonyms {
  static let types: [String: String] = [
    "UUID": "STRING", "TEXT": "STRING", "VARCHAR": "STRING", "CHAR": "STRING", "URL": "STRING",
    "DATE": "TIMESTAMP", "DATETIME": "TIMESTAMP", "TIME": "TIMESTAMP",
    "BOOLEAN": "INT64", "BOOL": "INT64", "INT": "INT64", "INTEGER": "INT64", "INT32": "INT64",
    "INT16": "INT64", "LONG": "INT64", "BIGINT": "INT64",
    "FLOAT": "DOUBLE", "REAL": "DOUBLE", "DECIMAL": "DOUBLE", "NUMERIC": "DOUBLE",
    "DATA": "BYTES", "BLOB": "BYTES", "BINARY": "BYTES",
    "CLLOCATION": "LOCATION", "COORDINATE": "LOCATION", "GEOPOINT": "LOCATION",
    "CKASSET": "ASSET", "FILE": "ASSET", "CKREFERENCE": "REFERENCE", "REF": "REFERENCE",
  ]

  static let options: [String: String] = [
    "INDEXED": "QUERYABLE", "INDEX": "QUERYABLE", "FILTERABLE": "QUERYABLE", "ORDERABLE": "SORTABLE",
    "FULLTEXT": "SEARCHABLE",
  ]

  static let constraints: Set<String> = [
    "NOT", "NULL", "REQUIRED", "OPTIONAL", "UNIQUE", "DEFAULT", "PRIMARY", "KEY",
  ]

  static let privileges: [String: String] = [
    "UPDATE": "WRITE", "DELETE": "WRITE", "MODIFY": "WRITE", "SELECT": "READ", "INSERT": "CREATE",
  ]
}

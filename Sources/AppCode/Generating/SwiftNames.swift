/// Which names Swift code cannot use, and which need backticks.
enum SwiftNames {
  /// Words that are names only in backticks.
  static let keywords: Set<String> = [
    "Any", "Self", "self", "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func",
    "import", "init", "inout", "internal", "let", "operator", "private", "precedencegroup", "protocol",
    "public", "rethrows", "static", "struct", "subscript", "typealias", "var", "break", "case", "catch",
    "continue", "default", "defer", "do", "else", "fallthrough", "for", "guard", "if", "in", "repeat",
    "return", "throw", "switch", "where", "while", "as", "false", "is", "nil", "super", "throws", "true",
    "try",
  ]

  /// Types that generated code names, and words that even backticks do not make a type's name.
  static let types: Set<String> = [
    "Any", "Array", "Asset", "AnyReference", "Bool", "Character", "Codable", "CodingKey", "Data", "Date",
    "Decoder", "DecodingError", "Dictionary", "Double", "Encoder", "Equatable", "Error", "FieldConvertible",
    "FieldIndex", "FieldSource", "FieldTarget", "FieldUpdate", "FieldValue", "Filter", "Foundation",
    "FoundationEssentials", "Hashable", "HasQueryable", "HasSearchable", "HasSortable", "Int", "Int64",
    "LacksQueryable", "LacksSearchable", "LacksSortable", "Location", "Never", "NoIndex", "OnlyQueryable",
    "OnlySearchable", "OnlySortable", "Optional", "Protocol", "QueryField", "QueryableSearchable",
    "QueryableSearchableSortable", "QueryableSortable", "Record", "RecordError", "RecordFields", "RecordName",
    "RecordUpdate", "Reference", "ReferenceAction", "Result", "SearchableSortable", "Self", "Sendable", "Set",
    "Sort", "StoredRecord", "String", "Swift", "Type", "URL", "Void", "CKAsset", "CKRecord",
    "CKRecordValueProtocol", "CLLocation", "CloudKit", "CloudKitFields", "CloudKitValues", "CoreLocation",
    "CaseIterable",
  ]

  /// The members that each generated type has.
  static let members: Set<String> = ["Field", "Fields", "Query", "SystemQuery", "Update", "allCases"]

  static func quoted(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }
}

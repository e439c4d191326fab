package import Diagnostics

/// The codes of findings in a file of records. An example is the text of the file that `records import` reads; a line
/// that begins with `//` is a record that the container has already.
package enum RecordRule: String, RuleCode {
  case invalidJSON = "RC0101"
  case notARecord = "RC0102"
  case repeatedName = "RC0103"
  case unknownType = "RC0104"
  case otherType = "RC0105"

  package var rule: Rule {
    switch self {
    case .invalidJSON:
      rule(
        "record-not-json", .error, "A line is not one JSON value",
        why:
          "A file of records has one JSON object a line, as `records export` writes it. A file of fields is one "
          + "JSON object.",
        example: #"{"recordType": "PublicFeed", "recordName": "feed", "fields": {}"#,
        useInstead: #"{"recordType": "PublicFeed", "recordName": "feed", "fields": {}}"#,
        source: "Documentation/Operators.md")
    case .notARecord:
      rule(
        "not-a-record", .error, "A line is JSON, but not a record",
        why:
          "A record has a recordType, a recordName and fields, and each field has a value that fits its type.",
        example: #"{"recordType": "PublicFeed", "fields": {}}"#,
        useInstead: #"{"recordType": "PublicFeed", "recordName": "feed", "fields": {}}"#,
        source: Rule.reference("web-services", "record-dictionary"))
    case .repeatedName:
      rule(
        "repeated-record", .error, "Two lines have the same record name",
        why: "A record name is unique across all record types, so the second line would overwrite the first.",
        example: """
          {"recordType": "PublicFeed", "recordName": "news", "fields": {}}
          {"recordType": "FeedCategory", "recordName": "news", "fields": {}}
          """,
        useInstead: """
          {"recordType": "PublicFeed", "recordName": "news-feed", "fields": {}}
          {"recordType": "FeedCategory", "recordName": "news", "fields": {}}
          """,
        source: Rule.reference("catalog", "record-names"))
    case .unknownType:
      rule(
        "unknown-record-type", .error, "The container's schema does not have a record's type",
        why: "Production refuses unknown types; development would create them.",
        example: #"{"recordType": "PublicFed", "recordName": "feed", "fields": {}}"#,
        useInstead: #"{"recordType": "PublicFeed", "recordName": "feed", "fields": {}}"#,
        help: "Correct the type, or import the schema that declares it.",
        source: Rule.reference("web-services", "just-in-time-schema"))
    case .otherType:
      rule(
        "record-of-other-type", .error, "A record of another type has the same name in the container",
        why: "A record name is unique across all record types, and a record cannot change its type.",
        example: """
          // {"recordType": "FeedCategory", "recordName": "news", "fields": {}}
          {"recordType": "PublicFeed", "recordName": "news", "fields": {}}
          """,
        useInstead: """
          // {"recordType": "FeedCategory", "recordName": "news", "fields": {}}
          {"recordType": "PublicFeed", "recordName": "news-feed", "fields": {}}
          """,
        help: "Give one of the two records another name.",
        source: Rule.reference("catalog", "record-names"))
    }
  }
}

package import Diagnostics

/// The codes of findings in declared aggregates. AG01xx: the file. AG02xx: the file and the schema together.
///
/// An example is the text of the file, checked against `schema/celestra.ckdb`.
package enum AggregateRule: String, RuleCode {
  case invalidJSON = "AG0101"
  case unknownKey = "AG0102"
  case missing = "AG0103"
  case wrongType = "AG0104"
  case unknownWord = "AG0105"
  case duplicate = "AG0106"
  case reservedName = "AG0107"
  case unknownRecordType = "AG0201"
  case unknownField = "AG0202"
  case unusableField = "AG0203"
  case missingIndex = "AG0204"

  package var rule: Rule {
    switch self {
    case .invalidJSON:
      rule(
        "aggregates-not-json", .error, "The file is not JSON",
        why: "The message points at the first wrong character. The file is not used at all.",
        example: "{\"aggregates\": [,]}", useInstead: "{\"aggregates\": []}", source: Self.guide)
    case .unknownKey:
      rule(
        "unknown-aggregate-key", .error, "A key is not one of its object's keys",
        why: "A misspelled key would be ignored, and the number would be wrong.",
        example: Self.file(source: #", "recordName": "sha256""#),
        useInstead: Self.file(source: #", "recordNames": "sha256""#),
        source: "\(Self.guide)#keys")
    case .missing:
      rule(
        "missing-aggregate-key", .error, "A required key is missing",
        why: "An aggregate needs a name, a source with a groupField, and targets.",
        example: #"{"aggregates": [{"name": "readers"}]}"#, useInstead: Self.file(),
        source: "\(Self.guide)#keys")
    case .wrongType:
      rule(
        "wrong-aggregate-type", .error, "A value does not have the type of its key",
        why: "The table of keys in the guide has the type of each.",
        example: #"{"aggregates": "subscribers"}"#, useInstead: Self.file(), source: "\(Self.guide)#keys")
    case .unknownWord:
      rule(
        "unknown-aggregate-word", .error, "A value is not one of the words that its key accepts",
        why: "Comparators, operations, profiles and rules for record names are words of a fixed list.",
        example: Self.file(members: #""operation": "average", "#),
        useInstead: Self.file(members: #""operation": "count", "#), source: "\(Self.guide)#keys")
    case .duplicate:
      rule(
        "duplicate-aggregate", .error, "Two aggregates have the same name",
        why: "`recount NAME` could mean either.",
        example: "{\"aggregates\": [\(Self.declaration()),\n\(Self.declaration())]}", useInstead: Self.file(),
        source: "\(Self.guide)#keys")
    case .reservedName:
      rule(
        "reserved-aggregate-name", .error,
        "An aggregate has a name that `recount` gives a meaning of its own",
        why:
          "Built-in aggregates are `subscribers`, `participants` and `quality`. `all` runs every one of them, and `audit` counts nothing.",
        example: Self.file(name: "audit"), useInstead: Self.file(), source: "\(Self.guide)#keys")
    case .unknownRecordType:
      rule(
        "unknown-aggregate-type", .error, "An aggregate names a record type that the schema does not have",
        why: "There is nothing to count, or nowhere to write the number.",
        example: Self.file(target: "PublicFed"), useInstead: Self.file(), source: "\(Self.guide)#keys")
    case .unknownField:
      rule(
        "unknown-aggregate-field", .error, "An aggregate names a field that its record type does not have",
        why: "In production the service refuses unknown fields; in development it would create them.",
        example: Self.file(field: "subscribers"), useInstead: Self.file(),
        source: Rule.reference("web-services", "just-in-time-schema"))
    case .unusableField:
      rule(
        "unusable-aggregate-field", .error,
        "The type of a field does not fit its use, or the aggregate writes no field",
        why:
          "A groupField must be a STRING or REFERENCE, and a target's field an INT64 or DOUBLE. At least "
          + "one target must not be a copy.",
        example: Self.file(field: "title"), useInstead: Self.file(), source: "\(Self.guide)#keys")
    case .missingIndex:
      rule(
        "missing-aggregate-index", .error, "A field that a query uses lacks the index that the query needs",
        why: "The service refuses a query whose fields have no index.",
        example: Self.file(type: "PublicArticle", group: "author"),
        useInstead: Self.file(type: "PublicArticle", group: "feedReference"),
        help: "Add the line that the message shows to the schema, and import the schema.",
        source: Rule.reference("web-services", "comparators-and-indexes"))
    }
  }

  // MARK: Example files

  private static let guide = "Documentation/Aggregates.md"

  private static func file(
    name: String = "readers", members: String = "", type: String = "FeedSubscription",
    group: String = "feedRecordName",
    source: String = "", target: String = "PublicFeed", field: String = "subscriberCount"
  ) -> String {
    let declaration = declaration(
      name: name, members: members, type: type, group: group, source: source, target: target, field: field)
    return "{\"aggregates\": [\(declaration)]}"
  }

  private static func declaration(
    name: String = "readers", members: String = "", type: String = "FeedSubscription",
    group: String = "feedRecordName",
    source: String = "", target: String = "PublicFeed", field: String = "subscriberCount"
  ) -> String {
    """
    {\(members)"name": "\(name)",
      "source": {"recordType": "\(type)", "groupField": "\(group)"\(source)},
      "targets": [{"recordType": "\(target)", "field": "\(field)"}]}
    """
  }
}

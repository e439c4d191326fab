import Diagnostics

enum SyntaxCode: String, RuleCode {
  case notASchema = "CK0101"
  case notUTF8 = "CK0102"
  case byteOrderMark = "CK0103"
  case unexpected = "CK0104"
  case missingHeader = "CK0105"
  case punctuation = "CK0106"
  case unknownType = "CK0107"
  case unknownOption = "CK0108"
  case unknownPrivilege = "CK0109"
  case needsQuotes = "CK0110"
  case badName = "CK0111"
  case unclosed = "CK0112"
  case keywordCase = "CK0113"
  case tooManyErrors = "CK0114"

  var rule: Rule {
    switch self {
    case .notASchema:
      rule(
        "not-a-schema", .error, "The file is not a schema, or is larger than any schema",
        why:
          "A schema begins with DEFINE SCHEMA. JSON, Swift source and binary files have been saved as .ckdb "
          + "files by mistake.",
        example: "{\"recordTypes\": []}",
        useInstead: "DEFINE SCHEMA", source: Self.section("common-mistakes"))
    case .notUTF8:
      rule(
        "not-utf8", .error, "The file is not UTF-8",
        why: "The service reads schemas as UTF-8.",
        source: Self.section("grammar"))
    case .byteOrderMark:
      rule(
        "byte-order-mark", .warning, "The file begins with a byte order mark",
        why: "No exported schema has one, and the service's parser may refuse it.",
        example: "\u{FEFF}DEFINE SCHEMA",
        useInstead: "DEFINE SCHEMA", source: Self.section("grammar"))
    case .unexpected:
      rule(
        "unexpected-text", .error, "The text does not fit the grammar at this place",
        why: "The statements of a schema are CREATE ROLE and RECORD TYPE. The members of a record type are "
          + "fields and grants.",
        example: "DEFINE SCHEMA\nRECROD TYPE Feed ( title STRING );",
        useInstead: "DEFINE SCHEMA\nRECORD TYPE Feed ( title STRING );", source: Self.section("grammar"))
    case .missingHeader:
      rule(
        "missing-header", .error, "The file does not begin with DEFINE SCHEMA",
        why: "The grammar requires it once, before all statements.",
        example: "RECORD TYPE Feed ( title STRING );",
        useInstead: "DEFINE SCHEMA\nRECORD TYPE Feed ( title STRING );", source: Self.section("grammar"))
    case .punctuation:
      rule(
        "punctuation", .error, "A comma, semicolon or parenthesis is missing or in the wrong place",
        why:
          "Members are separated by commas, with no comma after the last one. Every statement ends with ';'.",
        example: "DEFINE SCHEMA\nRECORD TYPE Feed ( title STRING, )",
        useInstead: "DEFINE SCHEMA\nRECORD TYPE Feed ( title STRING );", source: Self.section("grammar"))
    case .unknownType:
      rule(
        "unknown-type", .error, "A field's type is missing or is not a type of the language",
        why: "The language has no UUID, DATE or BOOLEAN. A list is written LIST<STRING>.",
        example: "DEFINE SCHEMA\nRECORD TYPE Feed ( id UUID, tags LIST<TEXT> );",
        useInstead: "DEFINE SCHEMA\nRECORD TYPE Feed ( id STRING, tags LIST<STRING> );",
        source: Self.section("types-and-indexes"))
    case .unknownOption:
      rule(
        "unknown-option", .error, "A field has an option that does not exist",
        why:
          "The options are QUERYABLE, SORTABLE and SEARCHABLE. A field cannot be required or unique or have a "
          + "default value.",
        example: "DEFINE SCHEMA\nRECORD TYPE Feed ( title STRING QUERIABLE );",
        useInstead: "DEFINE SCHEMA\nRECORD TYPE Feed ( title STRING QUERYABLE );",
        source: Self.section("types-and-indexes"))
    case .unknownPrivilege:
      rule(
        "unknown-privilege", .error, "A grant names a privilege that does not exist",
        why: "The privileges are READ, CREATE and WRITE. WRITE allows both changing and deleting records.",
        example: "DEFINE SCHEMA\nRECORD TYPE Feed ( title STRING, GRANT DELETE TO \"_creator\" );",
        useInstead: "DEFINE SCHEMA\nRECORD TYPE Feed ( title STRING, GRANT WRITE TO \"_creator\" );",
        source: Self.section("grammar"))
    case .needsQuotes:
      rule(
        "needs-quotes", .error, "A system name or reserved word is not in quotes",
        why: "Names with a leading underscore or a dot, and the reserved words, must be quoted.",
        example: "DEFINE SCHEMA\nRECORD TYPE Feed ( ___recordID REFERENCE QUERYABLE );",
        useInstead: "DEFINE SCHEMA\nRECORD TYPE Feed ( \"___recordID\" REFERENCE QUERYABLE );",
        source: Self.section("names"))
    case .badName:
      rule(
        "bad-name", .error, "A name contains a character that is not allowed in names",
        why: "Names are ASCII letters, digits and '_', and begin with a letter.",
        example: "DEFINE SCHEMA\nRECORD TYPE Feed ( site-url STRING );",
        useInstead: "DEFINE SCHEMA\nRECORD TYPE Feed ( siteURL STRING );", source: Self.section("names"))
    case .unclosed:
      rule(
        "unclosed", .error, "A quoted name or a block comment is never closed",
        why: "A quoted name must end on its line. A block comment that begins with '/*' must end with '*/'.",
        example: "DEFINE SCHEMA\nRECORD TYPE Feed ( \"title STRING );",
        useInstead: "DEFINE SCHEMA\nRECORD TYPE Feed ( \"title\" STRING );", source: Self.section("comments"))
    case .keywordCase:
      rule(
        "keyword-case", .warning, "A keyword is not in capitals",
        why: "Exported schemas have keywords in capitals. Whether the service accepts anything else is not "
          + "documented.",
        example: "DEFINE SCHEMA\nrecord type Feed ( title string );",
        useInstead: "DEFINE SCHEMA\nRECORD TYPE Feed ( title STRING );", source: Self.section("grammar"))
    case .tooManyErrors:
      rule(
        "too-many-errors", .note, "The file has too many errors to list",
        why: "Checking stops. Fix the listed errors and run again.",
        source: Self.section("grammar"))
    }
  }

  private static func section(_ name: String) -> String { Rule.reference("schema-language", name) }
}

import Diagnostics

/// The documentation of the parser's codes.
enum SyntaxRules {
  static let all: [Rule] = SyntaxCode.allCases.map(rule)

  private static func rule(_ code: SyntaxCode) -> Rule {
    let entry = entry(code)
    return Rule(
      code.rawValue, entry.name, code.severity, summary: entry.summary, rationale: entry.rationale,
      example: entry.example, useInstead: entry.useInstead,
      source: Rule.reference("schema-language", entry.section))
  }

  private typealias Entry = (
    name: String, summary: String, rationale: String, example: String, useInstead: String, section: String
  )

  private static func entry(_ code: SyntaxCode) -> Entry {
    switch code {
    case .notASchema:
      (
        "not-a-schema", "The file is not a schema, or is larger than any schema",
        "A schema begins with DEFINE SCHEMA. JSON, Swift source and binary files have been saved as .ckdb "
          + "files by mistake.",
        "{\"recordTypes\": []}", "DEFINE SCHEMA", "common-mistakes"
      )
    case .notUTF8:
      (
        "not-utf8", "The file is not UTF-8", "The service reads schemas as UTF-8.", "", "", "grammar"
      )
    case .byteOrderMark:
      (
        "byte-order-mark", "The file begins with a byte order mark",
        "No exported schema has one, and the service's parser may refuse it.",
        "\u{FEFF}DEFINE SCHEMA", "DEFINE SCHEMA", "grammar"
      )
    case .unexpected:
      (
        "unexpected-text", "The text does not fit the grammar at this place",
        "The statements of a schema are CREATE ROLE and RECORD TYPE. The members of a record type are "
          + "fields and grants.",
        "DEFINE SCHEMA\nRECROD TYPE Feed ( title STRING );",
        "DEFINE SCHEMA\nRECORD TYPE Feed ( title STRING );",
        "grammar"
      )
    case .missingHeader:
      (
        "missing-header", "The file does not begin with DEFINE SCHEMA",
        "The grammar requires it once, before all statements.",
        "RECORD TYPE Feed ( title STRING );", "DEFINE SCHEMA\nRECORD TYPE Feed ( title STRING );", "grammar"
      )
    case .punctuation:
      (
        "punctuation", "A comma, semicolon or parenthesis is missing or in the wrong place",
        "Members are separated by commas, with no comma after the last one. Every statement ends with ';'.",
        "DEFINE SCHEMA\nRECORD TYPE Feed ( title STRING, )",
        "DEFINE SCHEMA\nRECORD TYPE Feed ( title STRING );",
        "grammar"
      )
    case .unknownType:
      (
        "unknown-type", "A field's type is missing or is not a type of the language",
        "The language has no UUID, DATE or BOOLEAN. A list is written LIST<STRING>.",
        "DEFINE SCHEMA\nRECORD TYPE Feed ( id UUID, tags STRING LIST );",
        "DEFINE SCHEMA\nRECORD TYPE Feed ( id STRING, tags LIST<STRING> );", "types-and-indexes"
      )
    case .unknownOption:
      (
        "unknown-option", "A field has an option that does not exist",
        "The options are QUERYABLE, SORTABLE and SEARCHABLE. A field cannot be required or unique or have a "
          + "default value.",
        "DEFINE SCHEMA\nRECORD TYPE Feed ( title STRING QUERIABLE );",
        "DEFINE SCHEMA\nRECORD TYPE Feed ( title STRING QUERYABLE );", "types-and-indexes"
      )
    case .unknownPrivilege:
      (
        "unknown-privilege", "A grant names a privilege that does not exist",
        "The privileges are READ, CREATE and WRITE. WRITE allows both changing and deleting records.",
        "DEFINE SCHEMA\nRECORD TYPE Feed ( title STRING, GRANT DELETE TO \"_creator\" );",
        "DEFINE SCHEMA\nRECORD TYPE Feed ( title STRING, GRANT WRITE TO \"_creator\" );", "grammar"
      )
    case .needsQuotes:
      (
        "needs-quotes", "A system name or reserved word is not in quotes",
        "Names with a leading underscore or a dot, and the reserved words, must be quoted.",
        "DEFINE SCHEMA\nRECORD TYPE Feed ( ___recordID REFERENCE QUERYABLE );",
        "DEFINE SCHEMA\nRECORD TYPE Feed ( \"___recordID\" REFERENCE QUERYABLE );", "names"
      )
    case .badName:
      (
        "bad-name", "A name contains a character that is not allowed in names",
        "Names are ASCII letters, digits and '_', and begin with a letter.",
        "DEFINE SCHEMA\nRECORD TYPE Feed ( site-url STRING );",
        "DEFINE SCHEMA\nRECORD TYPE Feed ( siteURL STRING );",
        "names"
      )
    case .unclosed:
      (
        "unclosed", "A quoted name or a block comment is never closed",
        "A quoted name must end on its line. A block comment that begins with '/*' must end with '*/'.",
        "DEFINE SCHEMA\nRECORD TYPE Feed ( \"title STRING );",
        "DEFINE SCHEMA\nRECORD TYPE Feed ( \"title\" STRING );",
        "comments"
      )
    case .keywordCase:
      (
        "keyword-case", "A keyword is not in capitals",
        "Exported schemas have keywords in capitals. Whether the service accepts anything else is not "
          + "documented.",
        "DEFINE SCHEMA\nrecord type Feed ( title string );",
        "DEFINE SCHEMA\nRECORD TYPE Feed ( title STRING );",
        "grammar"
      )
    case .tooManyErrors:
      (
        "too-many-errors", "The file has too many errors to list",
        "Checking stops. Fix the listed errors and run again.", "", "", "grammar"
      )
    }
  }
}

extension SyntaxCode {
  fileprivate var severity: Diagnostic.Severity {
    switch self {
    case .byteOrderMark, .keywordCase: .warning
    case .tooManyErrors: .note
    default: .error
    }
  }
}

/// The codes of syntax findings. ``SyntaxRules`` documents them.
enum SyntaxCode: String, CaseIterable {
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
}

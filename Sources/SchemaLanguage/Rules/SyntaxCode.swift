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

  static var page: RulePage { SchemaRules.page }
}

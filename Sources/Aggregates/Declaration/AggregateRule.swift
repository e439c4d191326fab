package import Diagnostics

/// The codes of findings in aggregates. AG01xx: the file that declares them. AG02xx: the file and the schema together.
/// AG03xx: what `recount audit` finds in subscriptions.
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
  case madeUp = "AG0301"
  case newAccounts = "AG0302"
  case burst = "AG0303"
  case jump = "AG0304"
  case creatorsOverLimit = "AG0305"

  package static let page = RulePage(.aggregate, PackageResources.AggregateRules_md)
}

package import Diagnostics

/// The codes of findings in a file of records.
package enum RecordRule: String, RuleCode {
  case invalidJSON = "RC0101"
  case notARecord = "RC0102"
  case repeatedName = "RC0103"
  case unknownType = "RC0104"
  case otherType = "RC0105"

  package static let page = RulePage(.record, PackageResources.RecordRules_md)
}

package import Diagnostics

/// The codes of findings in `moderation.json`. MO01xx: the file. MO02xx: the file and the schema together.
package enum ModerationRule: String, RuleCode {
  case invalidJSON = "MO0101"
  case unknownKey = "MO0102"
  case missing = "MO0103"
  case wrongType = "MO0104"
  case duplicate = "MO0105"
  case unknownRecordType = "MO0201"
  case unknownField = "MO0202"
  case unusableField = "MO0203"
  case missingIndex = "MO0204"
  case unknownRole = "MO0205"
  case missingGrant = "MO0206"
  case readableReports = "MO0207"

  package static let page = RulePage(.moderation, PackageResources.ModerationRules_md)
}

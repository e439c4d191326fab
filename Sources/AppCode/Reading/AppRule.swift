package import Diagnostics

/// What `schema check-app` finds, beside what it finds of queries, which has the codes of `schema lint --queries`.
package enum AppRule: String, RuleCode {
  case missingType = "AP0101"
  case missingField = "AP0102"
  case otherType = "AP0105"
  case refusedPredicate = "AP0106"
  case unreadCode = "AP0107"

  package static let page = RulePage(.app, PackageResources.AppRules_md)
}

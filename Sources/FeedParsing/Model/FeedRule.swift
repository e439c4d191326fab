package import Diagnostics

/// The codes of findings in a feed document. FP01xx: the document. FP02xx: its encoding. FP03xx: its content. FP04xx:
/// limits.
package enum FeedRule: String, RuleCode {
  case illFormed = "FP0101"
  case notAFeed = "FP0102"
  case htmlPage = "FP0103"
  case empty = "FP0104"
  case externalDeclaration = "FP0105"
  case undefinedEntity = "FP0106"
  case undeclaredPrefix = "FP0107"
  case cutDocument = "FP0108"
  case encodingMismatch = "FP0201"
  case unknownEncoding = "FP0202"
  case contentType = "FP0203"
  case unreadableDate = "FP0301"
  case missingID = "FP0302"
  case duplicateID = "FP0303"
  case jsonShape = "FP0304"
  case bridgeError = "FP0305"
  case tooManyBytes = "FP0401"
  case startTagTooLong = "FP0402"
  case tooDeep = "FP0403"
  case tooManyItems = "FP0404"
  case textTruncated = "FP0405"
  case entityExpansion = "FP0406"
  case linkExpansion = "FP0407"

  package static let page = RulePage(.feed, PackageResources.FeedRules_md)
}

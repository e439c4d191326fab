package import Diagnostics

package enum SeedRule: String, RuleCode {
  case unreadable = "SE0101"
  case outsideTree = "SE0102"
  case tooLarge = "SE0103"
  case invalidJSON = "SE0104"
  case unexpectedFile = "SE0105"

  case wrongType = "SE0201"
  case missing = "SE0202"
  case unknownKey = "SE0203"
  case computedField = "SE0204"
  case unusableText = "SE0205"
  case notComposed = "SE0206"

  case badSlug = "SE0301"
  case badURL = "SE0302"
  case badLanguage = "SE0303"
  case badColor = "SE0304"
  case badTag = "SE0305"
  case badRecordName = "SE0306"
  case badIcon = "SE0307"

  case duplicateSlug = "SE0401"
  case duplicateName = "SE0402"
  case duplicateURL = "SE0403"
  case duplicateRecordName = "SE0404"
  case unknownCategory = "SE0405"
  case cyclicParent = "SE0406"
  case unknownFeed = "SE0407"
  case repeatedFeed = "SE0408"
  case recordTooLarge = "SE0409"
  case emptyCollection = "SE0410"
  case nearDuplicate = "SE0411"
  case retiredFeed = "SE0412"
  case badReplacement = "SE0413"

  package static let page = RulePage(.seed, PackageResources.SeedRules_md)
}

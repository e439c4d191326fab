package import Diagnostics

package enum CurationRule: String, RuleCode {
  case notOPML = "CU0101"
  case brokenXML = "CU0102"
  case tooLarge = "CU0103"
  case cutFile = "CU0104"

  case attributeCase = "CU0201"
  case noAddress = "CU0202"
  case badAddress = "CU0203"
  case notAFeed = "CU0204"
  case repeatedFeed = "CU0205"
  case otherName = "CU0206"
  case unknownFolder = "CU0207"
  case notFollowed = "CU0208"
  case unreadOutline = "CU0209"
  case badLanguage = "CU0210"
  case nearDuplicate = "CU0211"
  case noCategory = "CU0212"
  case feedScheme = "CU0213"
  case structure = "CU0214"
  case encodingMismatch = "CU0215"
  case undefinedEntity = "CU0216"
  case needsTrust = "CU0217"
  case unresolvedValue = "CU0218"
  case noLanguage = "CU0219"
  case secretAddress = "CU0220"
  case privateAddress = "CU0221"
  case addressFragment = "CU0222"
  case brokenOutline = "CU0223"

  case madeUpSlug = "CU0301"
  case twinRecords = "CU0302"
  case unusableRecord = "CU0303"
  case danglingFeed = "CU0304"
  case unknownBase = "CU0305"
  case unknownReaders = "CU0306"
  case unusableValue = "CU0307"

  case refusedQuery = "CU0402"
  case emptyScreen = "CU0403"
  case truncatedScreen = "CU0404"
  case missingRecords = "CU0406"
  case subscriptionFields = "CU0408"

  case deadFeed = "CU0501"
  case staleFeed = "CU0502"
  case commentsFeed = "CU0503"
  case feedLanguage = "CU0504"
  case movedFeed = "CU0505"

  package static let page = RulePage(.curation, PackageResources.CurationRules_md)
}

package import Diagnostics

package enum SchemaRules: RuleSet {
  static let validation: [SchemaRule] = [
    .duplicateRecordType, .duplicateField, .duplicateRole, .undeclaredRole, .impossibleOption,
    .repeatedOption,
    .systemFieldType, .reservedName, .emptyRecordType, .repeatedGrant, .systemRole,
  ]

  static let lint: [SchemaRule] =
    SchemaRule.ofQueries + [
      .missingRecordIDIndex, .unlikelyIndex, .droppedSystemIndex,
      .strangersMayWrite, .anyoneMayCreate, .nobodyMayCreate, .creatorMayCreate, .readableMembership,
      .readableIdentifier, .encryptedInPublic, .privateFlagInPublic, .readableLocation, .readableCredential,
      .readableDetail, .readableHealth, .missingDescription,
      .undecidedNumber, .namesDifferInCase, .unusedRole, .droppedManagedType,
    ]

  /// They are checked only if the settings or `--select` name them.
  static let offByDefault: Set = [SchemaRule.missingDescription.code]

  package static let page = RulePage(.schema, PackageResources.SchemaRules_md)

  package static let codes =
    (SyntaxCode.codes + SchemaCode.codes + (validation + lint).map(\.code)).sorted()

  package static var all: [Rule] { page.rules }

  package static func rule(_ code: String) -> Rule? { page.rule(code) }
}

/// The codes of findings that no `SchemaRule` makes.
package enum SchemaCode: String, RuleCode {
  case unreadableFile = "CK0100"
  case refused = "CK0199"
  case databaseUnknown = "CK0207"
  case changed = "CK0410"
  case notAdditive = "CK0411"
  case unusedException = "CK0412"
  case lostComment = "CK0413"
  case suppressionWithoutReason = "CK0501"
  case unknownSuppression = "CK0502"
  case unusedSuppression = "CK0503"
  case unreadableQueries = "CK0601"
  case unreadableSettings = "CK0602"
  case collidingSubscriptions = "CK0603"

  package static var page: RulePage { SchemaRules.page }
}

/// Findings about schema input that are not about its text: unreadable files, and refusals by the container.
package enum SchemaInputRules {
  /// - Parameter reason: the error, with the file's name.
  package static func unreadable(_ name: String, _ reason: String) -> Diagnostic {
    Diagnostic(SchemaCode.unreadableFile, reason, at: SourceText(name: name, bytes: []).range(0..<0))
  }

  /// - Parameter reason: the container's message.
  package static func refusal(of parsed: ParsedSchema, _ reason: String) -> Diagnostic {
    Diagnostic(
      SchemaCode.refused, "the container refuses the schema: \(reason)", at: parsed.source.range(0..<0))
  }
}

/// What `schema check-app` finds, beside what it finds of queries, which has the codes of `schema lint --queries`.
package enum AppRule: String, RuleCode {
  case missingType = "AP0101"
  case missingField = "AP0102"
  case otherType = "AP0105"
  case refusedPredicate = "AP0106"
  case unreadCode = "AP0107"

  package static let page = RulePage(.app, PackageResources.AppRules_md)
}

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

package import Diagnostics

package enum SchemaRules: RuleSet {
  static let validation: [SchemaRule] = [
    .duplicateRecordType, .duplicateField, .duplicateRole, .undeclaredRole, .impossibleOption,
    .repeatedOption,
    .systemFieldType, .reservedName, .emptyRecordType, .repeatedGrant, .systemRole,
  ]

  static let lint: [SchemaRule] = [
    .queryNeedsIndex, .queryNamesNothing, .missingRecordIDIndex, .sortableWithoutQueryable, .unlikelyIndex,
    .droppedSystemIndex, .queryComparison,
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

public import Diagnostics

/// Every rule there is, by code.
public enum SchemaRules {
  static let validation: [SchemaRule] = [
    .duplicateRecordType, .duplicateField, .duplicateRole, .undeclaredRole, .impossibleOption,
    .repeatedOption,
    .systemFieldType, .reservedName, .emptyRecordType, .repeatedGrant, .systemRole,
  ]

  static let lint: [SchemaRule] = [
    .queryNeedsIndex, .queryNamesNothing, .missingRecordIDIndex, .sortableWithoutQueryable, .unlikelyIndex,
    .droppedSystemIndex,
    .strangersMayWrite, .anyoneMayCreate, .nobodyMayCreate, .creatorMayCreate, .readableMembership,
    .readableIdentifier, .encryptedInPublic, .privateFlagInPublic,
    .undecidedNumber, .namesDifferInCase, .unusedRole, .droppedManagedType,
  ]

  /// What every code means, in the order of the codes.
  public static let all: [Rule] =
    [
      InputRules.all, SyntaxRules.all, (validation + lint).map(\.rule), Suppressions.rules, DiffRules.all,
      [QueryManifest.rule],
    ].flatMap(\.self).sorted { $0.code < $1.code }

  public static func rule(_ code: String) -> Rule? { all.first { $0.code == code } }
}

extension SchemaRules {
  /// The page that documents them all, `Documentation/Rules.md`.
  public static var documentation: String {
    RuleDocumentation.page(
      title: "Rules for schemas",
      introduction: """
        What `schema validate` (CK01..) and `schema lint` (all) find in a `.ckdb` file. This page is written from \
        the rules themselves.

        A finding that is meant to stay is suppressed by a comment with the reason, on the line of the declaration \
        or above it; above a record type it holds for the whole type, above DEFINE SCHEMA for the file:

            // celestra:ignore CK0306 the app writes a pseudonym here
            userId STRING QUERYABLE,

        Errors of the CK01 family cannot be suppressed. The documents named as sources are Apple's schema language \
        and web services references and the needs of the people the tool is for, as collected for this project.
        """,
      rules: all)
  }
}

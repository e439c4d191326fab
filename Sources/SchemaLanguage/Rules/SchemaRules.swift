public import Diagnostics

/// The table of all schema rules, by code.
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
    .readableIdentifier, .encryptedInPublic, .privateFlagInPublic, .readableLocation, .readableCredential,
    .readableDetail,
    .undecidedNumber, .namesDifferInCase, .unusedRole, .droppedManagedType,
  ]

  /// The documentation of all codes, in their order.
  public static let all: [Rule] =
    [
      SchemaInputRules.all, SyntaxRules.all, (validation + lint).map(\.rule), Suppressions.rules,
      DiffRules.all,
      [QueryManifest.rule, LintConfiguration.rule],
    ].flatMap(\.self).sorted { $0.code < $1.code }

  public static func rule(_ code: String) -> Rule? { byCode[code] }

  private static let byCode = Dictionary(all.map { ($0.code, $0) }, uniquingKeysWith: { first, _ in first })
}

extension SchemaRules {
  /// The introduction of these rules in `Documentation/Rules.md`.
  public static let introduction = """
    What `schema validate` (CK01) and `schema lint` (all) find in a `.ckdb` file, and `schema diff` (CK0410, CK0411) \
    in two of them. An example is the text of the file.

    To accept a finding, write a comment with the code and the reason, on the line of the declaration or above it. A \
    comment above a record type applies to the whole type, and one above DEFINE SCHEMA to the whole file:

        // celestra:ignore CK0306 the app writes a pseudonym here
        userId STRING QUERYABLE,

    Errors of the CK01 family cannot be suppressed.
    """
}

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
    (SyntaxRules.all + (validation + lint).map(\.rule) + Suppressions.rules + DiffRules.all + [
      QueryManifest.rule
    ]).sorted {
      $0.code < $1.code
    }

  public static func rule(_ code: String) -> Rule? { all.first { $0.code == code } }
}

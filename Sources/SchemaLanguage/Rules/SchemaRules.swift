package import Diagnostics

package enum SchemaRules {
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

  package static let all: [Rule] =
    [
      SchemaInputRules.all, SyntaxCode.rules, (validation + lint).map(\.rule), Suppressions.rules,
      DiffRules.all,
      [QueryManifest.rule, LintConfiguration.rule, DatabaseNotice.rule, PulledSchema.rule],
    ].flatMap(\.self).sorted { $0.code < $1.code }

  package static func rule(_ code: String) -> Rule? { byCode[code] }

  private static let byCode = Dictionary(all.map { ($0.code, $0) }, uniquingKeysWith: { first, _ in first })
}

/// Rules about schema input that are not about its text: unreadable files, and refusals by the container.
package enum SchemaInputRules {
  static let all = [
    Rule(
      "CK0100", "unreadable-file", .error,
      summary: "A file that the command names cannot be read",
      rationale: "The other files are still checked.",
      example: "", useInstead: "", source: Rule.reference("schema-language", "grammar")),
    Rule(
      "CK0199", "refused-by-container", .error,
      summary: "The container refuses a schema that is well formed, for the reason it gives",
      rationale:
        "The container's current schema can rule out a change that the file makes. Found with `schema "
        + "validate --remote`.",
      example: "", useInstead: "", source: Rule.reference("schema-language", "import-refusals")),
  ]

  /// - Parameter reason: the error, with the file's name.
  package static func unreadable(_ name: String, _ reason: String) -> Diagnostic {
    Diagnostic("CK0100", .error, reason, at: SourceText(name: name, bytes: []).range(0..<0))
  }

  /// - Parameter reason: the container's message.
  package static func refusal(of parsed: ParsedSchema, _ reason: String) -> Diagnostic {
    Diagnostic(
      "CK0199", .error, "the container refuses the schema: \(reason)", at: parsed.source.range(0..<0))
  }
}

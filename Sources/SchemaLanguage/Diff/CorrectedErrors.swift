import Diagnostics

/// The errors of lint rules that a schema has and its next version does not have. The policy `additive` refuses no change
/// that removes one: it would otherwise keep what `schema lint` asks to remove.
package struct CorrectedErrors: Sendable {
  /// By record type and by the field or the role (`TO _icloud`) that they are about.
  private var errors: [[String]: [FindingSubject]] = [:]
  /// The privileges that a role loses, by record type and role.
  private var lost: [[String]: EnumSet<Privilege>] = [:]

  package init() {}

  /// - Parameter configuration: the project's severities and private types.
  package init(from old: ParsedSchema, to new: ParsedSchema, _ configuration: LintConfiguration) {
    var options = LintOptions()
    options.configuration = configuration
    let gone = SchemaLinter.errors(old, options).subtracting(SchemaLinter.errors(new, options))
    errors = Dictionary(grouping: gone) { [$0.recordType, $0.member] }
    let types = new.schema.recordTypes.keyed(by: \.name)
    let corrected = Set(gone.map(\.recordType))
    for type in old.schema.recordTypes where corrected.contains(type.name) {
      for role in Set(type.grants.map(\.role)) {
        let kept = types[type.name]?.effectivePrivileges(of: role) ?? []
        lost[[type.name, role]] = type.effectivePrivileges(of: role).subtracting(kept)
      }
    }
  }

  /// The code of the error that a change removes and that alone explains it: a grant that also loses another privilege
  /// is refused for that.
  func code(for change: SchemaChange) -> String? {
    guard let type = change.recordType else { return nil }
    switch change.kind {
    // The last grant's removal may give people what the default grants allow.
    case .removeGrant where change.risk != .permissionWidening:
      let role = change.role ?? ""
      guard let lost = lost[[type, role]] else { return nil }
      return found(type, "TO \(role)").first { Self.privileges[$0].map(lost.isSubset) ?? false }
    case .removeIndex: return found(type, change.field ?? "").first
    case .addGrant:
      return change.to == Privilege.create.rawValue
        ? found(type, "").first { $0 == SchemaRule.nobodyMayCreate.code } : nil
    default: return nil
    }
  }

  private func found(_ recordType: String, _ member: String) -> [String] {
    (errors[[recordType, member]] ?? []).map(\.code).sorted()
  }

  /// What the rules about a single grant ask to revoke.
  private static let privileges: [String: EnumSet<Privilege>] = [
    SchemaRule.strangersMayWrite.code: [.write], SchemaRule.anyoneMayCreate.code: [.create],
  ]
}

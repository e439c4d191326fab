package import Diagnostics

package struct SchemaPolicy: Sendable {
  package let policy: SchemaChangePolicy
  /// None for the policy that refuses nothing.
  private let exceptions: [AllowedChange]
  private let corrected: CorrectedErrors

  package static let none = SchemaPolicy(.none)

  /// - Parameter corrected: the errors of the old schema that the new one does not have.
  package init(
    _ policy: SchemaChangePolicy, exceptions: [AllowedChange] = [],
    corrected: CorrectedErrors = CorrectedErrors()
  ) {
    self.policy = policy
    self.exceptions = policy == .none ? [] : exceptions
    self.corrected = corrected
  }

  package func refusal(of change: SchemaChange) -> String? {
    guard policy == .additive, exception(for: change) == nil, correction(of: change) == nil else {
      return nil
    }
    return change.additiveRefusal
  }

  /// The code of an error that the change removes from the old schema, for which the policy lets it pass.
  func correction(of change: SchemaChange) -> String? {
    guard policy == .additive, change.additiveRefusal != nil else { return nil }
    return corrected.code(for: change)
  }

  /// The exception that allows a change which the policy alone would refuse.
  package func exception(for change: SchemaChange) -> AllowedChange? {
    guard let found = exceptions.first(where: { $0.covers(change) }), change.additiveRefusal != nil,
      correction(of: change) == nil
    else { return nil }
    return found
  }

  /// The exception for what the change would remove from production, which keeps it: a deployment removes nothing.
  package func keeping(_ change: SchemaChange) -> AllowedChange? {
    change.kind.isRemoval ? exceptions.first { $0.covers(change) } : nil
  }

  func remarks(on change: SchemaChange) -> [String] {
    [
      refusal(of: change).map { "not additive: \($0)" },
      correction(of: change).map { "allowed, because it corrects \($0)" },
      exception(for: change).map { "allowed by an exception: \($0.reason)" }, change.hint,
    ].compactMap(\.self)
  }

  package func violations(in changes: [SchemaChange]) -> [SchemaChange] {
    policy == .none ? [] : changes.filter { refusal(of: $0) != nil }
  }

  func unusedExceptions(_ changes: [SchemaChange]) -> [Diagnostic] {
    exceptions.filter { exception in !changes.contains { self.exception(for: $0) == exception } }.map {
      Diagnostic(
        SchemaCode.unusedException, "no change needs the exception for \($0.name)", at: $0.place,
        help:
          "remove it from schema.allowedChanges once the change is merged, unless production keeps what it names"
      )
    }
  }

  /// What the policy refuses, and for each refused change the exception that would allow it, once it has a reason.
  func demand(_ changes: [SchemaChange]) -> ReportBody {
    let refused = violations(in: changes)
    return refused.exceptions(
      after: "--policy additive refuses \(counted(refused.count, "change"))", "To accept a change")
  }
}

extension [SchemaChange] {
  /// The entries that allow the changes, once they have a reason, after a sentence and a purpose; empty without a change.
  @ReportBodyBuilder package func exceptions(after sentence: String, _ purpose: String) -> ReportBody {
    if !isEmpty {
      let entries = map { AllowedChange.json(for: $0).text() }.unique
      let fewer =
        entries.count < count
        ? ", for which \(counted(entries.count, "line")) \(entries.count == 1 ? "is" : "are") enough" : ""
      "\(sentence)\(fewer). \(purpose), add its line with a reason to schema.allowedChanges in celestra-admin.json:"
      for entry in entries { ListItem("\(entry, .code)") }
    }
  }
}

extension SchemaChange {
  /// What both environments are known to take passes, unless it allows people more.
  var additiveRefusal: String? {
    if kind.isRemoval || kind == .changeFieldType, development == .allowed, production == .allowed,
      risk != .permissionWidening
    {
      return nil
    }
    return switch kind {
    case .removeRecordType: "a record type is removed"
    case .removeField: "a field is removed"
    case .removeIndex: "an index is dropped, and queries of released apps may need it"
    case .removeRole: "a role is removed, and its users lose what it granted"
    case .changeFieldType: risk == .none && production != .refused ? nil : "the type of a field changes"
    case .addGrant, .removeGrant: grantRefusal
    case .addRecordType, .addField, .addIndex, .addRole:
      production == .refused
        ? "production refuses it"
        : risk == .permissionWidening
          ? "strangers may change records of the new type, or create them without an account" : nil
    }
  }
}

/// A change that the policy `additive` accepts: an entry of `schema.allowedChanges` in celestra-admin.json.
///
///     {"change": "removeIndex", "recordType": "Note", "field": "title", "reason": "no app sorts by it since 2.0"}
package struct AllowedChange: Sendable, Hashable {
  let kind: SchemaChange.Kind
  /// `nil` for a change of roles.
  let recordType: String?
  /// The field or role; `nil` for a whole record type.
  let member: String?
  package let reason: String
  let place: SourceRange

  /// `removeIndex of Note.title`
  var name: String {
    "\(kind.rawValue) of \([recordType, member].compactMap(\.self).joined(separator: "."))"
  }

  /// Whether a schema has the type or role that the entry is about.
  package func isAbout(_ schema: Schema) -> Bool {
    recordType.map { schema[recordType: $0] != nil } ?? schema.roles.contains { $0.name == member }
  }

  func covers(_ change: SchemaChange) -> Bool {
    change.kind == kind && change.recordType == recordType && (change.field ?? change.role) == member
  }

  /// The entry of the settings that covers a change, without its reason.
  static func json(for change: SchemaChange) -> JSONValue {
    var entry: JSONObject = ["change": .string(change.kind.rawValue)]
    entry["recordType"] = change.recordType.map(JSONValue.string)
    if let key = memberKey(of: change.kind) {
      entry[key] = (change.field ?? change.role).map(JSONValue.string)
    }
    entry["reason"] = ""
    return .object(entry)
  }

  static func memberKey(of kind: SchemaChange.Kind) -> String? {
    switch kind {
    case .addRecordType, .removeRecordType: nil
    case .addField, .removeField, .changeFieldType, .addIndex, .removeIndex: "field"
    case .addGrant, .removeGrant, .addRole, .removeRole: "role"
    }
  }

  static func hasRecordType(_ kind: SchemaChange.Kind) -> Bool { kind != .addRole && kind != .removeRole }
}

/// The errors of lint rules that a schema has and its next version does not have. The policy `additive` refuses no change
/// that removes one: it would otherwise keep what `schema lint` asks to remove.
package struct CorrectedErrors: Sendable {
  /// By record type and by the field or the role (`TO _icloud`) that they are about.
  private var errors: [[String]: [FindingSubject]] = [:]
  /// The codes of the errors that an index alone makes, by record type, field and index.
  private var indexes: [[String]: String] = [:]
  /// The privileges that a role loses, by record type and role.
  private var lost: [[String]: EnumSet<Privilege>] = [:]

  package init() {}

  /// - Parameter configuration: the project's severities and private types.
  package init(from old: ParsedSchema, to new: ParsedSchema, _ configuration: LintConfiguration) {
    var options = LintOptions()
    options.configuration = configuration
    let gone = SchemaLinter.errors(old, options).subtracting(SchemaLinter.errors(new, options))
    errors = Dictionary(grouping: gone) { [$0.recordType, $0.member] }
    for error in gone.sorted(by: { $0.code > $1.code }) {
      guard let before = old.field(of: error), let after = new.field(of: error) else { continue }
      for index in before.indexes.subtracting(after.indexes)
      where SchemaLinter.errors(new.adding(index, to: after), options).contains(error) {
        indexes[[error.recordType, error.member, index.rawValue]] = error.code
      }
    }
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
      guard let lost = lost[[type, role]], let removed = change.from else { return nil }
      return found(type, "TO \(role)").first { code in
        Self.privileges[code].map { lost.isSubset(of: [$0]) && removed.contains($0.rawValue) } ?? false
      }
    case .removeIndex: return indexes[[type, change.field ?? "", change.from ?? ""]]
    // CREATE for people who are not signed in is more than the rule asks for.
    case .addGrant:
      return change.to == Privilege.create.rawValue && change.role != Role.world
        ? found(type, "").first { $0 == SchemaRule.nobodyMayCreate.code } : nil
    default: return nil
    }
  }

  private func found(_ recordType: String, _ member: String) -> [String] {
    (errors[[recordType, member]] ?? []).map(\.code).sorted()
  }

  /// What the rules about a single grant ask to revoke.
  private static let privileges: [String: Privilege] = [
    SchemaRule.strangersMayWrite.code: .write, SchemaRule.anyoneMayCreate.code: .create,
  ]
}

extension ParsedSchema {
  fileprivate func field(of error: FindingSubject) -> FieldDeclaration? {
    recordTypes.first { $0.name == error.recordType }?.field(error.member)
  }

  /// The schema with one more index of a field.
  fileprivate func adding(_ index: Index, to field: FieldDeclaration) -> ParsedSchema {
    let (end, whole) = (field.range.upperBound, source.bytes.count)
    let text = "\(source.text(in: 0..<end)) \(index.rawValue)\(source.text(in: end..<whole))"
    return SchemaParser.parse(SourceText(name: source.name, text))
  }
}

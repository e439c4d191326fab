internal import CloudKitModel
package import Diagnostics
package import SchemaLanguage

extension ModerationDeclaration {
  /// The problems of moderation with a schema: unknown types, fields and roles, missing indexes and grants with
  /// the line that adds each, and reports that users can read. Moderation works with those that are warnings.
  package func check(against schema: Schema) -> [Diagnostic] {
    var findings: [Diagnostic] = []
    if !schema.roles.contains(Role(role)) {
      findings.report(
        ModerationRule.unknownRole, "the schema has no role '\(role)'", at: rolePlace,
        help: (SpellingSuggestion.nearest(to: role, among: schema.roles.map(\.name))
          .map { "did you mean '\($0)'? Else " } ?? "")
          + "write at the schema's beginning: CREATE ROLE \(role);")
    }
    func check(
      _ subject: String, at place: SourceRange? = nil, _ body: (inout SchemaUseCheck<ModerationRule>) -> Void
    ) {
      var check = SchemaUseCheck<ModerationRule>(schema: schema, subject: subject, place: place)
      body(&check)
      findings += check.findings
    }
    func warn(of time: SystemField, _ words: String, _ name: String, at place: SourceRange? = nil) {
      guard let type = schema[recordType: name],
        type[field: time.storedName]?.indexes.contains(.queryable) != true
      else { return }
      findings.report(
        ModerationRule.missingIndex,
        "without an index on the time of \(words) of \(name) each sweep reads all that decisions hide",
        at: place, severity: .warning,
        help: "in RECORD TYPE \(name) write: \(type.line(of: time.storedName, adding: [.queryable])),")
    }
    var sessions: Set<String> = []
    for type in types {
      check("type '\(type.recordType)'", at: type.place) {
        $0.content(type, role: role)
        // A type that is declared too has its own finding.
        guard let session = type.thread?.recordType, self[recordType: session] == nil else { return }
        if sessions.insert(session).inserted { $0.session(session, role: role) }
      }
      warn(of: .modifiedTimestamp, "changes", type.recordType, at: type.place)
    }
    warn(of: .createdTimestamp, "creation", ModerationRecordType.decision)
    check("the type of reports", at: reports.place) { $0.reports(reports, role: role) }
    for type in [ModerationRecordType.decision, ModerationRecordType.blockedUser] {
      check("moderation") { $0.own(type, role: role) }
    }
    return findings
  }
}

extension ModerationRule: SchemaUseRuleCode {}

extension SchemaUseCheck<ModerationRule> {
  fileprivate mutating func content(_ content: ModerationDeclaration.ContentType, role: String) {
    guard let type = existing(content.recordType, or: content.text(grants: grants(to: role))) else { return }
    for name in content.texts { field(name, of: type, in: [.string]) }
    for name in [content.hiddenField, content.activeField].compactMap(\.self) {
      field(name, of: type, in: [.int64], with: .queryable)
    }
    stamps(of: type, sort: content.thread?.sort)
    grant([.read, .write], on: type, to: role)
    guard let thread = content.thread else { return }
    if field(thread.field, of: type, in: [.string, .reference], adding: .string, with: .queryable) {
      require(.queryable, on: thread.field, of: type)
    }
    if thread.sortKey == nil {
      if !Self.stamps.contains(thread.sort) { require(.sortable, on: thread.sort, of: type) }
    } else if field(thread.sort, of: type, adding: .timestamp, with: .queryable, .sortable) {
      require(.sortable, on: thread.sort, of: type)
    }
  }

  /// The type of the records to which those of declared types belong.
  fileprivate mutating func session(_ name: String, role: String) {
    let session = ModerationDeclaration.ContentType(recordType: name)
    guard let type = existing(name, or: session.text(grants: grants(to: role))) else { return }
    grantToOfficers(on: type, besides: role)
  }

  fileprivate mutating func reports(_ reports: ModerationDeclaration.Reports, role: String) {
    guard let type = existing(reports.recordType, or: reports.text(grants: grants(to: role))) else { return }
    for name in [reports.targetType, reports.reason, reports.note] { field(name, of: type, in: [.string]) }
    for (name, dataType) in [
      (reports.target, DataType.string), (reports.isOpen, .int64), (reports.decision, .string),
    ] where field(name, of: type, in: [dataType], with: .queryable) {
      require(.queryable, on: name, of: type)
    }
    stamps(of: type)
    grant([.read, .write], on: type, to: role)
    refuseReaders([Role.world, Role.icloud], of: type)
  }

  /// A type that the tool writes.
  fileprivate mutating func own(_ name: String, role: String) {
    guard let type = existing(name, or: ModerationRecordType.text(name, role: role)) else { return }
    grant([.read, .create, .write], on: type, to: role)
    guard name == ModerationRecordType.decision else { return }
    for name in ["formerValues", "reason", "targetType", "undoes"] { field(name, of: type, in: [.string]) }
    for name in ["block", "blockedUser", "kind", "target", "isStanding"] {
      if field(name, of: type, in: [name == "isStanding" ? .int64 : .string], with: .queryable) {
        require(.queryable, on: name, of: type)
      }
    }
    refuseReaders([Role.world, Role.icloud], of: type)
  }

  /// The type; if the schema lacks it, the finding has its declaration.
  private mutating func existing(_ name: String, or text: String) -> RecordType? {
    if let type = schema[recordType: name] { return type }
    let near = SpellingSuggestion.help(name, among: schema.recordTypes.map(\.name), quote: "'")
    report(
      .unknownRecordType, "needs the record type \(name), which the schema does not have",
      help: "\(near.map { "\($0) Else " } ?? "")write: \(text)")
    return nil
  }

  /// The grants on what users write: to the moderators, and to who answers requests for personal data, if the schema has
  /// that role.
  private func grants(to role: String) -> String {
    let officers = [schema.officerGrant].compactMap(\.self).filter { $0.role != role }
    return ([Grant([.read, .write], to: role)] + officers).map(\.text).joined(separator: ", ")
  }

  private static var stamps: [String] {
    [SystemField.createdUserRecordName, .createdTimestamp, .recordName].map(\.storedName)
  }

  /// - Parameter sort: the field that must be SORTABLE as well, if it is one of the stamps.
  private mutating func stamps(of type: RecordType, sort: String? = nil) {
    for name in Self.stamps {
      if name == sort {
        require(.queryable, .sortable, on: name, of: type)
      } else {
        require(.queryable, on: name, of: type)
      }
    }
  }

  private mutating func grant(_ privileges: EnumSet<Privilege>, on type: RecordType, to role: String) {
    let missing = privileges.subtracting(type.privileges(of: role))
    if !missing.isEmpty { report(Grant(missing, to: role), on: type) }
    grantToOfficers(on: type, besides: role)
  }

  private mutating func grantToOfficers(on type: RecordType, besides role: String) {
    guard role != Person.officer, let missing = schema.missingOfficerGrant(on: type) else { return }
    report(missing, on: type, severity: .warning)
  }

  private mutating func report(_ missing: Grant, on type: RecordType, severity: Diagnostic.Severity? = nil) {
    report(
      .missingGrant, "needs \(missing.privileges.list) on \(type.name) for the role \(missing.role)",
      severity: severity, help: "in RECORD TYPE \(type.name) write: \(missing.text),")
  }

  private mutating func refuseReaders(_ roles: [String], of type: RecordType) {
    for role in roles where type.privileges(of: role).contains(.read) {
      report(.readableReports, "must not be readable by \(role): it says who was reported, and for what")
    }
  }
}

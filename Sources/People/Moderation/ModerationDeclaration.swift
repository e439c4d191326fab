internal import CloudKitModel
package import Diagnostics
package import RecordChanges
package import SchemaLanguage

/// What users write and how it is moderated, declared as data in `moderation.json`.
package struct ModerationDeclaration: Sendable {
  package struct ContentType: Sendable {
    package var recordType: String
    /// STRING fields that are shown to moderators, and in which ``words`` are looked for.
    package var texts: [String] = []
    /// The INT64 field with 1 for a record that apps do not show; `nil` if records of the type cannot be hidden.
    package var hiddenField: String?
    /// The INT64 field that is set to 0 when the author is blocked, such as that of a running session.
    package var activeField: String?
    package var thread: Thread?
    package var limit: WritingLimit?

    var place: SourceRange?
  }

  /// How records follow one another, to show the context of a case.
  package struct Thread: Sendable {
    /// The field with the name of the record to which the records belong: a STRING or a REFERENCE, QUERYABLE.
    package var field: String
    package var recordType: String
    /// The field by which they are in order, SORTABLE.
    package var sort: String

    /// The field of that name; `nil` if it is a time of the service.
    var sortKey: String? { SystemField(storedName: sort) == nil ? sort : nil }
  }

  /// How many records of a type one author writes at most in some minutes before moderators get a signal.
  package typealias WritingLimit = (records: Int, minutes: Int)

  /// The record type in which users report records, and its fields. Its author is who created a report.
  package struct Reports: Sendable {
    package var recordType = "AbuseReport"
    /// STRING, QUERYABLE: the name of the reported record.
    package var target = "target"
    /// STRING: the type of the reported record.
    package var targetType = "targetType"
    package var reason = "reason"
    package var note = "note"
    /// INT64, QUERYABLE: 1 until it is decided.
    package var isOpen = "isOpen"
    /// STRING, QUERYABLE: the decision about the report.
    package var decision = "decision"

    var place: SourceRange?
  }

  package var types: [ContentType] = []
  package var reports = Reports()
  /// Words, phrases of several words, and beginnings of words with a `*` at the end.
  package var words: [String] = []
  /// An account whose first record is younger counts as new.
  package var newAccountDays = 7
  package var role = "Moderator"
  var rolePlace: SourceRange?
  /// The path of the file; of the tool's own declaration that of the file that is not there.
  private(set) var file = "moderation.json"
  private var isBuiltIn = false
  private var missingFile: String? { isBuiltIn ? file : nil }

  init() {}

  /// The declaration of live sessions, for a project without the file. Its findings have no place.
  package init(builtIn source: SourceText, missing file: String) throws(CommandFailure) {
    try self.init(validating: source)
    self.file = file
    isBuiltIn = true
    rolePlace = nil
    reports.place = nil
    for index in types.indices { types[index].place = nil }
  }

  /// Reads the file. Throws ``CommandFailure`` with the findings if there is an error among them.
  package init(validating source: SourceText) throws(CommandFailure) {
    let (declaration, diagnostics) = Self.load(source)
    guard !diagnostics.hasErrors else {
      throw CommandFailure(
        "the declaration of what is moderated is not valid; nothing was read", code: "bad-moderation",
        diagnostics: diagnostics)
    }
    self = declaration
    file = source.name
  }

  package subscript(recordType name: String) -> ContentType? { types.first { $0.recordType == name } }

  /// The types of records in which others write, such as sessions: those of the declared threads.
  package var sessionTypes: Set<String> { Set(types.compactMap(\.thread?.recordType)) }

  /// The fields that say in which session a record is, and what a report is about.
  package var subjects: [ReferenceField] {
    [ReferenceField(reports.recordType, reports.target, .name, to: [])]
      + types.compactMap { type in
        type.thread.map { ReferenceField(type.recordType, $0.field, .name, to: [$0.recordType]) }
      }
  }

  var noSessions: CommandFailure {
    let types = sessionTypes.sorted().joined(separator: ", ")
    return CommandFailure(
      "--keep-sessions does not know the sessions: "
        + (types.isEmpty
          ? "\(file) declares no 'thread'"
          : missingFile.map { "there is no \($0), and the schema has no record type \(types)" }
            ?? "the schema has no record type \(types), which \(file) names in 'thread'")
        + "; nothing was deleted",
      code: "sessions-not-declared",
      hint:
        "Declare in moderation.json the type of what others write in a session, with its 'thread': {\"field\", \"recordType\", \"sort\"}. Records of that 'recordType' are kept."
    )
  }

  static let example =
    "'celestra-admin schema init live-sessions.ckdb --template sessions' writes one, with its schema."

  /// Leaves out types that a schema does not have, and returns what it lacks of reports and other needed types.
  package mutating func narrow(to schema: Schema, needing others: [String]) -> [String] {
    types.removeAll { schema[recordType: $0.recordType] == nil }
    return ([reports.recordType] + others).filter { schema[recordType: $0] == nil }
  }

  /// Throws ``CommandFailure`` with what an environment's schema lacks, and the lines to add. For production, the hint also
  /// says to deploy the schema of development, which may have the lines. Returns what moderation works without.
  func require(in schema: Schema, of environment: Environment) throws(CommandFailure) -> [Diagnostic] {
    let deployment =
      environment == .production
      ? "Deploy the schema of development: in the CloudKit Console, or with 'celestra-admin schema promote'."
      : nil
    if let deployment, schema.recordTypes.allSatisfy({ SystemNames.isManaged($0.name) }) {
      throw CommandFailure("production has no record types", code: "bad-moderation", hint: deployment)
    }
    var findings = check(against: schema)
    guard findings.hasErrors else { return findings }
    if schema[recordType: LeaseRecord.recordType] == nil {
      findings.report(
        ModerationRule.unknownRecordType,
        "only the record type \(LeaseRecord.recordType) keeps moderators on several machines apart",
        severity: .warning, help: "write: \(ModerationRecordType.lease(role: role))")
    }
    let remedy =
      missingFile == nil
      ? "Add the lines to the schema, or change what \(file) declares."
      : "For an app with its own types, run the command in the folder of its moderation.json, or set CELESTRA_ADMIN_MODERATION to the file's path. For live sessions, add the lines to the schema. \(Self.example)"
    throw CommandFailure(
      "the container's schema does not have what "
        + (missingFile.map { "live sessions need, whose declaration is used because there is no \($0)" }
          ?? "the declared moderation needs"),
      code: "bad-moderation", hint: [remedy, deployment].compactMap(\.self).joined(separator: " "),
      diagnostics: findings)
  }
}

/// The record types that the tool itself writes for moderation.
package enum ModerationRecordType {
  package static let decision = "ModerationDecision"
  /// One record for each person who is blocked, with a name that only that person's app can compute.
  package static let blockedUser = PersonDigestPlaces.blockedUser
  /// The types whose records this tool keeps for itself.
  static let own = [decision, blockedUser, LeaseRecord.recordType]

  /// The declaration of the type of leases, for a schema that lacks it.
  static func lease(role: String) -> String {
    """
    RECORD TYPE \(LeaseRecord.recordType) ( "___recordID" REFERENCE QUERYABLE, expiresAt TIMESTAMP, finishedAt TIMESTAMP, \
    holder STRING, parts INT64, purpose STRING, result STRING, revision STRING, GRANT READ, CREATE, WRITE TO \(role) );
    """
  }

  /// The declaration of one of these types, for a schema that lacks it.
  static func text(_ recordType: String, role: String) -> String {
    let isBlock = recordType == blockedUser
    let fields =
      isBlock
      ? ""
      : """
      "___createTime" TIMESTAMP QUERYABLE, "___createdBy" REFERENCE QUERYABLE, block STRING QUERYABLE, \
      blockedUser STRING QUERYABLE, formerValues STRING, isStanding INT64 QUERYABLE, kind STRING QUERYABLE, \
      reason STRING, target STRING QUERYABLE, targetType STRING, undoes STRING, \

      """
    let readers = isBlock ? ", GRANT READ TO \"_icloud\"" : ""
    return
      "RECORD TYPE \(recordType) ( \"___recordID\" REFERENCE QUERYABLE, \(fields)GRANT READ, CREATE, WRITE TO \(role)\(readers) );"
      + (isBlock ? " // celestra:ignore CK0305 moderators create these records" : "")
  }
}

extension ModerationDeclaration.ContentType {
  /// The declaration of the type, for a schema that lacks it.
  func text(grants: String) -> String {
    let system = [SystemField.createdTimestamp, .createdUserRecordName, .modifiedTimestamp, .recordName]
    var fields = system.map {
      "\"\($0.storedName)\" \($0.dataType) QUERYABLE\($0.storedName == thread?.sort ? " SORTABLE" : "")"
    }
    fields += texts.map { "\($0) STRING" }
    fields += [hiddenField, activeField].compactMap(\.self).map { "\($0) INT64 QUERYABLE" }
    if let thread {
      fields.append("\(thread.field) STRING QUERYABLE")
      if let key = thread.sortKey { fields.append("\(key) TIMESTAMP QUERYABLE SORTABLE") }
    }
    return """
      RECORD TYPE \(recordType) ( \(fields.joined(separator: ", ")), \(grants), \
      GRANT WRITE TO "_creator", GRANT READ, CREATE TO "_icloud" );
      """
  }
}

extension ModerationDeclaration.Reports {
  /// The fields that say what a report is about, and whether it is decided.
  var stateKeys: [String] { [target, targetType, isOpen, decision] }

  /// The name of the record that a report is about. A report that names none is about itself: an app left it out, or a user
  /// wrote a person's name, which no output may show.
  func subject(of report: Record) -> String {
    guard let name = report[target]?.string, !name.isEmpty, !name.containsUserRecordName else {
      return report.recordName
    }
    return name
  }

  /// What a report says is the type of its record, for a record that is not there. Of several, the oldest counts.
  func statedType(_ report: Record) -> String? {
    report[targetType]?.string.flatMap { $0.isEmpty ? nil : $0.withoutUserRecordNames }
  }

  func waits(_ report: Record) -> Bool { report[isOpen]?.flag ?? false }

  /// Whether a decision names a report. One without that waits, if not now, then after the next sweep.
  func hasDecision(_ report: Record) -> Bool { !(report[decision]?.string ?? "").isEmpty }

  func state(of report: Record) -> String {
    waits(report)
      ? "waits for a decision" : hasDecision(report) ? "decided" : "no open state, waits for a sweep"
  }

  var open: Query { Query(recordType, filters: [Filter(FieldName(isOpen), equals: .flag(true))]) }

  /// The declaration of the type, for a schema that lacks it.
  func text(grants: String) -> String {
    let fields = [(target, true), (targetType, false), (reason, false), (note, false), (decision, true)]
      .map { "\($0.0) STRING\($0.1 ? " QUERYABLE" : "")" }.joined(separator: ", ")
    return """
      RECORD TYPE \(recordType) ( "___createTime" TIMESTAMP QUERYABLE, "___createdBy" REFERENCE QUERYABLE, \
      "___recordID" REFERENCE QUERYABLE, \(isOpen) INT64 QUERYABLE, \(fields), \(grants), \
      GRANT CREATE TO "_icloud" );
      """
  }
}

/// The codes of findings in `moderation.json`. MO01xx: the file. MO02xx: the file and the schema together.
package enum ModerationRule: String, RuleCode {
  case invalidJSON = "MO0101"
  case unknownKey = "MO0102"
  case missing = "MO0103"
  case wrongType = "MO0104"
  case duplicate = "MO0105"
  case unknownRecordType = "MO0201"
  case unknownField = "MO0202"
  case unusableField = "MO0203"
  case missingIndex = "MO0204"
  case unknownRole = "MO0205"
  case missingGrant = "MO0206"
  case readableReports = "MO0207"

  package static let page = RulePage(.moderation, PackageResources.ModerationRules_md)
}

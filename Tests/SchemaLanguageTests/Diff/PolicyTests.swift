import CustomDump
import Diagnostics
import Testing

@testable import SchemaLanguage

@Suite("The additive policy") struct PolicyTests {
  private func changes(_ old: String, _ new: String) throws -> [SchemaChange] {
    SchemaDiff.changes(from: try Schema(parsing: old), to: try Schema(parsing: new))
  }

  private func refused(_ old: String, _ new: String) throws -> [String] {
    try SchemaPolicy(.additive).violations(in: changes(old, new)).map {
      "\($0.kind) \($0.field ?? $0.role ?? "")"
    }
  }

  @Test("wider WRITE or CREATE is no addition, nor is READ for strangers; what another grant implies is")
  func widening() throws {
    let old = schema("a STRING,\nGRANT CREATE TO \"_icloud\"")
    expectNoDifference(
      try refused(old, schema("a STRING,\nGRANT CREATE, WRITE TO \"_icloud\"")), ["addGrant _icloud"])
    expectNoDifference(
      try refused(old, schema("a STRING,\nGRANT CREATE TO \"_icloud\",\nGRANT CREATE TO \"_world\"")),
      ["addGrant _world"])
    expectNoDifference(
      try refused(old, schema("a STRING,\nGRANT READ, CREATE TO \"_icloud\",\nGRANT READ TO \"_world\"")),
      ["addGrant _icloud", "addGrant _world"])
    let role = old.replacing("RECORD", with: "CREATE ROLE Mods;\nRECORD")
    expectNoDifference(
      try refused(role, role.replacing("a STRING,", with: "a STRING,\nGRANT CREATE TO Mods,")), [])
    expectNoDifference(
      try refused(role, role.replacing("a STRING,", with: "a STRING,\nGRANT WRITE TO Mods,")),
      ["addGrant Mods"])
  }

  @Test("a new type may be opened for creating, and not for writing")
  func newTypes() throws {
    let old = schema("a STRING")
    func with(_ grants: String) -> String { old + "RECORD TYPE New ( b STRING, \(grants) );" }
    expectNoDifference(
      try refused(
        old, with("GRANT CREATE TO \"_icloud\", GRANT READ TO \"_world\", GRANT WRITE TO \"_creator\"")), [])
    expectNoDifference(try refused(old, with("GRANT WRITE TO \"_icloud\"")), ["addRecordType "])
    expectNoDifference(try refused(old, with("GRANT CREATE TO \"_world\"")), ["addRecordType "])
  }

  @Test("a revoked privilege that a wider grant still gives is no loss for released apps")
  func revoked() throws {
    let both = schema("a STRING,\nGRANT READ TO \"_icloud\",\nGRANT READ TO \"_world\"")
    func reasons(_ new: String) throws -> [String] {
      try changes(both, new).compactMap { SchemaPolicy(.additive).refusal(of: $0) }
    }
    expectNoDifference(
      try reasons(schema("a STRING,\nGRANT READ TO \"_world\"")),
      ["a grant is removed, and production may refuse that"])
    expectNoDifference(
      try reasons(schema("a STRING,\nGRANT READ TO \"_icloud\"")),
      ["a privilege is revoked, and released apps may need it"])
  }

  @Test("every format says why a change is refused")
  func reasons() throws {
    let (old, new) = (schema("a STRING QUERYABLE"), schema("a STRING"))
    let report = SchemaDiffReport(
      try changes(old, new), to: parse(new), names: ("old", "new"), policy: SchemaPolicy(.additive),
      countsDifferences: false)
    expectNoDifference(report.status, .findings)
    let reason = "an index is dropped, and queries of released apps may need it"
    for format in [OutputFormat.text, .markdown, .github, .sarif] {
      #expect(report.rendered(as: format, .plain).description.contains(reason), "\(format)")
    }
    let entry = #"{"change":"removeIndex","recordType":"T","field":"a","reason":""}"#
    #expect(
      report.text(.plain).description.hasSuffix(
        """
        --policy additive refuses 1 change. To accept a change, add its line with a reason to \
        schema.allowedChanges in celestra-admin.json:
        \(entry)

        """))
    for format in [OutputFormat.markdown, .github] {
      #expect(report.rendered(as: format, .plain).description.contains(entry), "\(format)")
    }
    #expect(report.json.text().contains(#""allowedChange":\#(entry)"#))
    // Without a reason the entry is an error, with one it allows the change.
    let completed = entry.replacing(#""reason":"""#, with: #""reason":"gone""#)
    expectNoDifference(settings("[\(entry)]").diagnostics.map(\.severity), [.error])
    let exceptions = settings("[\(completed)]").configuration.allowedChanges
    expectNoDifference(
      SchemaPolicy(.additive, exceptions: exceptions).violations(in: try changes(old, new)), [])
    #expect(report.json.text().contains(#""refusal":"\#(reason)""#))
    #expect(report.json.text().contains(#""refusedByPolicy":1"#))
    #expect(report.rendered(as: .sarif, .plain).description.contains("\"ruleId\": \"CK0411\""))
    let free = SchemaDiffReport(
      try changes(old, new), to: parse(new), names: ("old", "new"), policy: .none, countsDifferences: false)
    expectNoDifference(free.status, .done)
    #expect(!free.text(.plain).description.contains(reason))
  }

  @Test(
    "a change that only removes an error of the old schema is never refused",
    arguments: [
      // The grants before, the grants after, what is refused.
      ("WRITE TO \"_icloud\"", "WRITE TO \"_creator\"", []),
      ("WRITE TO \"_icloud\"", "WRITE TO Mods", []),
      // Reading is new to strangers, which no rule asks for.
      ("WRITE TO \"_world\"", "READ TO \"_world\"", ["addGrant _world"]),
      ("READ, CREATE, WRITE TO \"_icloud\"", "READ, CREATE TO \"_icloud\"", []),
      // What another grant still gives is not lost.
      ("READ, WRITE TO \"_icloud\",\nGRANT READ TO \"_world\"", "READ TO \"_world\"", []),
      // Reading is lost, too, which no rule asks for.
      ("READ, WRITE TO \"_icloud\"", "READ TO \"_creator\"", ["removeGrant _icloud"]),
      // The error stays for all, and the grant of the others was of use.
      ("WRITE TO \"_icloud\"", "WRITE TO \"_world\"", ["addGrant _world"]),
      ("WRITE TO Mods", "READ TO Mods", ["removeGrant Mods"]),
    ] as [(String, String, [String])])
  func corrections(_ before: String, _ after: String, _ refused: [String]) throws {
    func text(_ grants: String) -> String {
      schema("a STRING,\nGRANT \(grants)").replacing("RECORD", with: "CREATE ROLE Mods;\nRECORD")
    }
    let (old, new) = (parse(text(before)), parse(text(after)))
    let policy = SchemaPolicy(
      .additive, corrected: CorrectedErrors(from: old, to: new, LintConfiguration()))
    let found = SchemaDiff.changes(from: old.schema, to: new.schema)
    expectNoDifference(policy.violations(in: found).map { "\($0.kind) \($0.role ?? "")" }, refused)
    let report = SchemaDiffReport(
      found, to: new, names: ("old", "new"), policy: policy, countsDifferences: false)
    let isCorrection = !refused.contains { $0.hasPrefix("removeGrant") }
    #expect(report.text(.plain).description.contains("it corrects CK030") == isCorrection)
  }

  @Test("an error that the settings turn off or on is what the policy goes by")
  func configuredCorrections() throws {
    let old = parse(schema("apiToken STRING SEARCHABLE,\nGRANT WRITE TO \"_icloud\""))
    let new = parse(schema("apiToken STRING,\nGRANT WRITE TO \"_creator\""))
    func refused(_ rules: String) -> [String] {
      let settings = LintConfiguration.read(
        SourceText(name: "s.json", #"{"schema": {"database": "public", "rules": \#(rules)}}"#))
      let corrected = CorrectedErrors(from: old, to: new, settings.configuration)
      let found = SchemaDiff.changes(from: old.schema, to: new.schema)
      return SchemaPolicy(.additive, corrected: corrected).violations(in: found).map { "\($0.kind)" }
    }
    expectNoDifference(refused("{}"), ["removeIndex"])
    expectNoDifference(refused(#"{"CK0310": "error"}"#), [])
    expectNoDifference(refused(#"{"CK0301": "warning"}"#), ["removeIndex", "removeGrant"])
  }

  @Test("a wider grant that the change revokes is not said to allow what is granted")
  func grantsOfTheNewSchema() throws {
    func hint(_ before: String, _ after: String) throws -> String? {
      try changes(schema("a STRING,\nGRANT \(before)"), schema("a STRING,\nGRANT \(after)"))
        .first { $0.kind == .addGrant }?.hint
    }
    let creator = "WRITE TO \"_creator\""
    expectNoDifference(
      try hint("WRITE TO \"_icloud\"", "WRITE TO \"_icloud\",\nGRANT " + creator),
      "a wider grant allows this already")
    expectNoDifference(try hint("WRITE TO \"_icloud\"", creator), "a wider grant allowed this before")
    expectNoDifference(try hint("READ TO \"_icloud\"", creator), nil)
  }

  private func settings(_ json: String) -> (configuration: LintConfiguration, diagnostics: [Diagnostic]) {
    LintConfiguration.read(
      SourceText(name: "celestra-admin.json", #"{"schema": {"allowedChanges": \#(json)}}"#))
  }

  @Test("an exception with a reason allows the one change it names")
  func exceptions() throws {
    let (old, new) = (schema("a STRING QUERYABLE,\nb STRING SORTABLE"), schema("a STRING,\nb STRING"))
    let read = settings(
      #"[{"change": "removeIndex", "recordType": "T", "field": "a", "reason": "nobody filters by a"},"#
        + "\n  {\n    \"change\": \"removeRole\",\n    \"role\": \"Team\", \"reason\": \"gone\"\n  }]")
    expectNoDifference(read.diagnostics, [])
    let policy = SchemaPolicy(.additive, exceptions: read.configuration.allowedChanges)
    let found = try changes(old, new)
    expectNoDifference(policy.violations(in: found).map(\.field), ["b"])
    let report = SchemaDiffReport(
      found, to: parse(new), names: ("old", "new"), policy: policy, countsDifferences: false)
    #expect(report.text(.plain).description.contains("allowed by an exception: nobody filters by a"))
    #expect(report.json.text().contains(#""exception":"nobody filters by a""#))
    // The role's exception is needed by no change.
    expectNoDifference(report.notes.map(\.code), ["CK0412"])
    // Its line has words: the bracket before it stands alone.
    #expect(report.notes.first?.pointedAt == #""change": "removeRole""#)
    #expect(report.notes.first?.message.hasSuffix("removeRole of Team") == true)
    expectNoDifference(
      SchemaPolicy(.none, exceptions: read.configuration.allowedChanges).violations(in: found), [])
  }

  @Test("an exception without a reason, or without what it is about, is an error")
  func badExceptions() {
    let found = settings(
      """
      [{"change": "removeIndex", "recordType": "T", "field": "a"},
       {"change": "removeIndx", "reason": "x"},
       {"change": "removeField", "recordType": "T", "reason": "x"},
       {"change": "removeRole", "role": "Team", "field": "a", "reason": "x"}, 7]
      """)
    expectNoDifference(
      found.diagnostics.map { $0.message.prefix(45) },
      [
        "a change 'removeIndex' needs \"reason\"", "\"change\" must be one of addRecordType, removeRec",
        "a change 'removeField' needs \"field\"", "a change 'removeRole' has no \"field\"",
        "\"change\" must be one of addRecordType, removeRec",
      ].map { $0.prefix(45) })
    expectNoDifference(found.diagnostics[1].help, "did you mean \"removeIndex\"?")
    #expect(found.configuration.allowedChanges.isEmpty)
  }

  @Test(
    "each kind of change is an addition, or is refused with its reason",
    arguments: [
      ("a STRING", "a STRING, b STRING", nil), ("a STRING", "a STRING SORTABLE", nil),
      ("a STRING, b STRING", "a STRING", "a field is removed"),
      ("a STRING", "a INT64", "the type of a field changes"),
      ("a NUMBER", "a NUMBER PREFERRED AS INT64", nil),
      ("a STRING SORTABLE", "a STRING", "an index is dropped, and queries of released apps may need it"),
      (
        "a STRING", "a STRING, GRANT READ TO \"_world\"",
        "strangers may read records that they could not read before"
      ),
      (
        "a STRING, GRANT READ TO \"_world\"", "a STRING, GRANT READ TO \"_world\", GRANT READ TO \"_icloud\"",
        nil
      ),
      ("a STRING", "a STRING, GRANT CREATE TO \"_world\"", "more people may create or change records"),
      ("a STRING", "a STRING, GRANT READ, WRITE TO \"_world\"", "more people may create or change records"),
      (
        "a STRING, GRANT READ TO \"_world\"", "a STRING",
        "a privilege is revoked, and released apps may need it"
      ),
    ] as [(String, String, String?)])
  func refusals(_ old: String, _ new: String, _ reason: String?) throws {
    let found = try changes(schema(old), schema(new))
    expectNoDifference(found.map(\.additiveRefusal), [reason])
    expectNoDifference(SchemaPolicy(.additive).violations(in: found).count, reason == nil ? 0 : 1)
    expectNoDifference(SchemaPolicy(.none).violations(in: found).count, 0)
  }

  @Test(
    "a comparison ends with a status of its own for differences, and of findings for what the policy refuses")
  func statuses() throws {
    func report(_ new: String, _ policy: SchemaChangePolicy, counts: Bool) throws -> SchemaDiffReport {
      SchemaDiffReport(
        try changes(schema("a STRING"), schema(new)), to: parse(schema(new)), names: ("old", "new"),
        policy: SchemaPolicy(policy),
        countsDifferences: counts)
    }
    #expect(try report("a STRING", .none, counts: true).status == .done)
    #expect(try report("a INT64", .none, counts: true).status == .differences)
    #expect(try report("a INT64", .none, counts: false).status == .done)
    #expect(try report("a INT64", .additive, counts: true).status == .findings)
    #expect(try report("a STRING, b STRING", .additive, counts: true).status == .differences)
    #expect(try report("a STRING", .none, counts: true).isConfirmation)
    #expect(try !report("a INT64", .none, counts: true).isConfirmation)
    #expect(try report("a INT64", .none, counts: true).findings.isEmpty)
    #expect(try report("a INT64", .additive, counts: true).findings.count == 1)
    #expect(try report("a INT64", .none, counts: true).json["summary"]?["refusedByPolicy"] == nil)
    #expect(
      try report("a STRING, b STRING", .additive, counts: true).json["summary"]?["refusedByPolicy"] == 0)
  }
}

@Suite("Pulling a container's schema") struct PullTests {
  private let file = """
    // The app's schema.
    DEFINE SCHEMA

        // celestra:private
        RECORD TYPE Draft (
            body STRING, // what is written
            // celestra:ignore CK0306 a pseudonym
            userID STRING,
            gone STRING // never used
        );

        // Only here.
        RECORD TYPE Sketch (
            a STRING
        );
    """

  private let container = """
    DEFINE SCHEMA

        RECORD TYPE Draft (
            "___recordID" REFERENCE QUERYABLE,
            body          STRING QUERYABLE,
            folderId      STRING,
            userID        STRING
        );

    """

  @Test("comments stay with what they describe, declarations are the container's")
  func comments() {
    let pull = PulledSchema(parse(container), into: parse(file))
    expectNoDifference(
      pull.text,
      """
      // The app's schema.
      DEFINE SCHEMA

          // celestra:private
          RECORD TYPE Draft (
              "___recordID" REFERENCE QUERYABLE,
              body          STRING QUERYABLE, // what is written
              folderId      STRING,
              // celestra:ignore CK0306 a pseudonym
              userID        STRING
          );

      """)
    #expect(parse(pull.text).schema.normalized == parse(container).schema.normalized)
    expectNoDifference(
      pull.lostComments.map(\.message),
      [
        "the container has no field 'Draft.gone': 1 comment left out",
        "the container has no record type 'Sketch': 1 comment left out",
      ])
    #expect(pull.isChanged)
  }

  @Test("a second pull changes nothing, and a new file is the export")
  func again() {
    let first = PulledSchema(parse(container), into: parse(file))
    let second = PulledSchema(parse(container), into: parse(first.text))
    #expect(!second.isChanged && second.changes.isEmpty && second.lostComments.isEmpty)
    expectNoDifference(PulledSchema(parse(container), into: parse("DEFINE SCHEMA\n")).text, container)
  }
}

import CustomDump
import Diagnostics
import Testing

@testable import SchemaLanguage

@Suite("The question of the database") struct DatabaseNoticeTests {
  private func check(_ text: String, _ change: (inout LintOptions) -> Void = { _ in }) -> LintResult {
    var options = LintOptions()
    change(&options)
    return SchemaLinter.check(parse(text), options)
  }

  private let grants =
    "GRANT WRITE TO \"_creator\",\nGRANT CREATE TO \"_icloud\",\nGRANT READ TO \"_world\""

  /// Grants that a person chose.
  private let readByAll =
    "GRANT READ, WRITE TO \"_creator\",\nGRANT CREATE TO \"_icloud\",\nGRANT READ TO \"_world\""

  private func type(_ name: String, _ fields: String, grants: String? = nil) -> String {
    "RECORD TYPE \(name) (\n\(fields),\n\(grants ?? self.grants)\n);\n"
  }

  @Test("types without an index, or that only their creator may read, are one notice and no finding")
  func weak() {
    let text =
      "DEFINE SCHEMA\n" + type("Draft", "body STRING") + type("Sketch", "body STRING")
      + type(
        "Diary", "day STRING QUERYABLE",
        grants: "GRANT READ, WRITE TO \"_creator\", GRANT CREATE TO \"_icloud\"")
      + type("Feed", "title STRING QUERYABLE", grants: readByAll)
    let result = check(text)
    expectNoDifference(
      result.diagnostics.map(\.message),
      ["records of 'Feed' cannot be listed: \"___recordID\" is not QUERYABLE"])
    expectNoDifference(
      result.notices.first?.diagnostic.message,
      "3 of 4 record types look private: Draft, Sketch because they have no index for a query; Diary because "
        + "only the creator may read it; whether apps can list them is not judged")
    expectNoDifference(result.notices.first?.diagnostic.severity, .note)
    // The fix adds an index to the type that is not in question, and to no other.
    let fixed = SchemaFixer.fix(parse(text).source)
    expectNoDifference(fixed.count, 1)
    #expect(fixed.text.contains("RECORD TYPE Feed (\n\"___recordID\" REFERENCE QUERYABLE"))
  }

  @Test("the grants of every new type do not show that a type is public, others do")
  func defaultGrants() {
    let split = "GRANT READ TO \"_world\",\nGRANT WRITE TO \"_creator\",\nGRANT CREATE TO \"_icloud\""
    for grants in [grants, split] {
      let result = check(
        "DEFINE SCHEMA\n" + type("Country", "code STRING QUERYABLE SORTABLE", grants: grants)
          + type("Coin", "\"___recordID\" REFERENCE QUERYABLE,\nyear INT64", grants: grants))
      expectNoDifference(result.diagnostics.codes, [])
      expectNoDifference(
        result.notices.first?.diagnostic.message,
        "1 of 2 record types looks private: Country because no index lists it, and its grants are those of every new "
          + "type; whether apps can list them is not judged")
    }
    for more in ["GRANT READ TO \"_icloud\"", "GRANT READ TO \"_creator\"", "GRANT WRITE TO \"_world\""] {
      let chosen = check(
        "DEFINE SCHEMA\n" + type("Country", "code STRING QUERYABLE", grants: grants + ",\n" + more))
      #expect(chosen.diagnostics.codes.contains("CK0203"), "\(more)")
      #expect(chosen.notices.isEmpty, "\(more)")
    }
    let role = check(
      "DEFINE SCHEMA\nCREATE ROLE Editor;\n"
        + type("Country", "code STRING QUERYABLE", grants: grants + ",\nGRANT WRITE TO Editor"))
    expectNoDifference(role.diagnostics.codes, ["CK0203"])
  }

  @Test(
    "a type that could not be listed before is no new finding",
    arguments: [
      // It was asked about, and gains an index for something else.
      ("code STRING", "code STRING QUERYABLE"),
      // It gains the lines of an export, which have no index.
      ("code STRING QUERYABLE", "\"___recordID\" REFERENCE,\ncode STRING QUERYABLE"),
      ("code STRING", "\"___recordID\" REFERENCE SORTABLE,\ncode STRING"),
    ])
  func listedNeither(before: String, after: String) {
    func text(_ fields: String) -> String { "DEFINE SCHEMA\n" + type("Country", fields, grants: readByAll) }
    expectNoDifference(check(text(after)).diagnostics.codes, ["CK0203"])
    let since = check(text(after)) { $0.older = (parse(text(before)), nil) }
    expectNoDifference(since.diagnostics.codes, [])
    // Another type, and one that could be listed before, are new.
    let other = check(text(after) + type("Coin", "year INT64 QUERYABLE", grants: readByAll)) {
      $0.older = (parse(text(before)), nil)
    }
    expectNoDifference(other.diagnostics.codes, ["CK0203"])
    let dropped = check(text(after)) {
      $0.older = (parse(text("\"___recordID\" REFERENCE QUERYABLE")), nil)
    }
    expectNoDifference(Set(dropped.diagnostics.codes), ["CK0203", "CK0206"])
  }

  @Test("weak evidence silences no other rule")
  func weakSilencesNothingElse() {
    let open = "GRANT READ, CREATE, WRITE TO \"_icloud\""
    let result = check(
      "DEFINE SCHEMA\n" + type("Draft", "authorID STRING,\nhome LOCATION,\npassword STRING", grants: open))
    expectNoDifference(result.diagnostics.codes, ["CK0306", "CK0309", "CK0310", "CK0301"])
    #expect(!result.notices.isEmpty)
  }

  @Test("a field with Core Data's prefix shows Core Data's own types")
  func coreDataField() {
    let result = check(
      "DEFINE SCHEMA\n" + type("CDMR", "CD_userID STRING QUERYABLE,\nCD_entityNames STRING QUERYABLE"))
    expectNoDifference(result.diagnostics.codes, [])
    expectNoDifference(
      result.notices.first?.diagnostic.message,
      "1 of 1 record type looks private: CDMR because it has names of Core Data")
  }

  @Test(
    "what a comment, a setting, a query or the option states is no question", arguments: [0, 1, 2, 3, 4, 5])
  func answered(place: Int) {
    let text = type("Draft", "body STRING")
    let result: LintResult =
      switch place {
      case 0: check("DEFINE SCHEMA\n// celestra:private\n" + text)
      case 1: check("// celestra:private\nDEFINE SCHEMA\n" + text)
      case 2:
        check("DEFINE SCHEMA\n" + text) { $0.configuration.databases.privateTypes = [NamePattern("Dr*")] }
      case 3: check("DEFINE SCHEMA\n" + text) { $0.database = .private }
      case 5: check("DEFINE SCHEMA\n" + text) { $0.configuration.databases.database = .private }
      default: check("DEFINE SCHEMA\n" + text) { $0.database = .public }
      }
    #expect(result.notices.isEmpty)
    expectNoDifference(result.diagnostics.codes, place == 4 ? ["CK0203"] : [])
  }

  @Test("the setting yields to what names a type or the file, and all of it to the option")
  func precedence() {
    let type = type("Draft", "body STRING")
    func codes(_ text: String, _ setting: DatabasePatterns, option: StatedDatabase? = nil) -> [String] {
      check(text) {
        $0.configuration.databases = setting
        $0.database = option
      }.diagnostics.codes
    }
    var setting = DatabasePatterns()
    setting.database = .public
    expectNoDifference(codes("DEFINE SCHEMA\n" + type, setting), ["CK0203"])
    expectNoDifference(codes("DEFINE SCHEMA\n// celestra:private\n" + type, setting), [])
    expectNoDifference(codes("// celestra:private\nDEFINE SCHEMA\n" + type, setting), [])
    setting.privateTypes = [NamePattern("Dr*")]
    expectNoDifference(codes("DEFINE SCHEMA\n" + type, setting), [])
    expectNoDifference(codes("DEFINE SCHEMA\n" + type, setting, option: .public), ["CK0203"])
    setting = DatabasePatterns(publicTypes: [NamePattern("Draft")])
    setting.database = .private
    expectNoDifference(codes("DEFINE SCHEMA\n" + type, setting), ["CK0203"])
    expectNoDifference(codes("DEFINE SCHEMA\n// celestra:public\n" + type, setting, option: .private), [])
  }

  @Test("three public types that look private keep their findings once the team states it")
  func publicTypes() {
    // Core Data's name, no grant, no index.
    let text =
      "DEFINE SCHEMA\n" + type("CD_Place", "CD_userID STRING QUERYABLE")
      + "RECORD TYPE Announcement (\ntext STRING QUERYABLE\n);\n" + type("Scan", "ownerID STRING")
    expectNoDifference(check(text).diagnostics.codes, ["CK0306"])
    let queries = QueryManifest(
      parsing: SourceText(
        name: "q.json",
        #"[{"recordType": "Announcement", "filters": [{"field": "text", "comparator": "EQUALS"}]}]"#))
    let stated = check(text) {
      $0.configuration.databases.publicTypes = [NamePattern("CD_*"), NamePattern("Scan")]
      $0.queries = queries
    }
    #expect(stated.notices.isEmpty)
    expectNoDifference(
      stated.diagnostics.codes, ["CK0203", "CK0306", "CK0203", "CK0303", "CK0203"])
  }

  @Test("WRITE for strangers is found however private the type looks, with a notice beside it")
  func strangers() {
    let result = check(
      "DEFINE SCHEMA\n" + type("CD_Note", "CD_a STRING", grants: "GRANT WRITE TO \"_world\""))
    expectNoDifference(result.diagnostics.codes, ["CK0303", "CK0301"])
    #expect(!result.notices.isEmpty)
  }

  @Test("a notice that an older version has is not repeated, and a comment turns it off")
  func quiet() {
    let old = "DEFINE SCHEMA\n" + type("Draft", "body STRING")
    let same = check(old + type("Feed", "\"___recordID\" REFERENCE QUERYABLE")) {
      $0.older = (parse(old), nil)
    }
    #expect(same.notices.isEmpty)
    let more = check(old + type("Sketch", "body STRING")) { $0.older = (parse(old), nil) }
    #expect(!more.notices.isEmpty)
    let ignored = check("// celestra:ignore CK0207 the app is being written\n" + old)
    #expect(ignored.notices.isEmpty)
    expectNoDifference(ignored.diagnostics.codes, [])
  }

  @Test("with a severity in the settings the notice is a finding")
  func severity() {
    let result = check("DEFINE SCHEMA\n" + type("Draft", "body STRING")) {
      $0.configuration.severities.set("CK0207", NamePattern("*"), .warning)
    }
    expectNoDifference(result.diagnostics.codes, ["CK0207"])
    #expect(result.notices.isEmpty)
  }
}

@Suite("Selected rules") struct RuleSelectionTests {
  private let text = """
    DEFINE SCHEMA
    RECORD TYPE Session (
    userID STRING QUERYABLE,
    GRANT READ, CREATE, WRITE TO "_icloud"
    );
    """

  private func codes(_ select: [String], _ ignore: [String], severities: [String: RuleSeverities.Level] = [:])
    throws -> [String]
  {
    var options = LintOptions()
    options.selection = try RuleSelection(select: select, ignore: ignore)
    for (code, level) in severities { options.configuration.severities.set(code, NamePattern("*"), level) }
    return SchemaLinter.diagnostics(parse(text), options).codes.sorted()
  }

  @Test("only selected rules are reported, without ignored ones; the beginning of a code stands for all")
  func selection() throws {
    expectNoDifference(try codes([], []), ["CK0203", "CK0301", "CK0306"])
    expectNoDifference(try codes(["CK03"], []), ["CK0301", "CK0306"])
    expectNoDifference(try codes(["ck0301", "CK0203"], []), ["CK0203", "CK0301"])
    expectNoDifference(try codes([], ["CK0306"]), ["CK0203", "CK0301"])
    expectNoDifference(try codes(["CK03"], ["CK0301"]), ["CK0306"])
  }

  @Test("the options are stronger than the settings")
  func settings() throws {
    expectNoDifference(try codes(["CK0301"], [], severities: ["CK0301": .off]), ["CK0301"])
    expectNoDifference(
      try codes([], ["CK0301"], severities: ["CK0301": .error]), ["CK0203", "CK0306"])
  }

  @Test("an invalid file is reported whatever is selected")
  func validity() throws {
    var options = LintOptions()
    options.selection = try RuleSelection(select: ["CK0301"], ignore: ["CK0203"])
    expectNoDifference(
      SchemaLinter.diagnostics(parse(schema("a STRING, a STRING")), options).codes, ["CK0121"])
  }

  @Test("a code that does not exist is refused, and so is ignoring an error of validity")
  func problems() {
    #expect(throws: CommandFailure.self) { try RuleSelection(select: ["CK0399"], ignore: []) }
    #expect(throws: CommandFailure.self) { try RuleSelection(select: [], ignore: ["FH0101"]) }
    #expect(throws: CommandFailure.self) { try RuleSelection(select: [], ignore: ["CK0121"]) }
    #expect(throws: CommandFailure.self) { try RuleSelection(select: [""], ignore: []) }
  }
}

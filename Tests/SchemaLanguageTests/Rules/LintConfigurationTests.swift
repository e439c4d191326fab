import CustomDump
import Diagnostics
import SchemaLanguage
import Testing

@Suite("Lint settings") struct LintConfigurationTests {
  private func read(_ json: String) -> (configuration: LintConfiguration, found: [String]) {
    let (configuration, diagnostics) = LintConfiguration.read(SourceText(name: "celestra-admin.json", json))
    return (configuration, diagnostics.map { "\($0.pointedAt): \($0.message) | \($0.help ?? "")" })
  }

  private let text = """
    DEFINE SCHEMA
    RECORD TYPE Feed ( title STRING SORTABLE, GRANT CREATE TO "_icloud" );
    RECORD TYPE Session ( userID STRING QUERYABLE, GRANT CREATE TO "_icloud", GRANT READ TO "_world" );
    """

  private func lint(_ rules: String) -> [String] {
    var options = LintOptions()
    let read = read(#"{"container": "memory:", "schema": {"rules": \#(rules)}}"#)
    expectNoDifference(read.found, [])
    options.configuration = read.configuration
    return SchemaLinter.diagnostics(parse(text), options).map { "\($0.code) \($0.severity)" }
  }

  @Test("a rule has the severity that the first matching pattern gives it, or is off")
  func severities() {
    expectNoDifference(lint("{}"), ["CK0203 warning", "CK0203 warning", "CK0306 warning"])
    expectNoDifference(lint(#"{"CK0203": "off", "CK0306": "error"}"#), ["CK0306 error"])
    expectNoDifference(
      lint(#"{"CK0203": {"Se*": "note", "*": "error"}, "CK0306": {"Feed": "off"}}"#),
      ["CK0203 error", "CK0203 note", "CK0306 warning"])
  }

  @Test("dotted keys say the same")
  func dotted() {
    let configuration = read(#"{"schema.privateTypes": ["Session"], "schema.rules": {"CK0203": "off"}}"#)
      .configuration
    var options = LintOptions()
    options.configuration = configuration
    expectNoDifference(SchemaLinter.diagnostics(parse(text), options).codes, [])
  }

  @Test("what cannot be understood is an error at its place, with the nearest spelling")
  func errors() {
    expectNoDifference(
      read(
        """
        {"schema": {"database": "publik", "privateType": [], "publicTypes": "CD_*", "privateTypes": ["a b", 7],
          "rules": {"CKO203": "off", "CK9999": "off", "AP0102": "off", "CK0203": "warnin", "CK0121": "off", "CK0306": {"a-b": "off"}, "CK0305": 3}}}
        """
      ).found,
      [
        #""publik": expected "public" or "private" | did you mean "public"?"#,
        #""privateType": there is no setting 'schema.privateType' | did you mean "privateTypes"?"#,
        #""CD_*": expected a list of record types, such as ["CD_*"] | "#,
        #""a b": 'a b' can match no record type | a pattern has letters, digits, '_', '*' and '?'"#,
        "7: expected a record type or a pattern in quotes | ",
        #""CKO203": there is no rule 'CKO203' | did you mean CK0203?"#,
        #""CK9999": there is no rule 'CK9999' | "#,
        #""AP0102": the severity of AP0102 cannot be changed: schema.rules is for 'schema lint', whose codes begin with CK | schema.allowedFindings accepts a finding of 'schema check-app'"#,
        #""warnin": expected "off", "note", "warning" or "error" | did you mean "warning"?"#,
        #""CK0121": the severity of CK0121 cannot be changed: the service refuses such a schema | "#,
        #""a-b": 'a-b' can match no record type | a pattern has letters, digits, '_', '*' and '?'"#,
        #"3: expected "off", "note", "warning" or "error" | "#,
      ])
  }

  @Test("a pattern that matches no type is an error when it is one name or close to one, else a warning")
  func unmatched() {
    let settings = read(
      #"{"schema": {"privateTypes": ["CD_*", "Wallte", "Feeed*"], "rules": {"CK0203": {"Sesion": "off"}}}}"#)
    func found(_ types: String...) -> [Diagnostic] {
      let texts = types.map { "RECORD TYPE \($0) ( a STRING );" }
      return settings.configuration.unmatched(in: [parse("DEFINE SCHEMA \(texts.joined())")])
    }
    expectNoDifference(
      found("Feed", "Session").map { "\($0.severity) \($0.message) | \($0.help ?? "")" },
      [
        "warning no record type matches 'CD_*' | remove it, or check the schema with such types in the same run",
        "error no record type is named 'Wallte' | ",
        "error no record type is named 'Feeed*' | did you mean \"Feed\"?",
        "error no record type is named 'Sesion' | did you mean \"Session\"?",
      ])
    expectNoDifference(found("Wallte", "Feeed1", "Sesion", "CD_Note").count, 0)
  }

  @Test("only new findings remain, matched by code, type and field and not by line")
  func newSince() {
    var options = LintOptions()
    options.older = (parse(text), nil)
    func found(_ text: String) -> [String] { SchemaLinter.diagnostics(parse(text), options).map(\.message) }
    expectNoDifference(
      found("// moved\n\n\n" + text.replacing("title STRING", with: "a STRING,\n\ntitle STRING")), [])
    expectNoDifference(
      found(text.replacing("userID STRING", with: "userID STRING, hostID STRING")),
      ["'Session.hostID' looks like a person's identifier, and strangers can read it"])
    expectNoDifference(
      found(text.replacing("CREATE TO \"_icloud\" );", with: "CREATE, WRITE TO \"_icloud\" );")),
      ["any signed-in person can change and delete every Feed"])
    expectNoDifference(found("DEFINE SCHEMA RECORD TYPE A ( a STRING, a STRING );").count, 1)
    let comment = "// celestra:ignore CK0203\n"
    options.older = (parse(comment + text), nil)
    expectNoDifference(found(comment + text).count, 0)
    expectNoDifference(found(comment + comment + text).count, 1)
  }

  @Test("certain corrections are made, and everything else stays as it is")
  func fixing() {
    let untidy = """
      \u{FEFF}define SCHEMA -- a comment
      record type Feed (
          ___recordID STRING SORTABLE, // by name
          title STRNG,
          GRANT READ, CREATE, WRITE TO "_creator",
          GRANT READ, CREATE TO "_icloud",
      );
      """
    let first = SchemaFixer.fix(SourceText(name: "f", untidy))
    expectNoDifference(
      first.text,
      """
      DEFINE SCHEMA -- a comment
      RECORD TYPE Feed (
          "___recordID" REFERENCE SORTABLE, // by name
          title STRNG,
          GRANT READ, CREATE, WRITE TO "_creator",
          GRANT READ, CREATE TO "_icloud"
      );
      """)
    #expect(first.count == 7)
    // Lint rules wait until the file is valid.
    let second = SchemaFixer.fix(SourceText(name: "f", first.text.replacing("STRNG", with: "STRING")))
    #expect(second.text.contains("\"___recordID\" REFERENCE QUERYABLE SORTABLE, // by name"))
    #expect(second.text.contains("GRANT READ, WRITE TO \"_creator\","))
    #expect(SchemaFixer.fix(SourceText(name: "f", second.text)).count == 0)
    // A new line has the indentation of the others, and takes no comment from them.
    let bare =
      "DEFINE SCHEMA\nRECORD TYPE A (\n  // Its title.\n  title STRING QUERYABLE,\n  GRANT READ TO \"_world\"\n);"
    #expect(
      SchemaFixer.fix(SourceText(name: "f", bare)).text
        == bare.replacing("A (\n", with: "A (\n  \"___recordID\" REFERENCE QUERYABLE,\n"))
  }

  @Test("an allowed change has the keys of its kind and a reason, and the nearest kind is named")
  func allowedChanges() {
    func found(_ change: String) -> [String] { read(#"{"schema.allowedChanges": [\#(change)]}"#).found }
    let whole = #"{"change": "removeField", "recordType": "A", "field": "b", "reason": "unused"}"#
    expectNoDifference(found(whole), [])
    let allowed = read(#"{"schema.allowedChanges": [\#(whole)]}"#).configuration.allowedChanges
    #expect(allowed.map(\.reason) == ["unused"])
    let unnamed = found(#"{"change": "removeField", "recordType": "", "field": "b", "reason": "unused"}"#)
    #expect(unnamed.count == 1)
    #expect(
      unnamed[0].hasSuffix(
        #""recordType" must be a text that is not empty | write the name of what changes as "recordType""#))
    #expect(found(#"{"change": "removeFeild"}"#)[0].hasSuffix(#"| did you mean "removeField"?"#))
    #expect(found(#"{"change": 1}"#)[0].hasPrefix("1: \"change\" must be one of "))
    #expect(found("{}")[0].hasPrefix("{}: \"change\" must be one of "))
    let finding = #"{"schema.allowedFindings": [{"code": "AP0102", "recordType": "A"}]}"#
    #expect(read(finding).found.first?.contains("a finding needs \"reason\"") ?? false)
    let unknown = finding.replacing("AP0102", with: "AP9999")
    #expect(read(unknown).found.first?.contains("'schema check-app' has no rule 'AP9999'") ?? false)
    let refused = finding.replacing("AP0102", with: "AP0106")
    #expect(read(refused).found.first?.contains("AP0106 is accepted at its line only") ?? false)
  }
}

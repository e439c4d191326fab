import CustomDump
import Diagnostics
import SchemaLanguage
import Testing

/// Mistakes of real files and of careful people: each is one finding, and the rest of the type is still checked.
@Suite("Mistakes") struct MistakeTests {
  private struct Mistake {
    let members: String
    let says: String
    /// The members after the fix, where there is one.
    var fixed: String?
  }

  private static let mistakes = [
    Mistake(members: "f STRING(255)", says: "types take no argument: '(255)'", fixed: "f STRING"),
    Mistake(
      members: "f STRING(10, 2) QUERYABLE", says: "types take no argument: '(10, 2)'",
      fixed: "f STRING QUERYABLE"),
    Mistake(
      members: "f REFERENCE(Category)", says: "types take no argument: '(Category)'", fixed: "f REFERENCE"),
    Mistake(members: "f DECIMAL(10, 2)", says: "'DECIMAL' is not a type", fixed: "f DOUBLE"),
    Mistake(
      members: "GRANT CREATE TO \"_creator\", \"_icloud\"", says: "a grant names one role",
      fixed: "GRANT CREATE TO \"_creator\", GRANT CREATE TO \"_icloud\""),
    Mistake(
      members: "GRANT READ, WRITE TO Mods, \"_icloud\", \"_world\"", says: "a grant names one role"),
    Mistake(
      members: "u STRING QUERYABLE, SORTABLE", says: "SORTABLE belongs to the field before the ','",
      fixed: "u STRING QUERYABLE SORTABLE"),
    Mistake(
      members: "GRANT READ ON Feed TO \"_world\"", says: "expected TO before the role, found 'ON'"),
    Mistake(
      members: "GRANT TO READ \"_world\"", says: "expected READ, CREATE or WRITE, found 'TO'"),
    Mistake(
      members: "GRANT READ, \"_world\"", says: "expected READ, CREATE or WRITE, found '\"_world\"'"),
    Mistake(
      members: "f STRING QUERYABLE GRANT SORTABLE", says: "expected an option, ',' or ')', found 'GRANT'"),
    Mistake(
      members: "WRITE GRANT TO \"_creator\"",
      says: "GRANT must come before the privileges, found 'WRITE GRANT'"),
    Mistake(
      members: "\"___recordName\" QUERYABLE", says: "'\"___recordName\"' is not a system field",
      fixed: "\"___recordID\" REFERENCE QUERYABLE"),
    Mistake(
      members: "\"__recordID\" RECORD ID", says: "'\"__recordID\"' is not a system field",
      fixed: "\"___recordID\" REFERENCE QUERYABLE"),
    Mistake(
      members: "\"___recordID\" QUERYABLE", says: "expected the type of '___recordID', found 'QUERYABLE'",
      fixed: "\"___recordID\" REFERENCE QUERYABLE"),
    Mistake(
      members: "f\u{A0}STRING",
      says: "U+00A0 (no-break space) at column 2 cannot be used in a schema",
      fixed: "f STRING"),
    Mistake(
      members: "f STRING\u{200B}",
      says: "U+200B (zero width space) at column 9 cannot be used in a schema",
      fixed: "f STRING"),
    Mistake(members: "t\u{200B}itle STRING", says: "the name has U+200B (zero width space) at column 2"),
    Mistake(members: "t\u{430}sk STRING", says: "the name has U+0430 (cyrillic small letter a) at column 2"),
    Mistake(
      members: "\u{201C}title\u{201D} STRING",
      says: "the name has U+201C (left double quotation mark) at column 1"),
    Mistake(
      members: "f LIST<STRING>\u{FF0C} g STRING",
      says: "U+FF0C (fullwidth comma) at column 15 cannot be used in a schema",
      fixed: "f LIST<STRING>, g STRING"),
    Mistake(members: "\"a\\\"b\" STRING", says: "the name has U+005C (reverse solidus) at column 3"),
    Mistake(
      members: "GRANT , CREATE, WRITE TO \"_icloud\"", says: "expected READ, CREATE or WRITE, found ','"),
    Mistake(members: "GRANT READ,, CREATE TO \"_icloud\"", says: "expected READ, CREATE or WRITE, found ','"),
    Mistake(members: "x GRANT READ, CREATE TO \"_icloud\"", says: "expected the type of 'x', found 'GRANT'"),
    Mistake(members: "f f LIST<INT64>", says: "'f' is not a type"),
    Mistake(members: "f STRING[] QUERYABLE", says: "expected an option, ',' or ')', found '['"),
    Mistake(members: "f Array<STRING> QUERYABLE", says: "'Array' is not a type"),
    Mistake(members: "f [STRING]", says: "expected the type of 'f', found '['"),
    Mistake(members: "f LIST(STRING) QUERYABLE", says: "LIST needs the type of its elements"),
    Mistake(
      members: "f ENCRYPTED LIST<STRING>", says: "ENCRYPTED belongs to the elements of a list"),
    Mistake(
      members: "GRANT READ TO \"_world\", _icloud", says: "a grant names one role",
      fixed: "GRANT READ TO \"_world\", GRANT READ TO \"_icloud\""),
    Mistake(
      members: "__recordID REFERENCE", says: "'__recordID' is not a name of the system",
      fixed: "\"___recordID\" REFERENCE"),
    Mistake(
      members: "___createTme TIMESTAMP SORTABLE", says: "'___createTme' is not a name of the system",
      fixed: "\"___createTime\" TIMESTAMP SORTABLE"),
    Mistake(
      members: "GRANT READ TO _iclod", says: "'_iclod' is not a name of the system",
      fixed: "GRANT READ TO \"_icloud\""),
    Mistake(
      members: "GRANT READ, WRITE FOR Mods", says: "expected TO before the role, found 'FOR'"),
    Mistake(
      members: "GRANT READ, WRITE Mods", says: "expected TO before the role, found 'Mods'",
      fixed: "GRANT READ, WRITE TO Mods"),
    Mistake(
      members: "GRANT READ TO '_icloud'", says: "the role's name is in the wrong quotes: '_icloud'",
      fixed: "GRANT READ TO \"_icloud\""),
    Mistake(
      members: "`title` STRING", says: "the field's name is in the wrong quotes: `title`",
      fixed: "title STRING"),
    Mistake(
      members: "'grant' STRING", says: "the field's name is in the wrong quotes: 'grant'",
      fixed: "\"grant\" STRING"),
    Mistake(
      members: "f STRING DEFAULT \"\"", says: "expected an option, ',' or ')', found 'DEFAULT'"),
    Mistake(
      members: "f STRING DEFAULT 'x' NOT NULL", says: "expected an option, ',' or ')', found 'DEFAULT'"),
    Mistake(
      members: "f TIMESTAMP DEFAULT now()", says: "expected an option, ',' or ')', found 'DEFAULT'"),
    Mistake(
      members: "f STRING ENCRYPTED", says: "ENCRYPTED comes before the type, found 'STRING ENCRYPTED'",
      fixed: "f ENCRYPTED STRING"),
    Mistake(
      members: "f LIST<INT64> ENCRYPTED",
      says: "ENCRYPTED comes before the type, found 'LIST<INT64> ENCRYPTED'",
      fixed: "f LIST<ENCRYPTED INT64>"),
    Mistake(members: "f ASSET ENCRYPTED", says: "ASSET cannot be ENCRYPTED", fixed: "f ASSET"),
    Mistake(members: "f STRING # a comment\n", says: "comments begin with // or --, not with #"),
  ]

  @Test("a mistake is one finding, and a later mistake of the type is found too", arguments: mistakes.indices)
  func mistake(index: Int) {
    let mistake = Self.mistakes[index]
    let alone = parse(text(mistake.members))
    expectNoDifference(alone.diagnostics.map(\.message), [mistake.says])
    let both = parse(text(mistake.members + ",\nlast UIID"))
    expectNoDifference(Set(both.diagnostics.map(\.message)), [mistake.says, "'UIID' is not a type"])
    expectNoDifference(both.diagnostics.count, 2)
    guard let fixed = mistake.fixed else { return }
    expectNoDifference(applyingFixes(alone.diagnostics, to: alone.source), text(fixed))
    expectNoDifference(parse(text(fixed)).diagnostics.map(\.message), [])
  }

  private func text(_ members: String) -> String {
    "DEFINE SCHEMA\nCREATE ROLE Mods;\nRECORD TYPE T (\n\(members)\n);\n"
  }

  @Test("what the roles of one grant may do is known for each")
  func severalRoles() {
    let type = parse(text("GRANT READ, WRITE TO Mods, \"_icloud\", \"_world\"")).schema.recordTypes[0]
    expectNoDifference(type.grants.map(\.role), ["Mods", "_icloud", "_world"])
    #expect(type.grants.allSatisfy { $0.privileges == [.read, .write] })
    // A field that has a role's name is a field.
    expectNoDifference(
      parse(text("GRANT READ TO \"_world\", Mods STRING")).schema.recordTypes[0].fields.map(\.name), ["Mods"])
  }

  @Test(
    "words in the wrong order are one finding",
    arguments: [
      ("TYPE RECORD A ( f STRING );", "expected RECORD TYPE, found 'TYPE RECORD'"),
      ("RECORD RECORD TYPE A ( f STRING );", "one RECORD too many"),
      ("CREATE CREATE ROLE a;", "one CREATE too many"),
      ("ROLE CREATE a;", "expected CREATE ROLE, found 'ROLE CREATE'"),
      ("RECORD TABLE A ( f STRING );", "expected TYPE, found 'TABLE'"),
      ("RECORD KIND \"A\" ( f STRING );", "expected TYPE, found 'KIND'"),
      ("CREATE GROUP a;", "expected ROLE, found 'GROUP'"),
      ("RECORD TYPE A ( f STRING ));", "one ')' too many"),
      (
        "RECORD TYPE A \u{FF08} f STRING \u{FF09};",
        "U+FF08 (fullwidth left parenthesis) at column 15 cannot be used in a schema"
      ),
    ])
  func statements(statement: String, says: String) {
    let parsed = parse("DEFINE SCHEMA\n\(statement)\n")
    expectNoDifference(parsed.diagnostics.first?.message, says)
    expectNoDifference(parsed.diagnostics.count, statement.contains("\u{FF09}") ? 2 : 1)
    let fixed = applyingFixes(parsed.diagnostics, to: parsed.source)
    expectNoDifference(parse(fixed).diagnostics.map(\.message), [])
  }

  @Test(
    "what is missing is named, and the help shows where it goes",
    arguments: [
      ("RECORD Feed ( f STRING );", "expected TYPE, found 'Feed'", "RECORD TYPE Note ("),
      ("CREATE Editor;", "expected ROLE, found 'Editor'", "CREATE ROLE Editor;"),
      ("RECORD TYPE A ( GRANT READ Mods );", "expected TO before the role, found 'Mods'", "GRANT READ TO"),
      (
        "RECORD TYPE A ( GRANT TO \"_world\" );", "expected READ, CREATE or WRITE, found 'TO'",
        "GRANT READ, WRITE TO"
      ),
      ("RECORD TYPE A ( GRANT READ TO );", "expected the role's name after TO, found ')'", "\"_icloud\""),
      ("RECORD TYPE ( f STRING );", "expected the record type's name, found '('", "begin with a letter"),
      ("RECORD TYPE A ( < );", "expected a field or GRANT, found '<'", "title STRING"),
      ("RECORD TYPE A ( f LIST<> );", "expected the type of the list's elements, found '>'", "INT64"),
      ("RECORD TYPE A ( f ENCRYPTED );", "expected a type after ENCRYPTED, found ')'", "STRING"),
      ("RECORD TYPE A ( f NUMBER PREFERRED INT64 );", "expected AS, found 'INT64'", "PREFERRED AS INT64"),
      (
        "RECORD TYPE A ( f NUMBER PREFERRED AS STRING );",
        "expected INT64 or DOUBLE after PREFERRED AS, found 'STRING'", "PREFERRED AS INT64"
      ),
    ])
  func expected(statement: String, says: String, shows: String) {
    let found = parse("DEFINE SCHEMA\nCREATE ROLE Mods;\n\(statement)\n").diagnostics
    expectNoDifference(found.first?.message, says)
    #expect(found.first?.help?.contains(shows) == true, "\(found.first?.help ?? "none")")
  }

  @Test("each finding about words that were expected has a help line", arguments: mistakes.indices)
  func helpOfExpected(index: Int) {
    for diagnostic in parse(text(Self.mistakes[index].members)).diagnostics
    where diagnostic.message.hasPrefix("expected ") {
      #expect(diagnostic.help?.isEmpty == false, "\(diagnostic.message)")
    }
  }

  @Test("an unresolved merge is one finding, and one side of it is read")
  func conflict() {
    let parsed = parse(
      """
      DEFINE SCHEMA
      RECORD TYPE T (
      <<<<<<< HEAD
        ours STRING,
      ||||||| base
        base STRING,
      =======
        theirs STRING,
      >>>>>>> topic
        both STRING
      );
      """)
    expectNoDifference(
      parsed.diagnostics.map { "\($0.range?.start.line ?? 0) \($0.message)" },
      ["3 the file has an unresolved merge conflict"])
    expectNoDifference(parsed.recordTypes[0].fields.map(\.name), ["ours", "both"])
  }

  @Test("comments of another language are one finding of a file, at the first")
  func hashes() {
    let parsed = parse("# a\n# b\nDEFINE SCHEMA\nRECORD TYPE T ( f STRING ); # c\n")
    expectNoDifference(
      parsed.diagnostics.map(\.message), ["comments begin with // or --, not with # (3 lines do)"])
    #expect(
      parse("# A title\n\nSome text.\n").diagnostics.first?.message.contains("script or Markdown") == true)
  }

  @Test(
    "a file that breaks off is one finding",
    arguments: [
      "DEF", "DEFINE SCH", "DEFINE SCHEMA\nRECO", "DEFINE SCHEMA\nRECORD TY", "DEFINE SCHEMA\nRECORD TYPE Fe",
      "DEFINE SCHEMA\nRECORD TYPE A ( tit", "DEFINE SCHEMA\nRECORD TYPE A ( title STR",
      "DEFINE SCHEMA\nRECORD TYPE A ( title STRING QUER", "DEFINE SCHEMA\nRECORD TYPE A ( title STRING,",
      "DEFINE SCHEMA\nRECORD TYPE A ( GRANT RE", "DEFINE SCHEMA\nRECORD TYPE A ( GRANT READ TO",
      "DEFINE SCHEMA\nRECORD TYPE A ( GRANT READ TO \"_wor", "DEFINE SCHEMA\nRECORD TYPE A ( f STRING )",
      "DEFINE SCHEMA\nRECORD TYPE A ( f STRING /* never", "DEFINE SCHEMA\nRECORD TYPE A ( f STRING(2",
    ])
  func truncated(text: String) {
    expectNoDifference(
      parse(text).diagnostics.filter { $0.severity == .error }.count, 1,
      "\(parse(text).diagnostics.map(\.message))")
  }

  @Test("a name as long as a file is cut in messages, and its finding stays small")
  func longName() {
    let name = String(repeating: "x", count: 300_000)
    let texts = [
      schema("\(name) STRNG"), schema("f \(name)"), schema("\(name) STRING,\n\(name) STRING"),
      schema("GRANT READ TO \(name)"), schema("_\(name) STRING"), schema("\"\(name)-\" STRING"),
      "DEFINE SCHEMA\nRECORD TYPE \(name) ( f STRING )\nRECORD TYPE \(name) ( f STRING );",
    ]
    for text in texts {
      let found = SchemaLinter.diagnostics(parse(text))
      #expect(!found.isEmpty)
      #expect(found.allSatisfy { $0.message.utf8.count < 400 && ($0.help ?? "").utf8.count < 400 })
    }
  }

  @Test("of the same mistake a hundred are listed, and the rest is counted")
  func manyMistakes() {
    let types = (0..<5000).map { _ in "RECORD TYPE T ( f STRING );" }.joined(separator: "\n")
    let found = SchemaValidator.diagnostics(parse("DEFINE SCHEMA\n" + types))
    #expect(found.count { $0.code == "CK0120" } == 100)
    expectNoDifference(
      found.last { $0.code == "CK0114" }?.message, "4899 more findings of CK0120 are not listed")
    let roles = (0..<300).map { "CREATE ROLE r\($0);" }.joined()
    let unused = SchemaLinter.diagnostics(parse("DEFINE SCHEMA\n" + roles))
    expectNoDifference(unused.count, 101)
    expectNoDifference(unused.last?.message, "200 more findings of CK0403 are not listed")
  }

  @Test("applying a suggestion brings no other error", arguments: mistakes.indices)
  func suggestions(index: Int) {
    let source = parse(text(Self.mistakes[index].members + ",\nlast STRING")).source
    let found = SchemaValidator.diagnostics(SchemaParser.parse(source))
    for diagnostic in found where diagnostic.fix != nil {
      let fixed = applyingFixes([diagnostic], to: source)
      let left = SchemaValidator.diagnostics(parse(fixed)).filter { $0.severity == .error }
      let before = Set(found.map(\.message))
      #expect(left.count < found.count, "\(diagnostic.message): \(fixed)")
      for error in left { #expect(before.contains(error.message), "\(error.message) in \(fixed)") }
    }
  }

  @Test("what a help text says to write is what the fix writes", arguments: mistakes.indices)
  func helpTexts(index: Int) throws {
    for diagnostic in parse(text(Self.mistakes[index].members)).diagnostics {
      guard let help = diagnostic.help, let fix = diagnostic.fix else { continue }
      let openings = ["write another one: ", "write one for each role: ", "write ", "did you mean "]
      for opening in openings where help.hasPrefix(opening) && !help.contains(" before ") {
        let wanted = help.dropFirst(opening.count).filter { $0 != "?" }
        let isBlank = wanted == "an ordinary space"
        let isWritten = fix.replacement.contains(wanted) || "'\(fix.replacement)'" == wanted
        #expect(isBlank ? fix.replacement == " " : isWritten, "\(help)")
        break
      }
    }
  }

  @Test(
    "a document that is no schema is named, even if it quotes one",
    arguments: [
      ("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n", "a pointer of Git LFS"),
      ("<!DOCTYPE html>\n<pre>DEFINE SCHEMA RECORD TYPE A ( a STRING );</pre>", "an HTML page"),
      ("\n<HTML><body>DEFINE SCHEMA</body></HTML>", "an HTML page"),
    ])
  func documents(text: String, name: String) {
    let found = parse(text).diagnostics
    expectNoDifference(found.codes, ["CK0101"])
    #expect(found.first?.message.hasSuffix(name) == true)
    #expect(found.first?.help?.isEmpty == false)
  }
}

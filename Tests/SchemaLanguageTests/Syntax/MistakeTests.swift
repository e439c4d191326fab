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
    Mistake(members: "f STRING(255)", says: "expected an option, ',' or ')', found '('"),
    Mistake(members: "f STRING(10, 2) QUERYABLE", says: "expected an option, ',' or ')', found '('"),
    Mistake(members: "f DECIMAL(10, 2)", says: "'DECIMAL' is not a type"),
    Mistake(
      members: "GRANT CREATE TO \"_creator\", \"_icloud\", g STRING",
      says: "a grant is for one role"),
    Mistake(members: "GRANT CREATE TO \"_creator\", \"_icloud\"", says: "a grant is for one role"),
    Mistake(members: "f: STRING", says: "unexpected ':' after the field's name", fixed: "f STRING"),
    Mistake(
      members: "u STRING QUERYABLE, SORTABLE", says: "SORTABLE belongs to the field before the ','",
      fixed: "u STRING QUERYABLE SORTABLE"),
    Mistake(members: "f STRNG", says: "'STRNG' is not a type", fixed: "f STRING"),
    Mistake(members: "f INT", says: "'INT' is not a type", fixed: "f INT64"),
    Mistake(members: "GRANT READ ON Feed TO \"_world\"", says: "expected TO, found 'ON'"),
    Mistake(members: "GRANT READ, \"_world\"", says: "expected READ, CREATE or WRITE, found '\"_world\"'"),
    Mistake(members: "WRITE GRANT TO \"_creator\"", says: "expected the type of 'WRITE', found 'GRANT'"),
    Mistake(
      members: "\"___recordID\" QUERYABLE", says: "expected the type of '___recordID', found 'QUERYABLE'"),
    Mistake(members: "f\u{A0}STRING", says: "unexpected U+00A0 (no-break space)", fixed: "f STRING"),
    Mistake(
      members: "f STRING\u{3000}QUERYABLE", says: "unexpected U+3000 (ideographic space)",
      fixed: "f STRING QUERYABLE"),
    Mistake(members: "t\u{200B}itle STRING", says: "the name has U+200B (zero width space) at column 2"),
    Mistake(members: "f STR\u{AD}ING", says: "the word has U+00AD (soft hyphen) at column 6"),
    Mistake(
      members: "f STRING \u{FEFF}QUERYABLE", says: "unexpected U+FEFF (zero width no-break space)",
      fixed: "f STRING QUERYABLE"),
    Mistake(
      members: "f \u{FF33}TRING", says: "the word has U+FF33 (fullwidth latin capital letter s) at column 3"),
    Mistake(members: "t\u{430}sk STRING", says: "the name has U+0430 (cyrillic small letter a) at column 2"),
    Mistake(
      members: "GRANT , CREATE, WRITE TO \"_icloud\"", says: "expected READ, CREATE or WRITE, found ','"),
    Mistake(members: "GRANT READ,, CREATE TO \"_icloud\"", says: "expected READ, CREATE or WRITE, found ','"),
    Mistake(members: "f f LIST<INT64>", says: "'f' is not a type"),
    Mistake(members: "f STRING[] QUERYABLE", says: "expected an option, ',' or ')', found '['"),
    Mistake(members: "f Array<STRING> QUERYABLE", says: "'Array' is not a type"),
    Mistake(members: "f [STRING]", says: "expected the type of 'f', found '['"),
    Mistake(members: "f LIST(STRING) QUERYABLE", says: "expected '<' after LIST, found '('"),
    Mistake(members: "f ENCRYPTED LIST<STRING>", says: "expected a type after ENCRYPTED, found 'LIST'"),
    Mistake(members: "f ENCRYPTED ASSET", says: "ASSET cannot be ENCRYPTED"),
    Mistake(members: "GRANT READ TO '_icloud'", says: "expected the role's name after TO, found '''"),
    Mistake(members: "`title` STRING", says: "expected a field or GRANT, found '`'"),
    Mistake(
      members: "f STRING DEFAULT 'x' NOT NULL", says: "expected an option, ',' or ')', found 'DEFAULT'"),
    Mistake(
      members: "f TIMESTAMP DEFAULT now()", says: "expected an option, ',' or ')', found 'DEFAULT'"),
    Mistake(members: "f STRING ENCRYPTED", says: "expected an option, ',' or ')', found 'ENCRYPTED'"),
    Mistake(members: "f STRING # a comment\n", says: "expected an option, ',' or ')', found '#'"),
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

  @Test("the braces of other languages become parentheses, and a missing one is reported in its line")
  func braces() {
    let open = parse("DEFINE SCHEMA\nRECORD TYPE A\nf STRING\n);\n").diagnostics
    #expect(
      open.map { "\($0.range?.start.line ?? 0) \($0.message)" } == [
        "2 missing '(' after the record type's name 'A'"
      ])
    let parsed = parse("DEFINE SCHEMA\nRECORD TYPE A {\nf STRING\n};\n")
    expectNoDifference(
      applyingFixes(parsed.diagnostics, to: parsed.source), "DEFINE SCHEMA\nRECORD TYPE A (\nf STRING\n);\n")
  }

  private func text(_ members: String) -> String {
    "DEFINE SCHEMA\nCREATE ROLE Mods;\nRECORD TYPE T (\n\(members)\n);\n"
  }

  @Test(
    "a wrong statement is one finding, and mistakes among its members are found too",
    arguments: [
      ("TYPE RECORD A", "expected RECORD TYPE or CREATE ROLE, found 'TYPE'"),
      ("RECORD RECORD TYPE A", "expected TYPE, found 'RECORD'"),
      ("RECORD TABLE A", "expected TYPE, found 'TABLE'"),
      ("TABLE A", "expected RECORD TYPE or CREATE ROLE, found 'TABLE'"),
      ("ALTER RECORD TYPE A", "expected RECORD TYPE or CREATE ROLE, found 'ALTER'"),
      ("CREATE TYPE A", "expected ROLE, found 'TYPE'"), ("RECORD A", "expected TYPE, found 'A'"),
      ("RECORD TYPE", "expected the record type's name, found '('"),
    ])
  func statements(opening: String, says: String) {
    let parsed = parse("DEFINE SCHEMA\n\(opening) ( f STRING,\nlast UIID );\nRECORD TYPE Z ( f STRING );\n")
    expectNoDifference(parsed.diagnostics.map(\.message), [says, "'UIID' is not a type"])
    #expect(parsed.recordTypes.last?.name == "Z")
  }

  @Test(
    "what is missing or one too many is named, and the help says what to do",
    arguments: [
      ("f STRING,", "unexpected ',' after the last member", "remove the ','"),
      ("f STRING;", "unexpected ';' after the last member", "remove the ';'"),
      ("f STRING,, g STRING", "unexpected ',' before a member", "remove the ','"),
      ("GRANT READ Mods", "expected TO, found 'Mods'", "GRANT READ TO"),
      ("GRANT TO \"_world\"", "expected READ, CREATE or WRITE, found 'TO'", "GRANT READ, WRITE TO"),
      ("GRANT READ TO", "expected the role's name after TO, found ')'", "\"_icloud\""),
      ("<", "expected a field or GRANT, found '<'", "title STRING"),
      ("f QUERYABLE STRING", "expected the type of 'f', found 'QUERYABLE'", "before its options"),
      ("“f” STRING", "the name has U+201C (left double quotation mark) at column 1", "straight quotes"),
      ("# f STRING", "expected a field or GRANT, found '#'", "title STRING"),
      ("f LIST<>", "expected the type of the list's elements, found '>'", "INT64"),
      ("f ENCRYPTED", "expected a type after ENCRYPTED, found ')'", "STRING"),
      ("f NUMBER PREFERRED INT64", "expected AS, found 'INT64'", "PREFERRED AS INT64"),
      (
        "f NUMBER PREFERRED AS STRING", "expected INT64 or DOUBLE after PREFERRED AS, found 'STRING'",
        "PREFERRED AS INT64"
      ),
    ])
  func expected(members: String, says: String, shows: String) {
    let found = parse(text(members)).diagnostics
    expectNoDifference(found.first?.message, says)
    #expect(found.first?.help?.contains(shows) == true, "\(found.first?.help ?? "none")")
  }

  @Test("an unresolved merge is one finding, at its first marker")
  func conflict() {
    let parsed = parse(
      """
      DEFINE SCHEMA
      RECORD TYPE T (
      <<<<<<< HEAD
        ours STRING,
      =======
        theirs STRING,
      >>>>>>> topic
      );
      """)
    expectNoDifference(
      parsed.diagnostics.map { "\($0.range?.start.line ?? 0) \($0.message)" },
      ["3 the file has an unresolved merge conflict"])
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

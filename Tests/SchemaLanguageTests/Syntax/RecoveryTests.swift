import CustomDump
import Diagnostics
import SchemaLanguage
import Testing

@Suite("Recovery") struct RecoveryTests {
  @Test("eleven independent mistakes give eleven findings, each at its place, none invented")
  func independentMistakes() {
    let parsed = parse(
      """
      DEFINE SCHEMA
      CREATE ROLE Mods
      RECORD TYPE A (
          id UUID QUERYABLE,
          tags STRING LIST QUERYABLE,
          made TIMESTAMP SORTABLE
          ___recordID REFERENCE QUERYABLE,
          ok INT64 QUERIABLE,
          my-field STRING,
          name STRIGN,
          GRANT REED TO "_world"
      );
      RECROD TYPE B ( a STRING );
      RECORD TYPE C ( a STRING; b STRING );
      """)
    expectNoDifference(
      parsed.diagnostics.map { "\($0.range?.start.line ?? 0) \($0.code) \($0.pointedAt)" },
      [
        "2 CK0106 s", "4 CK0107 UUID", "5 CK0108 LIST", "6 CK0106 E", "7 CK0110 ___recordID",
        "8 CK0108 QUERIABLE", "9 CK0111 my-field", "10 CK0107 STRIGN", "11 CK0109 REED",
        "13 CK0104 RECROD",
        "14 CK0106 ;",
      ])
    expectNoDifference(parsed.recordTypes.map(\.name), ["A", "B", "C"])
    expectNoDifference(parsed.recordTypes.map(\.fields.count), [7, 1, 2])
  }

  @Test(
    "a mistake hides no other: roles are judged wherever no statement was lost",
    arguments: [
      ("n INT65, GRANT READ TO Admn, GRANT READ TO \"_wrld\");", ["CK0107", "CK0123", "CK0123"]),
      ("n INT64, GRANT READ TO Admn );\nCREATE ROL Moderators;", ["CK0123", "CK0104"]),
      // What was lost might have been the role.
      ("n INT64, GRANT READ TO Lost );\nCRATE ROLL;", ["CK0104", "CK0104"]),
      ("n INT65, GRANT READ TO Lost;\nCREAT ROLE Lost;", ["CK0107", "CK0106", "CK0107", "CK0106"]),
    ])
  func rolesBesideMistakes(_ members: String, _ codes: [String]) {
    let parsed = parse("DEFINE SCHEMA\nCREATE ROLE Admin;\nRECORD TYPE A ( \(members)\n")
    expectNoDifference(SchemaValidator.diagnostics(parsed).map(\.code), codes)
  }

  @Test("a file in which every word is misspelt is still read word by word")
  func everythingMisspelt() {
    let parsed = parse(
      """
      DEFNE SHCEMA
      CRATE ROEL Mods;
      RECROD TPYE A (
        a STRNIG QUERYBLE SRTABLE SEACHABLE,
        b LSIT<STRIGN>,
        c ENCRYTED STRNG,
        d NUMBR PREFERED SA INT46,
        GARNT REDA, CRAETE, WRIET OT "_world"
      );
      """)
    expectNoDifference(
      parsed.diagnostics.map {
        "\($0.range?.start.line ?? 0) \($0.pointedAt) -> \($0.fix?.replacement ?? "?")"
      },
      [
        "1 DEFNE -> DEFINE", "1 SHCEMA -> SCHEMA", "2 CRATE -> CREATE", "2 ROEL -> ROLE",
        "3 RECROD -> RECORD", "3 TPYE -> TYPE",
        "4 STRNIG -> STRING", "4 QUERYBLE -> QUERYABLE", "4 SRTABLE -> SORTABLE", "4 SEACHABLE -> SEARCHABLE",
        "5 LSIT -> LIST", "5 STRIGN -> STRING", "6 ENCRYTED -> ENCRYPTED", "6 STRNG -> STRING",
        "7 NUMBR -> NUMBER", "7 PREFERED -> PREFERRED", "7 SA -> AS", "7 INT46 -> INT64",
        "8 GARNT -> GRANT", "8 REDA -> READ", "8 CRAETE -> CREATE", "8 WRIET -> WRITE", "8 OT -> TO",
      ])
    expectNoDifference(parsed.roles.map(\.name), ["Mods"])
    expectNoDifference(parsed.recordTypes.map(\.fields.count), [4])
  }

  @Test(
    "one mistake gives one finding, and its fix corrects the text",
    arguments: [
      ("f UUID", "f STRING"), ("f STRIGN", "f STRING"), ("f VARCHAR(255)", "f STRING"),
      ("f STRING LIST", nil), ("f STRING[]", nil), ("f [INT64]", nil),
      ("f LIST(STRING)", nil), ("f LIST<STRING QUERYABLE", "f LIST<STRING> QUERYABLE"),
      ("f LIST STRING", nil), ("f ENCRYPTED LIST<STRING>", nil),
      ("f ENCRYPTED ASSET", nil), ("f LIST<LIST<STRING>>", nil), ("f LIST", nil),
      ("f STRING QUERYABEL", "f STRING QUERYABLE"),
      ("f STRING NOT NULL", nil), ("f STRING \"x\"", nil), ("f", nil), ("f QUERYABLE", nil),
      ("f STRING,", "f STRING"), ("f STRING,, g STRING", "f STRING, g STRING"),
      ("f STRING g STRING", "f STRING, g STRING"), ("f STRING\ng STRING", "f STRING,\ng STRING"),
      ("f STRING; g STRING", "f STRING, g STRING"),
      ("___recordID REFERENCE", "\"___recordID\" REFERENCE"), ("grant STRING", "\"grant\" STRING"),
      ("cloudkit.title STRING", "\"cloudkit.title\" STRING"), ("1st STRING", nil), ("größe STRING", nil),
      ("f STRING,\nGRANT READ TO _world", "f STRING,\nGRANT READ TO \"_world\""),
      ("f STRING,\nGRANT READ CREATE TO \"_world\"", "f STRING,\nGRANT READ, CREATE TO \"_world\""),
      ("f STRING,\nGRANT ALL TO \"_world\"", nil),
      ("f STRING,\nGRNAT READ TO \"_world\"", "f STRING,\nGRANT READ TO \"_world\""),
      ("f STRING,\nGRANT READ TO", nil), ("f NUMBER PREFERRED AS STRING", nil),
      ("\"f STRING", "\"f\" STRING"),
    ] as [(String, String?)])
  func oneMistake(members: String, fixed: String?) {
    let parsed = parse(schema(members))
    expectNoDifference(parsed.diagnostics.count, 1, "\(parsed.diagnostics.map(\.message))")
    #expect(parsed.diagnostics.hasErrors)
    if let fixed {
      expectNoDifference(applyingFixes(parsed.diagnostics, to: parsed.source), schema(fixed))
      #expect(parse(schema(fixed)).diagnostics.isEmpty)
    } else {
      #expect(parsed.diagnostics.first?.fix == nil)
    }
  }

  @Test(
    "a misspelled privilege is read as the one that is meant",
    arguments: [
      ("REED", [.read]), ("SOMETHING", []),
      ("READ, CREATEE", [.read, .create]),
    ] as [(String, EnumSet<Privilege>)])
  func privileges(words: String, meant: EnumSet<Privilege>) {
    let parsed = parse(schema("f STRING,\nGRANT \(words) TO \"_world\""))
    #expect(parsed.schema.recordTypes.first?.privileges(of: "_world") == meant)
  }

  @Test(
    "a mistake around the members gives one finding, and its fix corrects the text",
    arguments: [
      "RECORD TYPE A ( f STRING );\n", "DEFINE SCHEMA\nRECORD TYPE A ( f STRING )\n",
      "DEFINE SCHEMA\nRECORD TYPE A ( f STRING )\nRECORD TYPE B ( f STRING );\n",
      "DEFINE SCHEMA\nRECORD TYPE A ( f STRING\nRECORD TYPE B ( f STRING );\n",
      "DEFINE SCHEMA\nRECORD TYPE A ( f STRING;\nRECORD TYPE B ( f STRING );\n",
      "DEFINE SCHEMA\nRECORD TYPE A f STRING );\n", "DEFINE SCHEMA\nRECORD TYPE A ( f STRING );;\n",
      "DEFINE SCHEMA;\nRECORD TYPE A ( f STRING );\n", "DEFINE SCHEMA\nCREATE ROLE a\nCREATE ROLE b;\n",
      "DEFINE SCHEMA\nRECROD TYPE A ( f STRING );\n", "DEFINE SCHEMA\nRECORD TPYE A ( f STRING );\n",
      "DEFNE SCHEMA\nRECORD TYPE A ( f STRING );\n", "DEFINE SCHEMA\nCRAETE ROLE a;\n",
      "DEFINE SCHEMA\nRECORD TYPE A ( f STRING ),\n",
    ])
  func statements(text: String) {
    let parsed = parse(text)
    expectNoDifference(parsed.diagnostics.count, 1, "\(parsed.diagnostics.map(\.message))")
    let fixed = applyingFixes(parsed.diagnostics, to: parsed.source)
    expectNoDifference(parse(fixed).diagnostics.map(\.message), [], fixed)
    #expect(parse(fixed).schema.normalized == parsed.schema.normalized)
  }

  @Test("errors stop at a hundred")
  func limit() {
    let parsed = parse(schema((0..<500).map { "f\($0) UUID" }.joined(separator: ",\n")))
    #expect(parsed.diagnostics.count { $0.severity == .error } == 100)
    #expect(parsed.diagnostics.contains { $0.code == "CK0114" })
  }

  @Test("an unclosed comment is one finding at its beginning")
  func unclosedComment() {
    let parsed = parse("DEFINE SCHEMA\nRECORD TYPE T ( f STRING );\n/* never closed\n")
    expectNoDifference(parsed.diagnostics.codes, ["CK0112"])
    #expect(parsed.diagnostics.first?.range?.start.line == 3)
  }
}

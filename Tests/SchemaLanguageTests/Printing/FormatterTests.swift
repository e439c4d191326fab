import CustomDump
import SchemaLanguage
import Testing

@Suite("Formatting with comments") struct FormatterTests {
  @Test("types that stay in the order of the text are formatted like the others")
  func keptOrder() {
    let parsed = parse(
      """
      DEFINE SCHEMA
      // About B.
      RECORD TYPE B ( z STRING, a INT64 ); // closes B
      CREATE ROLE r;
      RECORD TYPE A ( longer STRING, b STRING );
      """)
    let kept = SchemaFormatter.format(parsed, keepsOrder: true)
    expectNoDifference(
      kept,
      """
      DEFINE SCHEMA

          CREATE ROLE r;

          // About B.
          RECORD TYPE B (
              a INT64,
              z STRING
          ); // closes B

          RECORD TYPE A (
              b      STRING,
              longer STRING
          );

      """)
    expectNoDifference(SchemaFormatter.format(parse(kept), keepsOrder: true), kept)
    expectNoDifference(SchemaFormatter.format(parse(kept)), SchemaFormatter.format(parsed))
    #expect(SchemaFormatter.format(parsed).contains(");\n\n    // About B."))
  }

  @Test("comments go with what they describe when it moves")
  func attachment() {
    let parsed = parse(
      """
      // The file.

      // Its licence.
      DEFINE SCHEMA -- version 2
      // About B.
      RECORD TYPE B ( // opens B
        // About z,
        // in two lines.
        z STRING, // trails z
        /* before a */ a INT64, -- trails a

        // About the grant.
        GRANT READ TO "_world"
        // At the end of B.
      ); // closes B

      // About A.
      RECORD TYPE A (
        a STRING /* inside */ QUERYABLE
      );
      // The end.
      """)
    expectNoDifference(
      SchemaFormatter.format(parsed),
      """
      // The file.

      // Its licence.
      DEFINE SCHEMA -- version 2

          // About A.
          RECORD TYPE A (
              a STRING QUERYABLE /* inside */
          );

          // About B.
          RECORD TYPE B ( // opens B
              /* before a */
              a INT64, -- trails a
              // About z,
              // in two lines.
              z STRING, // trails z
              // About the grant.
              GRANT READ TO "_world"
              // At the end of B.
          ); // closes B

          // The end.

      """)
  }

  @Test(
    "formatting keeps every comment and the meaning, and a second time changes nothing",
    arguments: [
      schema("a STRING, /* one */ /* two\nlines */ b STRING -- c\n"),
      schema("/* x */ GRANT READ TO \"_world\", // first\nGRANT WRITE TO \"_world\" // second\n"),
      schema("a LIST< // inside\n STRING>\n// next\n, b STRING"),
      "// a\n\n\n// b\n\nDEFINE /* c */ SCHEMA /* d */ CREATE /* e */ ROLE /* f */ x; // g\n/* h */",
      "DEFINE SCHEMA\r\n// a   \r\nRECORD TYPE T ( /* b\r\nc */ f STRING );\r\n",
      "DEFINE SCHEMA\r// a   \r\r// z\rRECORD TYPE T ( /* b\rc */ f STRING // d\r, g INT64 );\r",
    ])
  func stability(text: String) {
    let parsed = parse(text)
    #expect(parsed.diagnostics.isEmpty)
    let formatted = SchemaFormatter.format(parsed)
    let again = parse(formatted)
    expectNoDifference(SchemaFormatter.format(again), formatted)
    #expect(again.comments.count == parsed.comments.count)
    #expect(again.schema.normalized == parsed.schema.normalized)
  }

  @Test("a text whose lines end with CRLF keeps that, in comments and in a pulled schema too")
  func lineEnds() {
    let text = "DEFINE SCHEMA\n// a\nRECORD TYPE T (\n/* b\nc */ f STRING );\n"
    let windows = parse(text.replacing("\n", with: "\r\n"))
    let expected = SchemaFormatter.format(parse(text)).replacing("\n", with: "\r\n")
    expectNoDifference(SchemaFormatter.format(windows), expected)
    expectNoDifference(PulledSchema(windows, into: windows).text, expected)
  }

  @Test(
    "a comment stays with the member on its line, else with the next one, else with the end",
    arguments: [
      ("a STRING, /* x */ b STRING", "a STRING,\n/* x */\nb STRING"),
      ("a STRING /* x */, b STRING", "a STRING, /* x */\nb STRING"),
      ("a STRING, // x\nb STRING", "a STRING, // x\nb STRING"),
      ("a STRING,\n// x\nb STRING", "a STRING,\n// x\nb STRING"),
      ("a STRING\n// x\n, b STRING", "a STRING,\n// x\nb STRING"),
      ("a STRING, /* x */\nb STRING", "a STRING, /* x */\nb STRING"),
      ("a STRING /* x */ // y\n", "a STRING /* x */ // y"),
      ("a STRING /* x\ny */ QUERYABLE", "/* x\ny */\na STRING QUERYABLE"),
      ("a // x\nSTRING // y", "// x\n// y\na STRING"), ("// x\n// y\na STRING", "// x\n// y\na STRING"),
      ("// x\n\n// y\na STRING", "// x\n\n// y\na STRING"), ("\n\n// x\na STRING", "// x\na STRING"),
      ("// x\n\n\n\n// y\n\na STRING", "// x\n\n// y\na STRING"),
      ("/* x */ /* y */ a STRING", "/* x */\n/* y */\na STRING"),
      ("a STRING\n// x", "a STRING\n// x"), ("a STRING\n// x\n\n// y", "a STRING\n// x\n\n// y"),
      ("a STRING /* x  \r\n y */", "/* x  \n y */\na STRING"),
      ("a STRING /* x  \r y */", "/* x  \n y */\na STRING"),
      ("// x\r\r// y\ra STRING", "// x\n\n// y\na STRING"),
      ("a STRING, // x\rb STRING", "a STRING, // x\nb STRING"), ("a STRING // x \t", "a STRING // x"),
      (
        "GRANT READ TO \"_world\", // x\nGRANT WRITE TO \"_world\" /* y */",
        "// x\n/* y */\nGRANT READ, WRITE TO \"_world\""
      ),
      (
        "GRANT READ TO \"_world\" /* x */, GRANT WRITE TO \"_world\" // y",
        "GRANT READ, WRITE TO \"_world\" /* x */ // y"
      ),
    ])
  func places(_ members: String, _ expected: String) {
    let formatted = SchemaFormatter.format(parse(schema(members)))
    let body = formatted.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(3).dropLast(2)
    expectNoDifference(body.map { $0.replacing(/^ {8}/, with: "") }.joined(separator: "\n"), expected)
  }

  @Test(
    "comments around statements stay where they are",
    arguments: [
      ("// x\nDEFINE SCHEMA", "// x\nDEFINE SCHEMA\n"), ("// x\n\nDEFINE SCHEMA", "// x\n\nDEFINE SCHEMA\n"),
      ("// x\n\n// y\nDEFINE SCHEMA", "// x\n\n// y\nDEFINE SCHEMA\n"),
      ("// x\n// y\n\n\nDEFINE SCHEMA // z", "// x\n// y\n\nDEFINE SCHEMA // z\n"),
      ("DEFINE SCHEMA\n// x", "DEFINE SCHEMA\n\n    // x\n"),
      ("DEFINE SCHEMA // x\n\n// y", "DEFINE SCHEMA // x\n\n    // y\n"),
      (
        "DEFINE SCHEMA CREATE ROLE a; // x\n// y\nCREATE ROLE b;",
        "DEFINE SCHEMA\n\n    CREATE ROLE a; // x\n    // y\n    CREATE ROLE b;\n"
      ),
      (
        "DEFINE SCHEMA RECORD TYPE A ( a STRING ); /* x */\n/* y */",
        "DEFINE SCHEMA\n\n    RECORD TYPE A (\n        a STRING\n    ); /* x */\n\n    /* y */\n"
      ),
      (
        "DEFINE SCHEMA RECORD TYPE A ( /* x */ ); CREATE ROLE r;",
        "DEFINE SCHEMA\n\n    CREATE ROLE r;\n\n    RECORD TYPE A ( /* x */\n    );\n"
      ),
    ])
  func statements(_ text: String, _ expected: String) {
    expectNoDifference(SchemaFormatter.format(parse(text)), expected)
  }
}

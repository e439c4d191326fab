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
}

import CustomDump
import Diagnostics
import SchemaLanguage
import Testing

@Suite("Merge") struct MergeTests {
  private let base = """
    // The app's schema.
    DEFINE SCHEMA

        CREATE ROLE Team;

        // Notes of a person.
        RECORD TYPE Note (
            "___createTime" TIMESTAMP SORTABLE, // for the listing
            title           STRING QUERYABLE SORTABLE,
            // celestra:ignore CK0306 a pseudonym
            userID          STRING,
            GRANT READ, WRITE TO Team
        );

    """

  @Test("the comments of both files stay, and what the second repeats stays once")
  func comments() {
    let delta = """
      // The app's schema.
      // Additions.
      DEFINE SCHEMA
      // New in May.
      CREATE ROLE Admin;
      RECORD TYPE Note (
        "___createTime" TIMESTAMP,
        "to" STRING, // who gets it
        title STRING /* shown first */,
        GRANT READ TO "_creator" -- their own
      );
      // A new type.
      RECORD TYPE Folder ( name STRING );
      """
    let merge = MergedSchema(parse(base), parse(delta))
    expectNoDifference(
      merge.text,
      """
      // The app's schema.
      // Additions.
      DEFINE SCHEMA

          CREATE ROLE Team;
          // New in May.
          CREATE ROLE Admin;

          // A new type.
          RECORD TYPE Folder (
              name STRING
          );

          // Notes of a person.
          RECORD TYPE Note (
              "___createTime" TIMESTAMP SORTABLE, // for the listing
              title           STRING QUERYABLE SORTABLE, /* shown first */
              "to"            STRING, // who gets it
              // celestra:ignore CK0306 a pseudonym
              userID          STRING,
              GRANT READ, WRITE TO Team,
              GRANT READ TO "_creator" -- their own
          );

      """)
    expectNoDifference(merge.diagnostics(SchemaPolicy(.additive)), [])
    expectNoDifference(SchemaFormatter.format(parse(merge.text)), merge.text)
    #expect(parse(merge.text).schema.normalized == merge.schema.normalized)
  }

  @Test("what is more than an addition is reported, and refused by the additive policy")
  func changes() {
    let delta = parse(schema("title INT64,\nGRANT READ TO Team").replacing("TYPE T", with: "TYPE Note"))
    let merge = MergedSchema(parse(base), delta)
    expectNoDifference(
      merge.diagnostics(.none).map { "\($0.code) \($0.severity) \($0.pointedAt)" },
      ["CK0410 warning title INT64", "CK0410 warning Note"])
    #expect(merge.diagnostics(SchemaPolicy(.additive)).allSatisfy { $0.code == "CK0411" })
    #expect(merge.text.contains("title           INT64 QUERYABLE SORTABLE,"))
  }

  @Test(
    "a field that changes its type keeps the options that the new type allows, and no other",
    arguments: [
      ("STRING QUERYABLE SEARCHABLE SORTABLE", "TIMESTAMP", "TIMESTAMP QUERYABLE SORTABLE"),
      ("STRING QUERYABLE SEARCHABLE", "LIST<STRING>", "LIST<STRING> QUERYABLE SEARCHABLE"),
      ("STRING QUERYABLE SORTABLE", "ENCRYPTED STRING", "ENCRYPTED STRING"),
      ("INT64 SORTABLE", "DOUBLE QUERYABLE", "DOUBLE QUERYABLE SORTABLE"),
      ("INT64 QUERYABLE", "ASSET", "ASSET"),
    ])
  func options(before: String, delta: String, after: String) {
    let merge = MergedSchema(parse(schema("a \(before)")), parse(schema("a \(delta)")))
    #expect(merge.text.contains("        a \(after)\n"), "\(merge.text)")
    #expect(!SchemaValidator.diagnostics(parse(merge.text)).hasErrors)
  }

  private static let etag = #""___etag" STRING SORTABLE"#

  @Test(
    "what one side left as in the ancestor takes the state of the other, whichever it is",
    arguments: [
      ("a STRING, b BYTES", "a STRING, b BYTES, c BYTES", "a STRING SORTABLE", "a STRING SORTABLE, c BYTES"),
      ("a INT64 QUERYABLE", "a INT64", "a INT64 QUERYABLE SORTABLE", "a INT64 SORTABLE"),
      ("a STRING SEARCHABLE", "a INT64", "a STRING SEARCHABLE, b BYTES", "a INT64, b BYTES"),
      ("GRANT READ TO a", "a BYTES", "b BYTES, GRANT READ TO a", "a BYTES, b BYTES"),
      ("a BYTES", #"a BYTES, "___etag" STRING"#, etag, etag),
      (#"a BYTES, "___etag" STRING"#, "a BYTES", etag, etag),
    ])
  func ancestor(former: String, one: String, other: String, both: String) {
    for (ours, theirs) in [(one, other), (other, one)] {
      let merge = MergedSchema(parse(schema(ours)), parse(schema(theirs)), ancestor: parse(schema(former)))
      expectNoDifference(merge.conflicts, [])
      expectNoDifference(merge.schema.normalized, parse(schema(both)).schema.normalized)
    }
  }

  @Test("a merge with itself is its canonical form", arguments: BundledSchema.all)
  func itself(file: BundledSchema) throws {
    let parsed = try file.parse()
    expectNoDifference(MergedSchema(parsed, parsed).text, SchemaFormatter.format(parsed))
  }
}

import CustomDump
import Diagnostics
import SchemaLanguage
import Testing

@Suite("Canonical form") struct CanonicalTests {
  private static let canonical = """
    DEFINE SCHEMA

        CREATE ROLE mods;
        CREATE ROLE Admin;

        RECORD TYPE CD_Item (
            CD_name         STRING QUERYABLE SEARCHABLE SORTABLE,
            "___createTime" TIMESTAMP,
            "___recordID"   REFERENCE QUERYABLE,
            alpha           LIST<ENCRYPTED STRING>,
            "grant"         NUMBER PREFERRED AS INT64,
            GRANT READ, CREATE, WRITE TO Admin,
            GRANT WRITE TO "_creator",
            GRANT CREATE TO "_icloud",
            GRANT READ TO "_world",
            GRANT READ TO mods
        );

        RECORD TYPE Users (
            roles LIST<INT64>,
            GRANT READ TO "_world"
        );

        RECORD TYPE "cloudkit.share" (
            "cloudkit.title" STRING,
            GRANT WRITE TO "_creator"
        );

    """

  @Test("an export prints as itself, byte for byte")
  func export() throws {
    expectNoDifference(try Schema(parsing: Self.canonical).canonicalText, Self.canonical)
    expectNoDifference(SchemaFormatter.format(parse(Self.canonical)), Self.canonical)
  }

  @Test("order, layout, quotes, case and split grants do not matter")
  func disorder() throws {
    let messy = """
      -- header
      define schema
      RECORD TYPE "cloudkit.share"("cloudkit.title" STRING,GRANT WRITE TO "_creator");
      RECORD TYPE Users(GRANT READ TO "_world","roles" LIST <INT64>);CREATE ROLE mods;create role "Admin";
      RECORD TYPE "CD_Item" (
      "grant" NUMBER PREFERRED AS INT64, GRANT READ TO mods, GRANT READ TO Admin, GRANT WRITE, CREATE TO Admin,
      alpha LIST<ENCRYPTED STRING>, GRANT READ TO "_world", GRANT CREATE TO "_icloud", GRANT WRITE TO "_creator",
      "___recordID" REFERENCE QUERYABLE, "___createTime" TIMESTAMP, CD_name STRING SORTABLE SEARCHABLE QUERYABLE
      );
      """
    expectNoDifference(try Schema(parsing: messy).canonicalText, Self.canonical)
  }

  @Test("words of the grammar that no export shows bare get quotes, in a text as in an export")
  func grammarWords() throws {
    func text(_ to: String, _ from: String) -> String {
      """
      DEFINE SCHEMA

          RECORD TYPE T (
              asset     ASSET,
              \(from) STRING,
              location  LOCATION,
              role      STRING,
              timestamp TIMESTAMP,
              \(to) STRING,
              type      STRING
          );

      """
    }
    let quoted = text("\"to\"     ", "\"from\"   ")
    expectNoDifference(SchemaFormatter.format(parse(quoted)), quoted)
    let bare = parse(text("to       ", "from     "))
    expectNoDifference(SchemaFormatter.format(bare), quoted)
    expectNoDifference(bare.schema.canonicalText, quoted)
    let words = ["as", "bytes", "create", "define", "double", "encrypted", "int64", "list", "number", "read"]
    let more = words + ["record", "reference", "schema", "string", "write"]
    for word in more {
      let parsed = parse("DEFINE SCHEMA\nRECORD TYPE \(word) ( \(word) STRING, \"type\" STRING );\n")
      let formatted = SchemaFormatter.format(parsed)
      #expect(formatted.contains("TYPE \"\(word)\" (\n") && formatted.contains("        \"\(word)\" "))
      #expect(formatted.contains(" type "))
      expectNoDifference(parsed.schema.canonicalText, formatted)
    }
  }

  @Test("an empty schema is its header")
  func empty() throws {
    #expect(try Schema(parsing: "DEFINE SCHEMA").canonicalText == "DEFINE SCHEMA\n")
  }

  @Test(
    "the schemas of the project are canonical and without an error or a warning", arguments: BundledSchema.all
  )
  func bundled(file: BundledSchema) throws {
    let parsed = try file.parse()
    expectNoDifference(SchemaFormatter.format(parsed), parsed.source.text(in: 0..<parsed.source.bytes.count))
    let found = SchemaLinter.diagnostics(parsed).filter { $0.severity >= .warning }
    expectNoDifference(TextRenderer().render(found).description, "")
  }

  @Test("the tool's own queries have their indexes")
  func ownQueries() throws {
    let queries = QueryManifest(parsing: try BundledSchema.source("tool-queries.json"))
    expectNoDifference(queries.diagnostics.map(\.message), [])
    let found = SchemaLinter.diagnostics(
      try BundledSchema("celestra.ckdb").parse(), LintOptions(queries: queries))
    expectNoDifference(TextRenderer().render(found).description, "")
  }
}

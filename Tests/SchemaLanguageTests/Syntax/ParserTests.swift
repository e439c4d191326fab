import CustomDump
import Diagnostics
import SchemaLanguage
import Testing

@Suite("Parser") struct ParserTests {
  @Test(
    "every data type is read",
    arguments: [
      ("BYTES", DataType.bytes), ("STRING", .string), ("DOUBLE", .double), ("INT64", .int64),
      ("LOCATION", .location), ("TIMESTAMP", .timestamp), ("ASSET", .asset), ("REFERENCE", .reference),
      ("NUMBER", .scalar(.number(preferred: nil))),
      ("NUMBER PREFERRED AS INT64", .scalar(.number(preferred: .int64))),
      ("NUMBER PREFERRED AS DOUBLE", .scalar(.number(preferred: .double))),
      ("ENCRYPTED LOCATION", .scalar(.encrypted(.location))),
      ("LIST<STRING>", .list(.plain(.string))), ("LIST < ENCRYPTED BYTES >", .list(.encrypted(.bytes))),
      ("LIST<ASSET>", .list(.asset)), ("LIST<REFERENCE>", .list(.reference)),
      ("LIST<NUMBER PREFERRED AS INT64>", .list(.number(preferred: .int64))),
    ])
  func types(text: String, type: DataType) {
    let parsed = parse(schema("f \(text)"))
    expectNoDifference(parsed.diagnostics.map(\.message), [])
    expectNoDifference(parsed.schema.recordTypes.first?.fields, [Field("f", type)])
  }

  @Test("keywords are ordinary names wherever a name stands")
  func contextualKeywords() {
    let names = [
      "timestamp", "location", "asset", "type", "list", "role", "read", "record", "create", "schema", "to",
    ]
    let parsed = parse(schema(names.map { "\($0) TIMESTAMP QUERYABLE SORTABLE" }.joined(separator: ",\n")))
    expectNoDifference(parsed.diagnostics.map(\.message), [])
    expectNoDifference(parsed.schema.recordTypes.first?.fields.map(\.name), names)
  }

  @Test("reserved words and system names are names when quoted")
  func quotedNames() {
    let names = [
      "grant", "preferred", "queryable", "sortable", "searchable", "___recordID", "cloudkit.title", "plain",
    ]
    let parsed = parse(schema(names.map { "\"\($0)\" STRING" }.joined(separator: ",\n")))
    expectNoDifference(parsed.diagnostics.map(\.message), [])
    expectNoDifference(parsed.schema.recordTypes.first?.fields.map(\.name), names)
  }

  @Test("grants list privileges, several share a line, and roles may be quoted")
  func grants() {
    let parsed = parse(
      """
      DEFINE SCHEMA
      CREATE ROLE Mods;
      RECORD TYPE T (
        f STRING,
        GRANT READ TO "_world", GRANT CREATE TO "_icloud", GRANT READ, CREATE, WRITE TO "Mods"
      );
      """)
    expectNoDifference(parsed.diagnostics.map(\.message), [])
    expectNoDifference(
      parsed.schema,
      Schema(
        roles: [Role("Mods")],
        recordTypes: [
          RecordType(
            "T", fields: [Field("f", .string)],
            grants: [
              Grant([.read], to: "_world"), Grant([.create], to: "_icloud"),
              Grant([.read, .create, .write], to: "Mods"),
            ])
        ]))
  }

  @Test("comments of every form, carriage returns and tabs mean nothing")
  func trivia() {
    let parsed = parse(
      "// a \"quote (\r\nDEFINE -- b\r\n/* c\r\n ; */ SCHEMA\r\nRECORD TYPE T ( // d\r\n\tf STRING, -- e, )\r\n\tg INT64/*f*/\r\n);\r\n// end"
    )
    expectNoDifference(parsed.diagnostics.map(\.message), [])
    #expect(parsed.comments.count == 7)
    expectNoDifference(parsed.schema.recordTypes.first?.fields.map(\.name), ["f", "g"])
  }

  @Test("with the line ends of old Macs, no declaration after a comment is lost")
  func carriageReturns() {
    let text = "// a\nDEFINE SCHEMA -- b\nRECORD TYPE T ( // c\n  f STRING,\n  # d\n  g INT64\n);\n"
    for ending in ["\n", "\r\n", "\r"] {
      let parsed = parse(text.replacing("\n", with: ending))
      #expect(parsed.comments.count == 3)
      expectNoDifference(parsed.schema.recordTypes.first?.fields.map(\.name), ["f", "g"])
      #expect(parsed.source.lineNumber(at: parsed.source.bytes.count - ending.utf8.count) == 7)
      expectNoDifference(
        parsed.diagnostics.map { [$0.range?.start.line, $0.range?.start.column] }, [[5, 3]], "\(ending.utf8)")
    }
  }

  @Test("a byte order mark is accepted and reported")
  func byteOrderMark() {
    let parsed = parse("\u{FEFF}" + schema("f STRING"))
    expectNoDifference(parsed.diagnostics.codes, ["CK0103"])
    #expect(parsed.schema.recordTypes.count == 1)
  }

  @Test("lower-case keywords are accepted and reported once")
  func keywordCase() {
    let parsed = parse("define schema record type T ( f string queryable );")
    expectNoDifference(parsed.diagnostics.codes, ["CK0113"])
    #expect(parsed.diagnostics.first?.severity == .warning)
    expectNoDifference(parsed.schema.recordTypes.first?.fields, [Field("f", .string, [.queryable])])
  }

  @Test("ten thousand lists in a list cost no stack")
  func nesting() {
    let depth = 10_000
    let parsed = parse(
      schema(
        "f " + String(repeating: "LIST<", count: depth) + "STRING" + String(repeating: ">", count: depth)))
    expectNoDifference(parsed.diagnostics.codes, ["CK0107"])
  }
}

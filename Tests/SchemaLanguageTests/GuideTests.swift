import CustomDump
import Diagnostics
import Foundation
import Testing

@testable import SchemaLanguage

@Suite("The page of a schema") struct GuideTests {
  private let text = """
    // Notes | of <people>.
    DEFINE SCHEMA
    CREATE ROLE Editor;
    // A note. It is short.
    RECORD TYPE Note (
      "___recordID" REFERENCE QUERYABLE,
      // celestra:ignore CK0306 a pseudonym
      authorID STRING, // who wrote it
      folder REFERENCE QUERYABLE,
      noteSeriesRecordName STRING, /* the NoteSeries it is part of */
      tags LIST<STRING>,
      GRANT WRITE TO "_creator", GRANT READ TO "_world", GRANT READ, CREATE, WRITE TO Editor
    );
    RECORD TYPE NoteFolder ( name STRING );
    RECORD TYPE NoteSeries ( name ENCRYPTED STRING );
    RECORD TYPE Users ( roles LIST<INT64> );
    """

  @Test("types, fields with their meaning, grants in words, and what refers to what")
  func page() {
    let page = SchemaGuide(parse(text), title: "Schema notes").markdown.description
    for part in [
      "# Schema notes\n", "Notes \\| of &lt;people&gt;.\n", "Roles: `Editor`.\n",
      "| `Note` | 4 | A note. |\n| `NoteFolder` | 1 |  |\n| `NoteSeries` | 1 |  |\n| `Users` | 1 |  |\n",
      "## Note\n\nA note. It is short.\n\nAnyone may read. The creator of a record may change and delete. "
        + "The role Editor may read, create, change and delete.\n",
      "| `authorID` | `STRING` |  | who wrote it |\n",
      "| `folder` | `REFERENCE` | QUERYABLE | → `NoteFolder` |\n",
      "| `noteSeriesRecordName` | `STRING` |  | the NoteSeries it is part of → `NoteSeries` |\n",
      "Indexed system fields: `___recordID` (QUERYABLE).\n", "Referred to by `Note.folder`.\n",
      "## NoteFolder\n\nNo role has access in the public database.\n",
    ] { #expect(page.contains(part), "\(part) in\n\(page)") }
    #expect(!page.contains("celestra:ignore"))
  }

  @Test("a type is not linked to itself by its own id, and a name alone is not enough without Id or Ref")
  func noLinks() {
    let schema = parse(
      """
      DEFINE SCHEMA
      RECORD TYPE Challenge ( challengeId STRING, sharedChallengeID STRING, coach STRING, userId STRING );
      RECORD TYPE Coach ( parentId INT64, challenge STRING );
      """)
    expectNoDifference(schema.relations(), [])
  }

  @Test("the project declares relations, which win over names")
  func declared() throws {
    let parsed = parse(
      "DEFINE SCHEMA RECORD TYPE Message ( to STRING, folderId STRING ); RECORD TYPE Class ( a STRING ); RECORD TYPE Folder ( a STRING );"
    )
    let read = LintConfiguration.read(
      SourceText(
        name: "c.json",
        #"{"schema": {"relations": {"Message.to": "Class", "Message.folderId": "Class", "x": "Class", "Class.a": 7}}}"#
      ))
    expectNoDifference(
      read.diagnostics.map(\.message),
      ["expected a field such as \"Message.to\"", "expected the name of a record type"])
    expectNoDifference(
      parsed.relations(read.configuration.relations).map { "\($0.field) \($0.target)" },
      ["to Class", "folderId Class"])
    expectNoDifference(parsed.unknownRelations(read.configuration.relations).count, 0)
    let wrong = LintConfiguration.read(
      SourceText(name: "c.json", #"{"schema.relations": {"Message.too": "Class", "Message.to": "Clas"}}"#))
    expectNoDifference(
      parsed.unknownRelations(wrong.configuration.relations).map { "\($0.message) | \($0.help ?? "")" },
      [
        "the schema has no field 'Message.too' | did you mean \"Message.to\"?",
        "no record type is named 'Clas' | did you mean \"Class\"?",
      ])
  }

  @Test("a field refers to the one type that its comment names, that has its words, or that ends with them")
  func targets() {
    let schema = parse(
      """
      DEFINE SCHEMA
      RECORD TYPE Note (
        a REFERENCE, // a Page or a Folder
        b REFERENCE, // the Page, as every Note
        page REFERENCE, folder REFERENCE, noteFolderRef STRING, noteID STRING, tag REFERENCE, folderID INT64,
        pageIds LIST<STRING>, parentId STRING, label STRING, // -> BookTag
        other STRING // see Page
      );
      RECORD TYPE Page ( x STRING );
      RECORD TYPE Folder ( x STRING );
      RECORD TYPE NoteFolder ( x STRING );
      RECORD TYPE BookTag ( x STRING );
      RECORD TYPE FilmTag ( x STRING );
      RECORD TYPE FilmPage ( x STRING );
      """)
    let links = schema.relations().map { "\($0.field) \($0.target)" }
    expectNoDifference(
      links,
      [
        "b Page", "page Page", "folder Folder", "noteFolderRef NoteFolder", "pageIds Page", "parentId Note",
        "label BookTag",
      ])
    expectNoDifference(schema.relations().filter(\.isToMany).map(\.field), ["pageIds"])
  }

  @Test("a diagram has the fields and the links, and is split past forty types")
  func diagram() {
    let guide = SchemaGuide(parse(text), title: "x")
    expectNoDifference(
      guide.rendered(as: .mermaid, .plain).description,
      """
      erDiagram
        "Note" {
          STRING authorID
          REFERENCE folder
          STRING noteSeriesRecordName
          STRING[] tags
        }
        "NoteFolder" {
          STRING name
        }
        "NoteSeries" {
          ENCRYPTED_STRING name
        }
        "Note" }o--|| "NoteFolder" : "folder"
        "Note" }o--|| "NoteSeries" : "noteSeriesRecordName"

      """)
    func diagrams(_ count: Int) -> Int {
      let types = (0..<count).map { "RECORD TYPE T\($0) ( f STRING );" }.joined()
      let page = SchemaGuide(parse("DEFINE SCHEMA " + types), title: "x").markdown.description
      return page.components(separatedBy: "```mermaid").count - 1
    }
    expectNoDifference([40, 41, 81].map(diagrams), [1, 2, 3])
  }

  @Test("the pages in Documentation are those of the project's schemas", arguments: BundledSchema.all)
  func committed(file: BundledSchema) throws {
    let name = SchemaGuide.name(of: file.name)
    let page = SchemaGuide(try file.parse(), title: "Schema \(name)").markdown.description
    let path = BundledSchema.root.appendingPathComponent("Documentation/schemas/\(name).md")
    if ProcessInfo.processInfo.environment["RECORD_DOCUMENTATION"] == "1" {
      try Data(page.utf8).write(to: path)
    }
    expectNoDifference(try String(contentsOf: path, encoding: .utf8), page)
  }

  @Test(
    "a field refers to a type that settings, its comment or its name mean",
    arguments: [
      ("x STRING // -> Page", "Page"), ("x STRING // see → Page, Folder", "Page"),
      ("x STRING // -> Nothing", nil),
      ("x STRING // -> Users", nil), ("x INT64 // -> Page", nil), ("x LIST<STRING> // -> Page", "Page many"),
      ("pageId STRING", "Page"), ("pageID STRING", "Page"), ("page_ref STRING", "Page"),
      ("pageReference STRING", "Page"),
      ("pageRecordName STRING", "Page"), ("pageRecordID STRING", "Page"),
      ("pageIds LIST<STRING>", "Page many"),
      ("pageId ENCRYPTED STRING", "Page"), ("pageId INT64", nil), ("page STRING", nil), ("id STRING", nil),
      ("recordName STRING", nil),
      ("recordId STRING", nil), ("noteId STRING", nil), ("noteRef REFERENCE", "Note"),
      ("parent REFERENCE", "Note"), ("parentId STRING", "Note"),
      ("page REFERENCE", "Page"), ("folder REFERENCE", "NoteFolder"), ("mainPage REFERENCE", "Page"),
      ("tag REFERENCE", nil), ("tagId STRING", nil),
      ("folderId STRING", nil), ("noteFolderId STRING", "NoteFolder"), ("x REFERENCE // the Page", "Page"),
      ("x REFERENCE // Page or NoteFolder", nil),
      ("tag REFERENCE // of a Note", nil), ("page REFERENCE // a NoteFolder of the Note", "NoteFolder"),
      ("x STRING // the Page", nil),
      ("\"___createdBy\" REFERENCE // -> Page", nil), ("users REFERENCE", nil),
    ] as [(String, String?)])
  func relation(_ field: String, _ target: String?) {
    let schema = parse(
      """
      DEFINE SCHEMA
      RECORD TYPE Note ( \(field)
      );
      RECORD TYPE Page ( a BYTES );
      RECORD TYPE NoteFolder ( a BYTES );
      RECORD TYPE BookTag ( a BYTES );
      RECORD TYPE FilmTag ( a BYTES );
      RECORD TYPE Users ( a BYTES );
      """)
    #expect(schema.relations().map { $0.target + ($0.isToMany ? " many" : "") }.first == target)
  }

  @Test("a type named Parent is what 'parent' means, and a declared target must exist")
  func parents() {
    let schema = parse(
      "DEFINE SCHEMA RECORD TYPE A ( parentId STRING, x STRING ); RECORD TYPE Parent ( a BYTES );")
    #expect(schema.relations().map(\.target) == ["Parent"])
    let place = schema.source.range(0..<0)
    let declared = [
      DeclaredRelation(key: "A.x", target: "Gone", place: place),
      DeclaredRelation(key: "A.parentId", target: "A", place: place),
      DeclaredRelation(key: "A.parentId", target: "Parent", place: place),
    ]
    #expect(schema.relations(declared).map { "\($0.field) \($0.target)" } == ["parentId A"])
  }

  @Test(
    "grants are explained in words, from everyone to the smallest group",
    arguments: [
      ("", "No role has access in the public database."), ("GRANT READ TO \"_world\"", "Anyone may read."),
      ("GRANT CREATE, READ TO \"_icloud\"", "Anyone who is signed in may read and create."),
      ("GRANT WRITE TO \"_creator\"", "The creator of a record may change and delete."),
      ("GRANT WRITE, CREATE TO B", "The role B may create, change and delete."),
      (
        "GRANT READ TO B, GRANT READ TO A, GRANT READ TO \"_creator\", GRANT READ TO \"_icloud\", GRANT READ TO \"_world\"",
        "Anyone may read. Anyone who is signed in may read. The creator of a record may read. The role A may read. The role B may read."
      ), ("GRANT READ TO A, GRANT CREATE TO A", "The role A may read and create."),
    ])
  func grants(_ grants: String, _ words: String) {
    let parsed = parse(
      "DEFINE SCHEMA CREATE ROLE A; CREATE ROLE B; RECORD TYPE T ( a STRING\(grants.isEmpty ? "" : ", ")\(grants) );"
    )
    #expect(parsed.schema.recordTypes[0].grantWords == words)
  }

  @Test("the page of a small schema, as a whole")
  func wholePage() {
    let parsed = parse(
      """
      /* The notes. */
      DEFINE SCHEMA
      RECORD TYPE Users ( roles LIST<INT64> );
      // A note. Short.
      RECORD TYPE Note (
        "___modTime" TIMESTAMP SORTABLE QUERYABLE, "___etag" STRING,
        z STRING SORTABLE QUERYABLE, /* * the * last */ pages LIST<REFERENCE>, // -> Page all of them
        GRANT READ TO "_world" );
      RECORD TYPE Page ( "___recordID" REFERENCE );
      """)
    let expected = """
      # Notes

      Made by `celestra-admin schema docs`; change the schema and not this page.

      The notes.

      | Record type | Fields | Holds |
      | --- | --- | --- |
      | `Note` | 2 | A note. |
      | `Page` | 0 |  |
      | `Users` | 1 |  |

      ```mermaid
      erDiagram
        "Note" {
          STRING z
          REFERENCE[] pages
        }
        "Page"
        "Note" }o--o{ "Page" : "pages"
      ```

      ## Note

      A note. Short.

      Anyone may read.

      | Field | Type | Indexes | Meaning |
      | --- | --- | --- | --- |
      | `pages` | `LIST<REFERENCE>` |  | the last all of them → many `Page` |
      | `z` | `STRING` | QUERYABLE, SORTABLE |  |

      Indexed system fields: `___modTime` (QUERYABLE, SORTABLE).

      ## Page

      No role has access in the public database.

      Referred to by `Note.pages`.

      ## Users

      No role has access in the public database.

      | Field | Type | Indexes | Meaning |
      | --- | --- | --- | --- |
      | `roles` | `LIST<INT64>` |  |  |

      """
    expectNoDifference(SchemaGuide(parsed, title: "Notes").markdown.description, expected)
  }

  @Test(
    "the title is the name of the file",
    arguments: [
      ("a/b.ckdb", "b"), ("b.ckdb", "b"), ("HEAD:schema/b.ckdb", "b"), ("b", "b"),
      ("b.ckdb.txt", "b.ckdb.txt"), ("", ""), ("/", "/"),
    ])
  func titles(_ file: String, _ title: String) { #expect(SchemaGuide.name(of: file) == title) }

  @Test(
    "a diagram changes names that it cannot have, and keeps them as comments",
    arguments: [
      ("pk INT64", "INT64 pk_ \"pk\""), ("FK INT64", "INT64 FK_ \"FK\""),
      ("uk LIST<INT64>", "INT64[] uk_ \"uk\""), ("pka INT64", "INT64 pka"),
      ("\"a.b\" ENCRYPTED STRING", "ENCRYPTED_STRING a_b \"a.b\""),
      ("a NUMBER PREFERRED AS INT64", "NUMBER_PREFERRED_AS_INT64 a"),
    ])
  func attributes(_ field: String, _ line: String) {
    let guide = SchemaGuide(parse("DEFINE SCHEMA RECORD TYPE T ( \(field) );"), title: "x")
    expectNoDifference(
      guide.rendered(as: .mermaid, .plain).description, "erDiagram\n  \"T\" {\n    \(line)\n  }\n")
  }

  @Test(
    "a comment's words are those between its marks",
    arguments: [
      ("//Notes", "Notes"), ("// Notes  of\tall ", "Notes of all"), ("--Notes", "Notes"),
      ("/*Notes*/", "Notes"), ("/** Notes */", "Notes"), ("/*\n * Notes\n * of all\n */", "Notes of all"),
      ("//// Notes ----", "Notes"), ("// a - b", "a b"), ("// celestra:ignore CK0203 x", ""),
    ])
  func commentWords(_ comment: String, _ words: String) {
    let page = SchemaGuide(
      parse("DEFINE SCHEMA\nRECORD TYPE T (\n\(comment)\nname STRING\n);"), title: "S"
    ).markdown.description
    #expect(page.contains("| `name` | `STRING` |  | \(words) |\n"), "\(page)")
  }
}

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
    RECORD TYPE NoteFolder ( name STRING, GRANT CREATE TO "_creator" );
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
      "## NoteFolder\n\nNo role has access in the public database. CREATE for",
      "allows nothing: a record that does not exist yet has no creator.\n",
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
    expectNoDifference(read.configuration.unknownRelations(in: [parsed]).count, 0)
    let wrong = LintConfiguration.read(
      SourceText(
        name: "c.json",
        #"{"schema.relations": {"Message.too": "Class", "Message.to": "Clas", "Message.folderId": "cloudkit.share", "Folder.a": "Users"}}"#
      )
    )
    expectNoDifference(
      wrong.configuration.unknownRelations(in: [parsed]).map { "\($0.message) | \($0.help ?? "")" },
      [
        "the schema has no field 'Message.too' | did you mean \"Message.to\"?",
        "no record type is named 'Clas' | did you mean \"Class\"?",
        "a relation is to a type of the app, not to 'cloudkit.share' | ",
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
}

import CloudKitModel
import Diagnostics
import Foundation
import SchemaLanguage
import Testing

@testable import People

@Suite("The declaration of what is moderated") struct ModerationDeclarationTests {
  private static var root: URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
  }

  static func liveSessionsText() throws -> String {
    try String(contentsOf: root.appending(path: "schema/live-sessions.ckdb"), encoding: .utf8)
  }

  private static func liveSessions() throws -> Schema { try Schema(parsing: liveSessionsText()) }

  private func load(_ text: String) -> (declaration: ModerationDeclaration, diagnostics: [Diagnostic]) {
    ModerationDeclaration.load(SourceText(name: "moderation.json", text))
  }

  @Test(
    "the example of a rule has its finding, the file to use instead has none", arguments: ModerationRule.rules
  )
  func example(rule: Rule) throws {
    func codes(_ text: String) throws -> [String] {
      let (declaration, diagnostics) = load(text)
      let found = diagnostics.hasErrors ? [] : declaration.check(against: try Self.liveSessions())
      return (diagnostics + found).map(\.code)
    }
    #expect(try codes(rule.example).contains(rule.code))
    #expect(try codes(rule.useInstead) == [])
  }

  @Test("the bundled declaration fits the bundled schema of live sessions")
  func bundled() throws {
    let text = try String(contentsOf: Self.root.appending(path: "schema/moderation.json"), encoding: .utf8)
    let (declaration, diagnostics) = load(text)
    #expect(diagnostics.isEmpty && declaration.types.count == 3)
    #expect(try declaration.check(against: Self.liveSessions()).isEmpty)
  }

  /// An app that has nothing to do with sessions: recipes with comments, whose roles and fields have other names.
  static let recipes = """
    {"types": [
        {"recordType": "Recipe", "texts": ["name", "steps"], "hiddenField": "withdrawn"},
        {"recordType": "Comment", "texts": ["body"], "hiddenField": "withdrawn",
         "thread": {"field": "recipe", "recordType": "Recipe", "sort": "written"}}],
      "reports": {"recordType": "Complaint", "target": "about", "targetType": "kind", "isOpen": "pending"},
      "words": ["Gluten Frei*"], "role": "Steward"}
    """

  static let recipeSchema = """
    DEFINE SCHEMA
      CREATE ROLE Steward;
      RECORD TYPE Recipe ( "___modTime" TIMESTAMP QUERYABLE, "___recordID" REFERENCE QUERYABLE, "___createdBy" REFERENCE QUERYABLE,
        "___createTime" TIMESTAMP QUERYABLE, name STRING, steps STRING, withdrawn INT64 QUERYABLE,
        GRANT READ, WRITE TO Steward, GRANT CREATE TO "_icloud", GRANT WRITE TO "_creator", GRANT READ TO "_world" );
      RECORD TYPE Comment ( "___modTime" TIMESTAMP QUERYABLE, "___recordID" REFERENCE QUERYABLE, "___createdBy" REFERENCE QUERYABLE,
        "___createTime" TIMESTAMP QUERYABLE, body STRING, recipe REFERENCE QUERYABLE,
        withdrawn INT64 QUERYABLE, written TIMESTAMP QUERYABLE SORTABLE,
        GRANT READ, WRITE TO Steward, GRANT CREATE TO "_icloud", GRANT WRITE TO "_creator", GRANT READ TO "_world" );
      RECORD TYPE Complaint ( "___recordID" REFERENCE QUERYABLE, "___createdBy" REFERENCE QUERYABLE,
        "___createTime" TIMESTAMP QUERYABLE, about STRING QUERYABLE, decision STRING QUERYABLE, kind STRING,
        note STRING, pending INT64 QUERYABLE, reason STRING,
        GRANT READ, WRITE TO Steward, GRANT CREATE TO "_icloud" );
    """

  @Test("a schema of another app fits after the lines that the findings show were added")
  func otherApp() throws {
    let (declaration, diagnostics) = load(Self.recipes)
    #expect(diagnostics.isEmpty)
    let lacking = Self.recipeSchema.replacing(/RECORD TYPE Recipe[^;]*;/, with: "")
      .replacing("withdrawn INT64 QUERYABLE,", with: "")
    var findings = declaration.check(against: try Schema(parsing: lacking))
    #expect(Set(findings.map(\.code)) == ["MO0201", "MO0202"])
    let field = try #require(findings.firstIndex { $0.code == "MO0202" })
    #expect(
      findings.remove(at: field).help
        == "in RECORD TYPE Comment write: withdrawn INT64 QUERYABLE,")
    let lines = findings.compactMap(\.help).map { $0.replacing("write: ", with: "") }
    let whole = lacking.replacing("body STRING,", with: "body STRING, withdrawn INT64 QUERYABLE,")
    let complete = try Schema(parsing: ([whole] + lines).joined(separator: "\n"))
    #expect(declaration.check(against: complete).isEmpty)
  }

  @Test("a type without the stamps' indexes is reported with its place and the lines to add")
  func indexes() throws {
    let (declaration, _) = load(Self.recipes)
    let older = Self.recipeSchema.replacing("\"___createTime\" TIMESTAMP QUERYABLE,", with: "")
    let findings = declaration.check(against: try Schema(parsing: older)).filter { $0.code == "MO0204" }
    #expect(findings.map { $0.range?.start.line } == [2, 3, 5])
    #expect(
      findings.first?.help == "in RECORD TYPE Recipe write: \"___createTime\" TIMESTAMP QUERYABLE,")
  }

  @Test(
    "words are found whatever their case and diacritics, whole unless they end with a star",
    arguments: [
      ("free money", "FRÉE  Monéy!", true), ("free money", "freemoney", false), ("scam*", "a SCAMMER", true),
      ("scam", "scammer", false), ("ass", "classic", false), ("naïve", "NAIVE", true),
    ])
  func words(word: String, text: String, isFound: Bool) {
    #expect(ModerationWord(word)?.occurs(in: SearchWords.of(text)) == isFound)
  }
}

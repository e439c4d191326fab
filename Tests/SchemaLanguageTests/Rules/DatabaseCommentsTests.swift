import Testing

@testable import SchemaLanguage

@Suite("Comments about databases") struct DatabaseCommentsTests {
  @Test(
    "a comment states the database, or mentions the private one",
    arguments: [
      ("// celestra:private", "said private"), ("//celestra:public notes", "said public"),
      ("/* celestra:private */", "said private"),
      ("// celestra:private-x", "said private"), ("// celestra:privately", "-"), ("// Celestra:private", "-"),
      ("// see celestra:private", "-"), ("// celestra:", "-"), ("// In the private database.", "mentioned"),
      ("// The PRIVATE CloudKit DB", "mentioned"), ("// private, shared databases", "mentioned"),
      ("// private or shared database", "-"),
      ("// private", "-"), ("// database", "-"), ("// private database, then public database", "-"),
      ("// private database and a public page", "mentioned"),
    ])
  func comments(_ comment: String, _ expected: String) {
    let found = DatabaseComments(parse("DEFINE SCHEMA\n\(comment)\nRECORD TYPE T ( a STRING );"))
    let said = found.ofTypes[0].map { "said \($0)" }
    #expect((said ?? (found.mentionsPrivate(0) ? "mentioned" : "-")) == expected)
    #expect(found.ofFile == nil)
  }

  @Test("a comment above the header is about the file, and one at a field about its type")
  func reach() {
    let file = DatabaseComments(parse("// celestra:public\nDEFINE SCHEMA\nRECORD TYPE T ( a STRING );"))
    #expect(file.ofFile == .public && file.ofTypes.isEmpty)
    let field = DatabaseComments(
      parse(
        "DEFINE SCHEMA CREATE ROLE r; RECORD TYPE S ( a STRING );\nRECORD TYPE T ( a STRING // celestra:private\n);"
      ))
    #expect(field.ofTypes == [1: .private] && field.ofFile == nil)
    let role = DatabaseComments(
      parse("DEFINE SCHEMA CREATE ROLE r; // celestra:private\nRECORD TYPE T ( a STRING );"))
    #expect(role.ofTypes.isEmpty && role.ofFile == nil)
  }
}

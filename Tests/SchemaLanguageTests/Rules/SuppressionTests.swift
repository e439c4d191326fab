import CustomDump
import Diagnostics
import Testing

@testable import SchemaLanguage

@Suite("Suppressions") struct SuppressionTests {
  private func codes(_ text: String) -> [String] { SchemaLinter.diagnostics(parse(text)).codes }

  private let members = "title STRING SORTABLE,\nGRANT WRITE TO \"_icloud\",\nGRANT CREATE TO \"_icloud\""

  @Test("a comment with a reason speaks for its line, the next declaration, or the whole type")
  func reach() {
    expectNoDifference(codes(schema(members)), ["CK0203", "CK0301"])
    let onType = "DEFINE SCHEMA\n// celestra:ignore CK0203, CK0301 a sandbox\nRECORD TYPE T (\n\(members)\n);"
    expectNoDifference(codes(onType), [])
    let onLine = members.replacing("\"_icloud\",", with: "\"_icloud\", // celestra:ignore CK0301 a sandbox\n")
    expectNoDifference(codes(schema(onLine)), ["CK0203"])
    let above = members.replacing("GRANT WRITE", with: "-- celestra:ignore CK0301 a sandbox\nGRANT WRITE")
    expectNoDifference(codes(schema(above)), ["CK0203"])
    expectNoDifference(codes("/* celestra:ignore CK0203 all by name */\n" + schema(members)), ["CK0301"])
  }

  @Test(
    "after a type's end, and before it, a comment speaks for that type and not for the next one",
    arguments: [");// celestra:ignore CK0306 pseudonyms\n", "// celestra:ignore CK0306 pseudonyms\n);\n"])
  func typeEnd(end: String) {
    func type(_ name: String, _ end: String) -> String {
      "RECORD TYPE \(name) (\n\"___recordID\" REFERENCE QUERYABLE,\nuserID STRING,\n"
        + "GRANT CREATE TO \"_icloud\",\nGRANT READ TO \"_world\"\n\(end)"
    }
    let found = SchemaLinter.diagnostics(parse("DEFINE SCHEMA\n" + type("A", end) + type("B", ");\n")))
    expectNoDifference(
      found.map(\.message), ["'B.userID' looks like a person's identifier, and strangers can read it"])
    let oneLine = "DEFINE SCHEMA\n" + type("A", end).replacing("\n\"", with: "\"").replacing(",\n", with: ",")
    expectNoDifference(codes(oneLine + type("B", ");\n")), ["CK0306"])
  }

  @Test("a comment speaks for the role before it, and not for a type that ends where the role begins")
  func roleBehindType() {
    let type = schema(members).replacing(");\n", with: ");")
    let comment = " // celestra:ignore CK0403, CK0301 made by hand\n"
    expectNoDifference(codes(type + "CREATE ROLE Unused;"), ["CK0203", "CK0301", "CK0403"])
    expectNoDifference(codes(type + "CREATE ROLE Unused;" + comment), ["CK0203", "CK0301"])
  }

  @Test("misspelled, at a wrong place, or without a code or a reason, it has no effect and is a finding")
  func reason() {
    let unread = "the comment has no effect, because it does not begin as one for this tool"
    for (comment, found) in [
      ("ignor CK0203 by name", unread), (" ignore CK0203 by name", unread), (" public", unread),
      ("ignore", "the celestra:ignore comment has no code, so it has no effect"),
      ("ignore CK0203", "the celestra:ignore comment has no reason, so it has no effect"),
      ("ignore ck0203 by name", "there is no rule 'ck0203'"),
    ] {
      let text = "// celestra:\(comment)\n" + schema(members)
      expectNoDifference(SchemaLinter.diagnostics(parse(text)).first?.message, found)
    }
    // A single field is not private: what is found of it stays.
    let field = members.replacing("title", with: "userID STRING, // celestra:private\ntitle")
    let found = SchemaLinter.diagnostics(parse(schema(field + ",\nGRANT READ TO \"_world\"")))
    expectNoDifference(found.codes, ["CK0203", "CK0306", "CK0502", "CK0301"])
    expectNoDifference(found[2].help, "move it above a record type, or above DEFINE SCHEMA for all types")
    expectNoDifference(codes(schema("title STRING, /// celestra:private\nbody STRING")).last, "CK0502")
    expectNoDifference(
      codes("// celestra:ignore CK0203 CK0301\n" + schema(members)), ["CK0501", "CK0203", "CK0301"])
  }

  @Test("a finding elsewhere stays")
  func elsewhere() {
    let above = members.replacing("title", with: "// celestra:ignore CK0301 a sandbox\ntitle")
    expectNoDifference(codes(schema(above)), ["CK0203", "CK0503", "CK0301"])
  }

  @Test("an error of syntax or meaning cannot be suppressed")
  func errors() {
    let text = "// celestra:ignore CK0121 on purpose\n" + schema("a STRING,\na STRING")
    expectNoDifference(codes(text), ["CK0121"])
  }
}

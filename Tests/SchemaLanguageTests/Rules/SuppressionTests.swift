import CustomDump
import SchemaLanguage
import Testing

@Suite("Suppressions") struct SuppressionTests {
  private func codes(_ text: String) -> [String] { SchemaLinter.diagnostics(parse(text)).codes }

  private let members = "title STRING,\nGRANT WRITE TO \"_icloud\",\nGRANT CREATE TO \"_icloud\""

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

  @Test("without a reason it has no effect and is a finding")
  func reason() {
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

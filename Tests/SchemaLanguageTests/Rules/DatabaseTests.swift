import CustomDump
import Diagnostics
import Testing

@testable import SchemaLanguage

@Suite("Databases of record types") struct DatabaseTests {
  /// Everything that strangers should not read, granted as a container grants by itself.
  private func type(_ name: String, _ more: String = "", grants: String = defaultGrants) -> String {
    "RECORD TYPE \(name) (\nuserID STRING QUERYABLE,\nhome LOCATION,\napiToken STRING\(more)\(grants)\n);\n"
  }

  private static let defaultGrants =
    ",\nGRANT WRITE TO \"_creator\",\nGRANT CREATE TO \"_icloud\",\nGRANT READ TO \"_world\""

  private func codes(_ types: String, _ patterns: DatabasePatterns = DatabasePatterns()) -> [String] {
    var options = LintOptions()
    options.configuration.databases = patterns
    return SchemaLinter.diagnostics(parse("DEFINE SCHEMA\n" + types), options).codes
  }

  private let all = ["CK0203", "CK0306", "CK0309", "CK0310"]
  /// With a container's own grants, whether the type should be listed is the question of CK0207.
  private let undecided = ["CK0306", "CK0309", "CK0310"]

  @Test("a comment or a setting says it, whatever the text suggests")
  func said() {
    expectNoDifference(codes("// celestra:private\n" + type("Note")), [])
    expectNoDifference(codes(type("Note").dropLast() + " // celestra:private backups\n"), [])
    expectNoDifference(codes("/* Kept in each person's private CloudKit database. */\n" + type("Note")), [])
    expectNoDifference(
      codes("// Copied from the private database to the public database.\n" + type("Note")), undecided)
    expectNoDifference(codes("// celestra:public\n" + type("CD_Note")), all)
    expectNoDifference(codes(type("Note"), DatabasePatterns(privateTypes: [NamePattern("No*")])), [])
    expectNoDifference(codes(type("CD_Note"), DatabasePatterns(publicTypes: [NamePattern("CD_*")])), all)
    let file = SchemaLinter.diagnostics(parse("// celestra:private\nDEFINE SCHEMA\n" + type("A") + type("B")))
    expectNoDifference(file.codes, [])
  }

  @Test("a custom role shows that a type is public, and encrypted fields cannot be there")
  func customRole() {
    let text =
      "DEFINE SCHEMA\nCREATE ROLE Mods;\nRECORD TYPE T (\n\"___recordID\" REFERENCE QUERYABLE,\n"
      + "a ENCRYPTED STRING,\nGRANT CREATE TO Mods\n);\n"
    let found = SchemaLinter.diagnostics(parse(text))
    expectNoDifference(found.codes, ["CK0307"])
    #expect(found.first?.help?.contains("keep it encrypted") == true)
    expectNoDifference(codes(type("T", ",\nb ENCRYPTED STRING") + ""), [])
  }

  @Test("WRITE for strangers is found wherever a type seems to live, unless the team says that it is private")
  func writing() {
    let grants = ",\nGRANT READ, WRITE TO \"_icloud\",\nGRANT CREATE, WRITE TO \"_world\""
    expectNoDifference(codes(type("CD_Note", grants: grants)), ["CK0301", "CK0301", "CK0302"])
    expectNoDifference(codes("// celestra:private\n" + type("CD_Note", grants: grants)), [])
  }

  @Test("a credential with an index is found in private types too")
  func indexed() {
    let text = "RECORD TYPE CD_Login (\nCD_credentialToken STRING QUERYABLE SEARCHABLE SORTABLE\n);\n"
    expectNoDifference(codes(text), ["CK0310"])
    expectNoDifference(codes(text.replacing(" SEARCHABLE SORTABLE", with: "")), ["CK0310"])
    expectNoDifference(
      codes(text.replacing("Token STRING", with: "Token ENCRYPTED STRING")), ["CK0124", "CK0124", "CK0124"])
    expectNoDifference(codes(text.replacing("credentialToken", with: "pageToken")), [])
  }

  @Test(
    "a location is a person's unless the type is a place or only the app's own role makes its records",
    arguments: [
      ("Photo", "location", "CREATE TO \"_icloud\"", true),
      ("Restaurant", "location", "CREATE TO \"_icloud\"", false),
      ("Entity", "g_01", "CREATE TO \"_icloud\"", false),
      ("Restaurant", "lastLocation", "CREATE TO \"_icloud\"", true),
      ("Photo", "spot", "CREATE TO Mods", false),
    ])
  func locations(type: String, field: String, grant: String, isFound: Bool) {
    let text =
      "CREATE ROLE Mods;\nRECORD TYPE \(type) (\n\"___recordID\" REFERENCE QUERYABLE,\n\(field) LOCATION,\n"
      + "GRANT \(grant),\nGRANT READ TO \"_world\",\nGRANT WRITE TO Mods\n);"
    expectNoDifference(codes(text), isFound ? ["CK0309"] : [])
  }

  @Test("two numbers for a place are a location, and a person's details in a type that users create")
  func numbersOfPlaces() {
    func found(_ type: String, _ fields: String) -> [String] {
      codes("RECORD TYPE \(type) (\n\"___recordID\" REFERENCE QUERYABLE,\n\(fields)\(Self.defaultGrants)\n);")
    }
    expectNoDifference(found("Walk", "latitude DOUBLE, longitude DOUBLE"), ["CK0309"])
    expectNoDifference(found("Walk", "home_lat DOUBLE, home_lng DOUBLE"), ["CK0309"])
    expectNoDifference(found("Walk", "latitude DOUBLE"), [])
    expectNoDifference(found("Shop", "latitude DOUBLE, longitude DOUBLE"), [])
    expectNoDifference(found("Person", "dateOfBirth TIMESTAMP, gender STRING"), ["CK0311", "CK0311"])
    expectNoDifference(found("Runner", "birthday TIMESTAMP"), ["CK0311"])
    expectNoDifference(found("PetCard", "birthday TIMESTAMP, gender STRING"), [])
  }

  @Test("the index for listing is added to the line that exists, or as a line of its own")
  func recordID() {
    let line = "\"___recordID\" REFERENCE SORTABLE, // by name"
    let text = schema("\(line)\ntitle STRING,\nGRANT CREATE TO \"_icloud\"")
    let found = SchemaLinter.diagnostics(parse(text))
    expectNoDifference(found.map(\.help), ["add QUERYABLE to this line"])
    let fixed = applyingFixes(found, to: parse(text).source)
    #expect(fixed.contains("\"___recordID\" REFERENCE QUERYABLE SORTABLE, // by name"))
    let without = schema("title STRING SORTABLE,\nGRANT CREATE TO \"_icloud\"")
    let missing = SchemaLinter.diagnostics(parse(without))
    expectNoDifference(missing.map(\.help), ["add the line \"___recordID\" REFERENCE QUERYABLE,"])
    #expect(SchemaLinter.diagnostics(parse(applyingFixes(missing, to: parse(without).source))).isEmpty)
  }
}

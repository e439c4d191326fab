import CustomDump
import Testing

@testable import SchemaLanguage

@Suite("Reading names") struct NameParsingTests {
  private static let types =
    "a type is STRING, INT64, DOUBLE, TIMESTAMP, BYTES, LOCATION, REFERENCE, ASSET or LIST<...>"
  private static let names = "names are letters, digits and '_', and begin with a letter"
  private static let fields = "a field has a name and a type, as in title STRING QUERYABLE"

  @Test(
    "what is a name is read, and what is none is reported",
    arguments: [
      (
        "7 STRING",
        ["7: CK0111 the name '7' does not begin with a letter | \(names)", "type T: \"7\" STRING"]
      ),
      (
        "7",
        [
          "7: CK0111 the name '7' does not begin with a letter | \(names)",
          "): CK0107 expected the type of '7', found ')' | \(types)", "type T: ",
        ]
      ),
      (
        "'f' STRING",
        [
          "'f': CK0110 the field's name is in the wrong quotes: 'f' | write f", "fixed: f STRING",
          "type T: f STRING",
        ]
      ),
      (
        "'f STRING",
        [
          "'f: CK0110 the field's name is in the wrong quotes: 'f | write f", "fixed: f STRING",
          "type T: f STRING",
        ]
      ),
      ("'", ["': CK0104 expected a field or GRANT, found ''' | \(fields)", "type T: "]),
      (
        "`f` STRING",
        [
          "`f`: CK0110 the field's name is in the wrong quotes: `f` | write f", "fixed: f STRING",
          "type T: f STRING",
        ]
      ),
      (
        "`1f` STRING",
        [
          "`1f`: CK0110 the field's name is in the wrong quotes: `1f` | write \"1f\"", "fixed: \"1f\" STRING",
          "type T: \"1f\" STRING",
        ]
      ),
      ("\"\" STRING", ["\"\": CK0111 the name is empty", "type T: \"\" STRING"]),
      (
        "\"a b\" STRING",
        [
          "\"a b\": CK0111 the name 'a b' contains a character that is not allowed in names | \(names)",
          "type T: \"a b\" STRING",
        ]
      ),
      (
        "\"a-b\" STRING",
        [
          "\"a-b\": CK0111 the name 'a-b' contains a character that is not allowed in names | \(names)",
          "type T: \"a-b\" STRING",
        ]
      ),
      (
        "\"1a\" STRING",
        ["\"1a\": CK0111 the name '1a' does not begin with a letter | \(names)", "type T: \"1a\" STRING"]
      ),
      ("\"_a\" STRING", ["type T: \"_a\" STRING"]),
      ("\"a.b\" STRING", ["type T: \"a.b\" STRING"]),
      (
        "a.b STRING",
        [
          "a.b: CK0110 a name with a dot must be quoted | write \"a.b\"", "fixed: \"a.b\" STRING",
          "type T: \"a.b\" STRING",
        ]
      ),
      (
        "a.b-c STRING",
        [
          "a.b-c: CK0111 the name 'a.b-c' contains a character that is not allowed in names | \(names)",
          "type T: \"a.b-c\" STRING",
        ]
      ),
      (".a STRING", [".: CK0104 expected a field or GRANT, found '.' | \(fields)", "type T: "]),
      (
        "_ STRING",
        [
          "_: CK0110 a name with a leading underscore belongs to the system and must be quoted | write \"_\"",
          "fixed: \"_\" STRING", "type T: \"_\" STRING",
        ]
      ),
      (
        "_x STRING",
        [
          "_x: CK0110 a name with a leading underscore belongs to the system and must be quoted | write \"_x\"",
          "fixed: \"_x\" STRING", "type T: \"_x\" STRING",
        ]
      ),
      (
        "_createdBy STRING",
        [
          "_createdBy: CK0111 '_createdBy' is not a name of the system | write \"___createdBy\"",
          "fixed: \"___createdBy\" STRING", "type T: \"___createdBy\" STRING",
        ]
      ),
      (
        "__createdBy REFERENCE",
        [
          "__createdBy: CK0111 '__createdBy' is not a name of the system | write \"___createdBy\"",
          "fixed: \"___createdBy\" REFERENCE", "type T: \"___createdBy\" REFERENCE",
        ]
      ),
      (
        "___createdBy REFERENCE",
        [
          "___createdBy: CK0110 a name with a leading underscore belongs to the system and must be quoted | write \"___createdBy\"",
          "fixed: \"___createdBy\" REFERENCE", "type T: \"___createdBy\" REFERENCE",
        ]
      ),
      (
        "1st STRING",
        ["1st: CK0111 the name '1st' does not begin with a letter | \(names)", "type T: \"1st\" STRING"]
      ),
      (
        "a-b STRING",
        [
          "a-b: CK0111 the name 'a-b' contains a character that is not allowed in names | \(names)",
          "type T: \"a-b\" STRING",
        ]
      ),
      (
        "größe STRING",
        [
          "ö: CK0111 the name has U+00F6 (latin small letter o with diaeresis) at column 3 | names are the letters A to Z and a to z, digits and '_'",
          "type T: \"größe\" STRING",
        ]
      ),
      (
        "a$b STRING",
        [
          "a$b: CK0111 the name 'a$b' contains a character that is not allowed in names | \(names)",
          "type T: \"a$b\" STRING",
        ]
      ),
      (
        "$a STRING",
        ["$a: CK0111 the name '$a' does not begin with a letter | \(names)", "type T: \"$a\" STRING"]
      ),
      ("\"grant\" STRING", ["type T: \"grant\" STRING"]),
      (
        "grant STRING",
        [
          "grant: CK0110 'grant' is a reserved word: as a name it must be quoted | write \"grant\"",
          "fixed: \"grant\" STRING", "type T: \"grant\" STRING",
        ]
      ),
      (
        "preferred STRING",
        [
          "preferred: CK0110 'preferred' is a reserved word: as a name it must be quoted | write \"preferred\"",
          "fixed: \"preferred\" STRING", "type T: \"preferred\" STRING",
        ]
      ),
      (
        "queryable STRING",
        [
          "queryable: CK0110 'queryable' is a reserved word: as a name it must be quoted | write \"queryable\"",
          "fixed: \"queryable\" STRING", "type T: \"queryable\" STRING",
        ]
      ),
      ("record STRING", ["type T: \"record\" STRING"]),
      ("create STRING", ["type T: \"create\" STRING"]),
      (
        "\"f STRING",
        ["\"f: CK0112 the name's closing quote is missing", "fixed: \"f\" STRING", "type T: f STRING"]
      ),
      (
        "cloudkit.title STRING",
        [
          "cloudkit.title: CK0110 a name with a dot must be quoted | write \"cloudkit.title\"",
          "fixed: \"cloudkit.title\" STRING", "type T: \"cloudkit.title\" STRING",
        ]
      ),
      ("\"f.\" STRING", ["type T: \"f.\" STRING"]),
      (
        "___createTme TIMESTAMP",
        [
          "___createTme: CK0111 '___createTme' is not a name of the system | write \"___createTime\"",
          "fixed: \"___createTime\" TIMESTAMP", "type T: \"___createTime\" TIMESTAMP",
        ]
      ),
      (
        "GRANT READ TO _creatoréééé",
        [
          "_creatoréééé: CK0111 '_creatoréééé' is not a name of the system | write \"_creator\"",
          "fixed: GRANT READ TO \"_creator\"", "type T: GRANT READ TO \"_creator\"",
        ]
      ),
      (
        "GRANT READ TO _creatorééé€",
        [
          "_creatorééé€: CK0110 a name with a leading underscore belongs to the system and must be quoted | write \"_creatorééé€\"",
          "fixed: GRANT READ TO \"_creatorééé€\"", "type T: GRANT READ TO \"_creatorééé€\"",
        ]
      ),
      (
        "GRANT READ TO _wrld",
        [
          "_wrld: CK0111 '_wrld' is not a name of the system | write \"_world\"",
          "fixed: GRANT READ TO \"_world\"", "type T: GRANT READ TO \"_world\"",
        ]
      ),
      (
        "GRANT READ TO _modTime",
        [
          "_modTime: CK0110 a name with a leading underscore belongs to the system and must be quoted | write \"_modTime\"",
          "fixed: GRANT READ TO \"_modTime\"", "type T: GRANT READ TO \"_modTime\"",
        ]
      ),
      (
        "_wrld STRING",
        [
          "_wrld: CK0110 a name with a leading underscore belongs to the system and must be quoted | write \"_wrld\"",
          "fixed: \"_wrld\" STRING", "type T: \"_wrld\" STRING",
        ]
      ),
    ] as [(String, [String])])
  func reads(_ members: String, _ expected: [String]) {
    expectNoDifference(reading(ofMembers: members), expected)
  }

  @Test("a name of the language, and one of an app's own")
  func kinds() {
    for (name, isName, isPlain) in [
      ("a", true, true), ("A9_", true, true), ("_a", true, false), ("a.b", true, false), ("9a", false, false),
      ("", false, false),
      ("a-b", false, false), ("é", false, false), (".a", false, false), ("_", true, false),
    ] {
      #expect(Schema.isName(name) == isName, "\(name)")
      #expect(Schema.isPlainName(name) == isPlain, "\(name)")
    }
  }
}

import CustomDump
import Testing

@testable import SchemaLanguage

@Suite("Reading grants") struct GrantParsingTests {
  private static let types =
    "a type is STRING, INT64, DOUBLE, TIMESTAMP, BYTES, LOCATION, REFERENCE, ASSET or LIST<...>"
  private static let grants = #"a grant has privileges, TO and a role, as in GRANT READ, WRITE TO "_creator""#
  private static let names = "names are letters, digits and '_', and begin with a letter"
  private static let options = "the options are QUERYABLE, SORTABLE and SEARCHABLE"

  @Test(
    "what a grant says is read, and each mistake in it is reported with its correction",
    arguments: [
      ("f STRING", ["type T: f STRING"]),
      (
        "GRANT TO",
        [
          "TO: CK0109 expected READ, CREATE or WRITE, found 'TO' | \(grants)",
          "): CK0104 expected the role's name after TO, found ')' | a role is \"_world\", \"_icloud\", \"_creator\" or one that the file creates",
          "type T: ",
        ]
      ),
      (
        "GRANT TO Mods",
        ["TO: CK0109 expected READ, CREATE or WRITE, found 'TO' | \(grants)", "type T: GRANT  TO Mods"]
      ),
      (
        "GRANT TO READ Mods",
        [
          "TO READ: CK0104 TO must come after the privileges, found 'TO READ'", "fixed: GRANT READ TO Mods",
          "type T: GRANT READ TO Mods",
        ]
      ),
      (
        "GRANT TO READ, WRITE Mods",
        [
          "TO READ: CK0104 TO must come after the privileges, found 'TO READ'",
          "type T: GRANT READ, WRITE TO Mods",
        ]
      ),
      ("GRANT", ["): CK0109 expected READ, CREATE or WRITE, found ')' | \(grants)", "type T: "]),
      (
        "GRANT READ",
        [
          "): CK0104 expected TO before the role, found ')' | write TO before the role's name, as in GRANT READ TO \"_world\"",
          "fixed: GRANT READ TO", "type T: ",
        ]
      ),
      ("GRANT READ,", ["): CK0109 expected READ, CREATE or WRITE, found ')' | \(grants)", "type T: "]),
      (
        "GRANT READ Mods",
        [
          "Mods: CK0104 expected TO before the role, found 'Mods' | write TO before the role's name, as in GRANT READ TO \"_world\"",
          "fixed: GRANT READ TO Mods", "type T: GRANT READ TO Mods",
        ]
      ),
      (
        "GRANT READ T Mods",
        [
          "T: CK0104 expected TO before the role, found 'T' | did you mean TO?", "fixed: GRANT READ TO Mods",
          "type T: GRANT READ TO Mods",
        ]
      ),
      (
        "GRANT READ OT Mods",
        [
          "OT: CK0104 expected TO before the role, found 'OT' | did you mean TO?",
          "fixed: GRANT READ TO Mods", "type T: GRANT READ TO Mods",
        ]
      ),
      (
        "GRANT READ TO 7",
        ["7: CK0111 the name '7' does not begin with a letter | \(names)", "type T: GRANT READ TO \"7\""]
      ),
      (
        "GRANT READ TO ;",
        [
          ";: CK0104 expected the role's name after TO, found ';' | a role is \"_world\", \"_icloud\", \"_creator\" or one that the file creates",
          "type T: ",
        ]
      ),
      (
        "GRANT READ FROM Mods, f STRING",
        [
          "FROM: CK0104 expected TO, found 'FROM' | did you mean TO?", "fixed: GRANT READ TO Mods, f STRING",
          "type T: f STRING, GRANT READ TO Mods",
        ]
      ),
      (
        "GRANT READ FROM Mods f STRING",
        [
          "FROM: CK0104 expected TO, found 'FROM' | did you mean TO?", "s: CK0106 missing ',' before 'f'",
          "fixed: GRANT READ TO Mods, f STRING", "type T: f STRING, GRANT READ TO Mods",
        ]
      ),
      (
        "GRANT READ ON T TO Mods",
        [
          "ON T: CK0104 expected TO, found 'ON T' | a grant applies to the record type that contains it",
          "fixed: GRANT READ TO Mods", "type T: GRANT READ TO Mods",
        ]
      ),
      (
        "GRANT READ ON \"T\" TO Mods",
        [
          "ON \"T\": CK0104 expected TO, found 'ON \"T\"' | a grant applies to the record type that contains it",
          "fixed: GRANT READ TO Mods", "type T: GRANT READ TO Mods",
        ]
      ),
      (
        "GRANT READ CREATE WRITE TO Mods",
        [
          "D: CK0106 missing ',' before CREATE", "E: CK0106 missing ',' before WRITE",
          "fixed: GRANT READ, CREATE, WRITE TO Mods", "type T: GRANT READ, CREATE, WRITE TO Mods",
        ]
      ),
      (
        "GRANT READ, CREATE\nWRITE TO Mods",
        [
          "WRITE: CK0104 expected TO before the role, found 'WRITE' | write TO before the role's name, as in GRANT READ TO \"_world\"",
          "E: CK0106 missing ',' before 'TO'", "Mods: CK0107 'Mods' is not a type | \(types)",
          "fixed: GRANT READ, CREATE TO\nWRITE, TO Mods", "type T: TO ? , GRANT READ, CREATE TO \"WRITE\"",
        ]
      ),
      (
        "GRANT REED, WRIT TO Mods",
        [
          "REED: CK0109 'REED' is not a privilege | did you mean READ?",
          "WRIT: CK0109 'WRIT' is not a privilege | did you mean WRITE?", "fixed: GRANT READ, WRITE TO Mods",
          "type T: GRANT READ, WRITE TO Mods",
        ]
      ),
      (
        "GRANT DELETE TO Mods",
        [
          "DELETE: CK0109 'DELETE' is not a privilege | did you mean WRITE?", "fixed: GRANT WRITE TO Mods",
          "type T: GRANT WRITE TO Mods",
        ]
      ),
      (
        "GRANT SELECT, INSERT TO Mods",
        [
          "SELECT: CK0109 'SELECT' is not a privilege | did you mean READ?",
          "INSERT: CK0109 'INSERT' is not a privilege | did you mean CREATE?",
          "fixed: GRANT READ, CREATE TO Mods", "type T: GRANT READ, CREATE TO Mods",
        ]
      ),
      (
        "GRANT all TO Mods",
        [
          "all: CK0109 'all' is not a privilege | did you mean READ, CREATE, WRITE?",
          "fixed: GRANT READ, CREATE, WRITE TO Mods", "type T: GRANT READ, CREATE, WRITE TO Mods",
        ]
      ),
      (
        "GRANT NOTHING TO Mods",
        [
          "NOTHING: CK0109 'NOTHING' is not a privilege | the privileges are READ, CREATE and WRITE",
          "type T: GRANT  TO Mods",
        ]
      ),
      (
        "GRANT NOTHING, READ TO Mods",
        [
          "NOTHING: CK0109 'NOTHING' is not a privilege | the privileges are READ, CREATE and WRITE",
          "type T: GRANT READ TO Mods",
        ]
      ),
      (
        "GRANT NOTHING, ELSE TO Mods",
        [
          "NOTHING: CK0109 'NOTHING' is not a privilege | the privileges are READ, CREATE and WRITE",
          "type T: ",
        ]
      ),
      (
        "GRANT NOTHING ELSE TO Mods, f STRING",
        [
          "NOTHING: CK0109 'NOTHING' is not a privilege | the privileges are READ, CREATE and WRITE",
          "type T: f STRING",
        ]
      ),
      (
        "GRANT NOTHING ELSE\nTO Mods",
        [
          "NOTHING: CK0109 'NOTHING' is not a privilege | the privileges are READ, CREATE and WRITE",
          "Mods: CK0107 'Mods' is not a type | \(types)", "type T: TO ? ",
        ]
      ),
      (
        "GRANT NOTHING, f STRING",
        [
          "NOTHING: CK0109 'NOTHING' is not a privilege | the privileges are READ, CREATE and WRITE",
          "type T: f STRING",
        ]
      ),
      (
        "GRANT , READ TO Mods, f STRING",
        [",: CK0109 expected READ, CREATE or WRITE, found ',' | \(grants)", "type T: f STRING"]
      ),
      (
        "GRANT \"READ\" TO Mods",
        ["\"READ\": CK0109 expected READ, CREATE or WRITE, found '\"READ\"' | \(grants)", "type T: "]
      ),
      (
        "GRANT ( READ ) TO Mods",
        [
          "(: CK0109 expected READ, CREATE or WRITE, found '(' | \(grants)",
          "): CK0106 missing ';' after record type 'T'", "fixed: GRANT ( READ ); TO Mods", "type T: ",
        ]
      ),
      (
        "GRANT WRITEXXXXXXX TO Mods",
        [
          "WRITEXXXXXXX: CK0109 'WRITEXXXXXXX' is not a privilege | the privileges are READ, CREATE and WRITE",
          "type T: GRANT  TO Mods",
        ]
      ),
      (
        "GRANT WRITEWRITEWRI TO Mods",
        [
          "WRITEWRITEWRI: CK0109 'WRITEWRITEWRI' is not a privilege | the privileges are READ, CREATE and WRITE",
          "type T: GRANT  TO Mods",
        ]
      ),
      (
        "GRANT READ TO Mods, \"_world\"",
        [
          ", \"_world\": CK0104 a grant names one role | write another one: GRANT READ TO \"_world\"",
          "fixed: GRANT READ TO Mods, GRANT READ TO \"_world\"",
          "type T: GRANT READ TO Mods, GRANT READ TO \"_world\"",
        ]
      ),
      (
        "GRANT READ TO Mods, \"_world\", \"_icloud\"",
        [
          ", \"_world\": CK0104 a grant names one role | write one for each role: GRANT READ TO \"_world\", GRANT READ TO \"_icloud\"",
          "fixed: GRANT READ TO Mods, GRANT READ TO \"_world\", GRANT READ TO \"_icloud\"",
          "type T: GRANT READ TO Mods, GRANT READ TO \"_world\", GRANT READ TO \"_icloud\"",
        ]
      ),
      (
        "GRANT READ TO Mods, _world, f STRING",
        [
          ", _world: CK0104 a grant names one role | write another one: GRANT READ TO \"_world\"",
          "fixed: GRANT READ TO Mods, GRANT READ TO \"_world\", f STRING",
          "type T: f STRING, GRANT READ TO Mods, GRANT READ TO \"_world\"",
        ]
      ),
      (
        "GRANT READ TO \"_world\", Mods",
        [
          ", Mods: CK0104 a grant names one role | write another one: GRANT READ TO Mods",
          "fixed: GRANT READ TO \"_world\", GRANT READ TO Mods",
          "type T: GRANT READ TO \"_world\", GRANT READ TO Mods",
        ]
      ),
      ("GRANT READ TO \"_world\", Mods STRING", ["type T: Mods STRING, GRANT READ TO \"_world\""]),
      (
        "GRANT READ TO \"_world\", Other",
        ["): CK0107 expected the type of 'Other', found ')' | \(types)", "type T: GRANT READ TO \"_world\""]
      ),
      (
        "GRANT READ TO \"_world\", GRANT WRITE TO Mods",
        ["type T: GRANT READ TO \"_world\", GRANT WRITE TO Mods"]
      ),
      (
        "GRANT READ TO \"_world\",\nMods",
        [
          ",\nMods: CK0104 a grant names one role | write another one: GRANT READ TO Mods",
          "fixed: GRANT READ TO \"_world\",\nGRANT READ TO Mods",
          "type T: GRANT READ TO \"_world\", GRANT READ TO Mods",
        ]
      ),
      (
        "WRITE GRANT TO Mods",
        [
          "WRITE GRANT: CK0104 GRANT must come before the privileges, found 'WRITE GRANT'",
          "fixed: GRANT WRITE TO Mods", "type T: GRANT WRITE TO Mods",
        ]
      ),
      (
        "WRITE GRANT, READ TO Mods",
        [
          "WRITE GRANT: CK0104 GRANT must come before the privileges, found 'WRITE GRANT'",
          "fixed: GRANT WRITE, READ TO Mods", "type T: GRANT READ, WRITE TO Mods",
        ]
      ),
      (
        "WRITE GRANT",
        [
          "WRITE GRANT: CK0104 GRANT must come before the privileges, found 'WRITE GRANT'",
          "): CK0104 expected TO before the role, found ')' | write TO before the role's name, as in GRANT READ TO \"_world\"",
          "fixed: GRANT WRITE TO", "type T: ",
        ]
      ),
      (
        "grant STRING",
        [
          "grant: CK0110 'grant' is a reserved word: as a name it must be quoted | write \"grant\"",
          "fixed: \"grant\" STRING", "type T: \"grant\" STRING",
        ]
      ),
      (
        "GRANT STRING",
        [
          "GRANT: CK0110 'GRANT' is a reserved word: as a name it must be quoted | write \"GRANT\"",
          "fixed: \"GRANT\" STRING", "type T: \"GRANT\" STRING",
        ]
      ),
      (
        "GRNT READ TO Mods",
        [
          "GRNT: CK0104 expected GRANT, found 'GRNT' | did you mean GRANT?", "fixed: GRANT READ TO Mods",
          "type T: GRANT READ TO Mods",
        ]
      ),
      (
        "GRNT REED TO Mods",
        [
          "GRNT: CK0104 expected GRANT, found 'GRNT' | did you mean GRANT?",
          "REED: CK0109 'REED' is not a privilege | did you mean READ?", "fixed: GRANT READ TO Mods",
          "type T: GRANT READ TO Mods",
        ]
      ),
      ("GRNT STRING", ["type T: GRNT STRING"]),
      (
        "GRNT WRITE",
        [
          "GRNT: CK0104 expected GRANT, found 'GRNT' | did you mean GRANT?",
          "): CK0104 expected TO before the role, found ')' | write TO before the role's name, as in GRANT READ TO \"_world\"",
          "fixed: GRANT WRITE TO", "type T: ",
        ]
      ),
      (
        "GRANTGRANT READ TO Mods",
        [
          "READ: CK0107 'READ' is not a type | \(types)",
          "TO Mods: CK0108 expected an option, ',' or ')', found 'TO' | \(options)", "type T: GRANTGRANT ? ",
        ]
      ),
      (
        "x GRANT READ TO Mods",
        ["GRANT: CK0107 expected the type of 'x', found 'GRANT' | \(types)", "type T: GRANT READ TO Mods"]
      ),
      ("x WRITE", ["WRITE: CK0107 'WRITE' is not a type | \(types)", "type T: x ? "]),
      (
        "f STRING, GRANT READ TO \"_world",
        [
          "\"_world: CK0112 the name's closing quote is missing", "fixed: f STRING, GRANT READ TO \"_world\"",
          "type T: f STRING, GRANT READ TO \"_world\"",
        ]
      ),
      (
        "GRANT READ IN _world",
        [
          "IN: CK0104 expected TO, found 'IN' | did you mean TO?",
          "_world: CK0110 a name with a leading underscore belongs to the system and must be quoted | write \"_world\"",
          "fixed: GRANT READ TO \"_world\"", "type T: GRANT READ TO \"_world\"",
        ]
      ),
      (
        "GRANT READ IN '_world'",
        [
          "IN: CK0104 expected TO, found 'IN' | did you mean TO?",
          "'_world': CK0110 the role's name is in the wrong quotes: '_world' | write \"_world\"",
          "fixed: GRANT READ TO \"_world\"", "type T: GRANT READ TO \"_world\"",
        ]
      ),
      (
        "GRANT CREATEééé TO Mods",
        [
          "CREATEééé: CK0109 'CREATEééé' is not a privilege | did you mean CREATE?",
          "fixed: GRANT CREATE TO Mods", "type T: GRANT CREATE TO Mods",
        ]
      ),
      (
        "GRANT CREATE€€x TO Mods",
        [
          "CREATE€€x: CK0109 'CREATE€€x' is not a privilege | the privileges are READ, CREATE and WRITE",
          "type T: GRANT  TO Mods",
        ]
      ),
      (
        "GRANTéx READ TO Mods",
        [
          "GRANTéx: CK0104 expected GRANT, found 'GRANTéx' | did you mean GRANT?",
          "fixed: GRANT READ TO Mods", "type T: GRANT READ TO Mods",
        ]
      ),
      (
        "GRANTéé READ TO Mods",
        [
          "é: CK0111 the name has U+00E9 (latin small letter e with acute) at column 6 | names are the letters A to Z and a to z, digits and '_'",
          "READ: CK0107 'READ' is not a type | \(types)",
          "TO Mods: CK0108 expected an option, ',' or ')', found 'TO' | \(options)", "type T: GRANTéé ? ",
        ]
      ),
    ] as [(String, [String])])
  func reads(_ members: String, _ expected: [String]) {
    expectNoDifference(reading(ofMembers: members), expected)
  }
}

import CustomDump
import Testing

@testable import SchemaLanguage

@Suite("Reading statements") struct StatementParsingTests {
  private static let types =
    "a type is STRING, INT64, DOUBLE, TIMESTAMP, BYTES, LOCATION, REFERENCE, ASSET or LIST<...>"
  private static let names = "names are letters, digits and '_', and begin with a letter"
  private static let options = "the options are QUERYABLE, SORTABLE and SEARCHABLE"
  private static let statements = "a schema consists of CREATE ROLE and RECORD TYPE statements"

  @Test(
    "a schema begins with its two words, and each mistake in them is reported with its correction",
    arguments: [
      ("DEFINE SCHEMA", []),
      (
        "DEFINE",
        [
          ": CK0104 expected SCHEMA, found the end of the file | a schema begins with DEFINE SCHEMA",
          "fixed: DEFINE SCHEMA",
        ]
      ),
      (
        "DEFINE RECORD TYPE A ( f STRING );",
        [
          "RECORD: CK0104 expected SCHEMA, found 'RECORD' | a schema begins with DEFINE SCHEMA",
          "fixed: DEFINE SCHEMA RECORD TYPE A ( f STRING );", "type A: f STRING",
        ]
      ),
      (
        "SCHEMA RECORD TYPE A ( f STRING );",
        [
          "SCHEMA: CK0105 a schema begins with DEFINE SCHEMA",
          "fixed: DEFINE SCHEMA\n\nSCHEMA RECORD TYPE A ( f STRING );", "type A: f STRING",
        ]
      ),
      (
        "DEFNE SCHEMA",
        ["DEFNE: CK0104 expected DEFINE, found 'DEFNE' | did you mean DEFINE?", "fixed: DEFINE SCHEMA"]
      ),
      (
        "DEFNE SHCEMA RECORD TYPE A ( f STRING );",
        [
          "DEFNE: CK0104 expected DEFINE, found 'DEFNE' | did you mean DEFINE?",
          "SHCEMA: CK0104 expected SCHEMA, found 'SHCEMA' | did you mean SCHEMA?",
          "fixed: DEFINE SCHEMA RECORD TYPE A ( f STRING );", "type A: f STRING",
        ]
      ),
      (
        "DEFINE SHCEMA RECORD TYPE A ( f STRING );",
        [
          "SHCEMA: CK0104 expected SCHEMA, found 'SHCEMA' | did you mean SCHEMA?",
          "fixed: DEFINE SCHEMA RECORD TYPE A ( f STRING );", "type A: f STRING",
        ]
      ),
      (
        "DEFINE SCHEMA; CREATE ROLE a;",
        [";: CK0106 there is no ';' after DEFINE SCHEMA", "fixed: DEFINE SCHEMA CREATE ROLE a;", "role a"]
      ),
      (
        "DEFINE SCHEMA;; CREATE ROLE a;",
        [
          ";: CK0106 there is no ';' after DEFINE SCHEMA", ";: CK0106 unexpected ';' between statements",
          "fixed: DEFINE SCHEMA CREATE ROLE a;", "role a",
        ]
      ),
      (
        "RECORD TYPE A ( f STRING );",
        [
          "RECORD: CK0105 a schema begins with DEFINE SCHEMA",
          "fixed: DEFINE SCHEMA\n\nRECORD TYPE A ( f STRING );", "type A: f STRING",
        ]
      ),
      (
        "hello RECORD TYPE A ( f STRING );",
        [
          "hello: CK0105 a schema begins with DEFINE SCHEMA",
          "fixed: DEFINE SCHEMA\n\nhello RECORD TYPE A ( f STRING );", "type A: f STRING",
        ]
      ),
      (
        "hello; RECORD TYPE A ( f STRING );",
        [
          "hello: CK0105 a schema begins with DEFINE SCHEMA",
          "fixed: DEFINE SCHEMA\n\nhello; RECORD TYPE A ( f STRING );", "type A: f STRING",
        ]
      ),
      (
        "x SCHEMA CREATE ROLE a;",
        [
          "x: CK0105 a schema begins with DEFINE SCHEMA", "fixed: DEFINE SCHEMA\n\nx SCHEMA CREATE ROLE a;",
          "role a",
        ]
      ),
      (
        "x y SCHEMA",
        [
          "x: CK0101 this is not a CloudKit schema: the file has neither DEFINE SCHEMA nor RECORD TYPE | a schema begins with DEFINE SCHEMA; schema export writes one"
        ]
      ),
      (
        "CREATE ROLE a;",
        [
          "CREATE: CK0105 a schema begins with DEFINE SCHEMA", "fixed: DEFINE SCHEMA\n\nCREATE ROLE a;",
          "role a",
        ]
      ),
      (
        "DEFINE SCHEMA define schema",
        ["define: CK0104 expected RECORD TYPE or CREATE ROLE, found 'define' | \(statements)"]
      ),
    ] as [(String, [String])])
  func header(_ text: String, _ expected: [String]) { expectNoDifference(reading(of: text), expected) }

  @Test(
    "statements are read, and each mistake around them is reported with its correction",
    arguments: [
      ("CREATE ROLE a", ["a: CK0106 missing ';' after CREATE ROLE", "fixed: CREATE ROLE a;\n", "role a"]),
      (
        "CREATE ROLE a,",
        [",: CK0106 expected ';' after CREATE ROLE, found ','", "fixed: CREATE ROLE a;\n", "role a"]
      ),
      ("CREATE ROLE a)", ["): CK0106 one ')' too many", "fixed: CREATE ROLE a\n", "role a"]),
      ("CREATE ROLE a);", ["): CK0106 one ')' too many", "fixed: CREATE ROLE a;\n", "role a"]),
      ("CREATE ROLE a;;", [";: CK0106 one ';' too many", "fixed: CREATE ROLE a;\n", "role a"]),
      (
        "CREATE ROLE a;;;",
        [";: CK0106 one ';' too many", ";: CK0106 one ';' too many", "fixed: CREATE ROLE a;\n", "role a"]
      ),
      (
        "CREATE ROLE a b;",
        ["a: CK0106 missing ';' after CREATE ROLE", "fixed: CREATE ROLE a; b;\n", "role a"]
      ),
      (
        "CREATE ROLE a\nCREATE ROLE b;",
        [
          "a: CK0106 missing ';' after CREATE ROLE", "fixed: CREATE ROLE a;\nCREATE ROLE b;\n", "role a",
          "role b",
        ]
      ),
      (
        "CREATE ROLE a CREATE ROLE b;",
        [
          "a: CK0106 missing ';' after CREATE ROLE", "fixed: CREATE ROLE a; CREATE ROLE b;\n", "role a",
          "role b",
        ]
      ),
      (
        "CREATE ROLE a b CREATE ROLE c;",
        [
          "a: CK0106 missing ';' after CREATE ROLE", "fixed: CREATE ROLE a; b CREATE ROLE c;\n", "role a",
          "role c",
        ]
      ),
      (
        "CREATE ROLE a\nb; CREATE ROLE c;",
        [
          "a: CK0106 missing ';' after CREATE ROLE",
          "b: CK0104 expected RECORD TYPE or CREATE ROLE, found 'b' | \(statements)",
          "fixed: CREATE ROLE a;\nb; CREATE ROLE c;\n", "role a", "role c",
        ]
      ),
      ("CREATE ROLE;", [";: CK0104 expected the role's name, found ';' | \(names)"]),
      (
        "CREATE ROLE ; CREATE ROLE b;",
        [";: CK0104 expected the role's name, found ';' | \(names)", "role b"]
      ),
      ("CREATE ROLE \"a\";", ["role a"]),
      (
        "CREATE ROLE _a;",
        [
          "_a: CK0110 a name with a leading underscore belongs to the system and must be quoted | write \"_a\"",
          "fixed: CREATE ROLE \"_a\";\n", "role _a",
        ]
      ),
      (
        "CREATE ROLE _wrld;",
        [
          "_wrld: CK0111 '_wrld' is not a name of the system | write \"_world\"",
          "fixed: CREATE ROLE \"_world\";\n", "role _world",
        ]
      ),
      (
        "CREATE ROLE 'a';",
        [
          "'a': CK0110 the role's name is in the wrong quotes: 'a' | write a", "fixed: CREATE ROLE a;\n",
          "role a",
        ]
      ),
      (
        "CREATE GROUP a;",
        [
          "GROUP: CK0104 expected ROLE, found 'GROUP' | did you mean ROLE?", "fixed: CREATE ROLE a;\n",
          "role a",
        ]
      ),
      (
        "CREATE GROUP a",
        [
          "GROUP: CK0104 expected ROLE, found 'GROUP' | write ROLE before the role's name, as in CREATE ROLE Editor;",
          "P: CK0106 missing ';' after CREATE ROLE", "fixed: CREATE ROLE GROUP; a\n", "role GROUP",
        ]
      ),
      (
        "CREATE GROUP \"a\";",
        [
          "GROUP: CK0104 expected ROLE, found 'GROUP' | did you mean ROLE?", "fixed: CREATE ROLE \"a\";\n",
          "role a",
        ]
      ),
      (
        "CREATE GROUP (;",
        [
          "GROUP: CK0104 expected ROLE, found 'GROUP' | write ROLE before the role's name, as in CREATE ROLE Editor;",
          "P: CK0106 missing ';' after CREATE ROLE", "fixed: CREATE ROLE GROUP; (;\n", "role GROUP",
        ]
      ),
      (
        "CREATE a;",
        [
          "a: CK0104 expected ROLE, found 'a' | write ROLE before the role's name, as in CREATE ROLE Editor;",
          "fixed: CREATE ROLE a;\n", "role a",
        ]
      ),
      (
        "CREATE ROL a;",
        ["ROL: CK0104 expected ROLE, found 'ROL' | did you mean ROLE?", "fixed: CREATE ROLE a;\n", "role a"]
      ),
      (
        "CREATE CREATE ROLE a;", ["CREATE: CK0104 one CREATE too many", "fixed: CREATE  ROLE a;\n", "role a"]
      ),
      (
        "CREATE CREATE CREATE ROLE a;",
        [
          "CREATE: CK0104 expected ROLE, found 'CREATE' | write ROLE before the role's name, as in CREATE ROLE Editor;",
          "E: CK0106 missing ';' after CREATE ROLE", "fixed: CREATE ROLE CREATE; CREATE ROLE a;\n",
          "role CREATE", "role a",
        ]
      ),
      (
        "CREATE",
        [
          ": CK0104 expected ROLE, found the end of the file | write ROLE before the role's name, as in CREATE ROLE Editor;",
          "fixed: CREATE ROLE\n",
        ]
      ),
      (
        "CREATE TYPE A ( f STRING );",
        [
          "CREATE TYPE: CK0104 expected RECORD TYPE, found 'CREATE TYPE' | did you mean RECORD TYPE?",
          "fixed: RECORD TYPE A ( f STRING );\n", "type A: f STRING",
        ]
      ),
      (
        "CREATE RECORD A ( f STRING );",
        [
          "CREATE: CK0104 expected RECORD TYPE, found 'CREATE' | did you mean RECORD TYPE?",
          "A: CK0106 expected '(' after the record type's name 'RECORD', found 'A'",
          "(: CK0107 expected the type of 'A', found '(' | \(types)",
          "fixed: RECORD TYPE RECORD ( A ( f STRING );\n", "type RECORD: ",
        ]
      ),
      (
        "CREATE RECORD TYPE A ( f STRING );",
        [
          "CREATE RECORD TYPE: CK0104 expected RECORD TYPE, found 'CREATE RECORD TYPE' | did you mean RECORD TYPE?",
          "fixed: RECORD TYPE A ( f STRING );\n", "type A: f STRING",
        ]
      ),
      (
        "CRAETE ROLE a;",
        [
          "CRAETE ROLE: CK0104 expected CREATE ROLE, found 'CRAETE ROLE' | did you mean CREATE ROLE?",
          "fixed: CREATE ROLE a;\n", "role a",
        ]
      ),
      (
        "CRAETE ROEL a;",
        [
          "CRAETE ROEL: CK0104 expected CREATE ROLE, found 'CRAETE ROEL' | did you mean CREATE ROLE?",
          "fixed: CREATE ROLE a;\n", "role a",
        ]
      ),
      (
        "CRAETE TYPE A ( f STRING );",
        ["CRAETE: CK0104 expected RECORD TYPE or CREATE ROLE, found 'CRAETE' | \(statements)"]
      ),
      (
        "ROLE a;",
        [
          "ROLE: CK0104 expected CREATE ROLE, found 'ROLE' | did you mean CREATE ROLE?",
          "fixed: CREATE ROLE a;\n", "role a",
        ]
      ),
      (
        "ROLE CREATE a;",
        [
          "ROLE CREATE: CK0104 expected CREATE ROLE, found 'ROLE CREATE' | did you mean CREATE ROLE?",
          "fixed: CREATE ROLE a;\n", "role a",
        ]
      ),
      (
        "ROLE ROLE a;",
        [
          "ROLE: CK0104 expected CREATE ROLE, found 'ROLE' | did you mean CREATE ROLE?",
          "E: CK0106 missing ';' after CREATE ROLE", "fixed: CREATE ROLE ROLE; a;\n", "role ROLE",
        ]
      ),
      (
        "RECORD TYPE A ( f STRING )",
        [
          "): CK0106 missing ';' after record type 'A'", "fixed: RECORD TYPE A ( f STRING );\n",
          "type A: f STRING",
        ]
      ),
      (
        "RECORD TYPE A ( f STRING ),",
        [
          ",: CK0106 expected ';' after record type 'A', found ','", "fixed: RECORD TYPE A ( f STRING );\n",
          "type A: f STRING",
        ]
      ),
      (
        "RECORD TYPE A ( f STRING )) ;",
        ["): CK0106 one ')' too many", "fixed: RECORD TYPE A ( f STRING ) ;\n", "type A: f STRING"]
      ),
      (
        "RECORD TYPE A ( f STRING ))) ;",
        [
          "): CK0106 one ')' too many", "): CK0106 one ')' too many", "fixed: RECORD TYPE A ( f STRING ) ;\n",
          "type A: f STRING",
        ]
      ),
      (
        "RECORD TYPE A ( f STRING ) x; CREATE ROLE b;",
        [
          "): CK0106 missing ';' after record type 'A'",
          "fixed: RECORD TYPE A ( f STRING ); x; CREATE ROLE b;\n", "role b", "type A: f STRING",
        ]
      ),
      (
        "RECORD TYPE A ( f STRING )\nx; CREATE ROLE b;",
        [
          "): CK0106 missing ';' after record type 'A'",
          "x: CK0104 expected RECORD TYPE or CREATE ROLE, found 'x' | \(statements)",
          "fixed: RECORD TYPE A ( f STRING );\nx; CREATE ROLE b;\n", "role b", "type A: f STRING",
        ]
      ),
      (
        "RECORD TYPE A f STRING );",
        [
          "f: CK0106 expected '(' after the record type's name 'A', found 'f'",
          "fixed: RECORD TYPE A ( f STRING );\n", "type A: f STRING",
        ]
      ),
      (
        "RECORD TYPE A { f STRING };",
        [
          "{: CK0106 expected '(' after the record type's name 'A', found '{'",
          "}: CK0106 expected ')', found '}'", "fixed: RECORD TYPE A ( f STRING );\n", "type A: f STRING",
        ]
      ),
      (
        "RECORD TYPE A { f STRING }",
        [
          "{: CK0106 expected '(' after the record type's name 'A', found '{'",
          "}: CK0106 expected ')', found '}'", "fixed: RECORD TYPE A ( f STRING )\n", "type A: f STRING",
        ]
      ),
      (
        "RECORD TYPE A [ f STRING );",
        [
          "[: CK0106 expected '(' after the record type's name 'A', found '['",
          "fixed: RECORD TYPE A ( f STRING );\n", "type A: f STRING",
        ]
      ),
      (
        "RECORD TYPE A;",
        [
          ";: CK0106 expected '(' after the record type's name 'A', found ';'", "fixed: RECORD TYPE A (;\n",
          "type A: ",
        ]
      ),
      (
        "RECORD TYPE A",
        [
          ": CK0106 expected '(' after the record type's name 'A', found the end of the file",
          "fixed: RECORD TYPE A (\n", "type A: ",
        ]
      ),
      ("RECORD TYPE ( f STRING );", ["(: CK0104 expected the record type's name, found '(' | \(names)"]),
      (
        "RECORD TYPE A ( f STRING",
        [
          "G: CK0106 missing ');' at the end of record type 'A'", "fixed: RECORD TYPE A ( f STRING\n    );\n",
          "type A: f STRING",
        ]
      ),
      (
        "RECORD TYPE A ( f STRING\nRECORD TYPE B ( f STRING );",
        [
          "G: CK0106 missing ');' at the end of record type 'A'",
          "fixed: RECORD TYPE A ( f STRING\n    );\nRECORD TYPE B ( f STRING );\n", "type A: f STRING",
          "type B: f STRING",
        ]
      ),
      (
        "RECORD TYPE A ( f STRING\nCREATE ROLE a;",
        [
          "G: CK0106 missing ');' at the end of record type 'A'",
          "fixed: RECORD TYPE A ( f STRING\n    );\nCREATE ROLE a;\n", "role a", "type A: f STRING",
        ]
      ),
      (
        "RECORD TYPE A ( f STRING;\nCREATE ROLE a;",
        [
          ";: CK0106 missing ')' at the end of record type 'A'",
          "fixed: RECORD TYPE A ( f STRING);\nCREATE ROLE a;\n", "role a", "type A: f STRING",
        ]
      ),
      (
        "RECORD TYPE A ( f STRING;",
        [
          ";: CK0106 missing ')' at the end of record type 'A'", "fixed: RECORD TYPE A ( f STRING);\n",
          "type A: f STRING",
        ]
      ),
      (
        "RECORD A ( f STRING );",
        [
          "A: CK0104 expected TYPE, found 'A' | write TYPE before the record type's name, as in RECORD TYPE Note (",
          "fixed: RECORD TYPE A ( f STRING );\n", "type A: f STRING",
        ]
      ),
      (
        "RECORD TABLE A ( f STRING );",
        [
          "TABLE: CK0104 expected TYPE, found 'TABLE' | did you mean TYPE?",
          "fixed: RECORD TYPE A ( f STRING );\n", "type A: f STRING",
        ]
      ),
      (
        "RECORD TABLE A [ f STRING );",
        [
          "TABLE: CK0104 expected TYPE, found 'TABLE' | write TYPE before the record type's name, as in RECORD TYPE Note (",
          "A: CK0106 expected '(' after the record type's name 'TABLE', found 'A'",
          "f: CK0107 'f' is not a type | \(types)",
          "STRING: CK0108 expected an option, ',' or ')', found 'STRING' | \(options)",
          "fixed: RECORD TYPE TABLE ( A [ f STRING );\n", "type TABLE: A ? ",
        ]
      ),
      (
        "RECORD TPYE A ( f STRING );",
        [
          "TPYE: CK0104 expected TYPE, found 'TPYE' | did you mean TYPE?",
          "fixed: RECORD TYPE A ( f STRING );\n", "type A: f STRING",
        ]
      ),
      (
        "RECROD TYPE A ( f STRING );",
        [
          "RECROD TYPE: CK0104 expected RECORD TYPE, found 'RECROD TYPE' | did you mean RECORD TYPE?",
          "fixed: RECORD TYPE A ( f STRING );\n", "type A: f STRING",
        ]
      ),
      (
        "RECROD TPYE A ( f STRING );",
        [
          "RECROD TPYE: CK0104 expected RECORD TYPE, found 'RECROD TPYE' | did you mean RECORD TYPE?",
          "fixed: RECORD TYPE A ( f STRING );\n", "type A: f STRING",
        ]
      ),
      (
        "RECORD RECORD TYPE A ( f STRING );",
        ["RECORD: CK0104 one RECORD too many", "fixed: RECORD  TYPE A ( f STRING );\n", "type A: f STRING"]
      ),
      (
        "TYPE A ( f STRING );",
        [
          "TYPE: CK0104 expected RECORD TYPE, found 'TYPE' | did you mean RECORD TYPE?",
          "fixed: RECORD TYPE A ( f STRING );\n", "type A: f STRING",
        ]
      ),
      (
        "TYPE RECORD A ( f STRING );",
        [
          "TYPE RECORD: CK0104 expected RECORD TYPE, found 'TYPE RECORD' | did you mean RECORD TYPE?",
          "fixed: RECORD TYPE A ( f STRING );\n", "type A: f STRING",
        ]
      ),
      (
        "TYPE TYPE A ( f STRING );",
        [
          "TYPE: CK0104 expected RECORD TYPE, found 'TYPE' | did you mean RECORD TYPE?",
          "A: CK0106 expected '(' after the record type's name 'TYPE', found 'A'",
          "(: CK0107 expected the type of 'A', found '(' | \(types)",
          "fixed: RECORD TYPE TYPE ( A ( f STRING );\n", "type TYPE: ",
        ]
      ),
      (
        "TYPE",
        [
          "TYPE: CK0104 expected RECORD TYPE, found 'TYPE' | did you mean RECORD TYPE?",
          "fixed: RECORD TYPE\n",
        ]
      ),
      (
        "TABLE A ( f STRING );",
        [
          "TABLE: CK0104 expected RECORD TYPE, found 'TABLE' | did you mean RECORD TYPE?",
          "fixed: RECORD TYPE A ( f STRING );\n", "type A: f STRING",
        ]
      ),
      (
        "TABLE \"A\" ( f STRING );",
        [
          "TABLE: CK0104 expected RECORD TYPE, found 'TABLE' | did you mean RECORD TYPE?",
          "fixed: RECORD TYPE \"A\" ( f STRING );\n", "type A: f STRING",
        ]
      ),
      (
        "TABLE A f STRING );",
        ["TABLE: CK0104 expected RECORD TYPE or CREATE ROLE, found 'TABLE' | \(statements)"]
      ),
      (
        "TABLE; CREATE ROLE a;",
        ["TABLE: CK0104 expected RECORD TYPE or CREATE ROLE, found 'TABLE' | \(statements)", "role a"]
      ),
      (
        "x y z; CREATE ROLE a;",
        ["x: CK0104 expected RECORD TYPE or CREATE ROLE, found 'x' | \(statements)", "role a"]
      ),
      (
        "x y z CREATE ROLE a;",
        ["x: CK0104 expected RECORD TYPE or CREATE ROLE, found 'x' | \(statements)", "role a"]
      ),
      (
        "; CREATE ROLE a;",
        [";: CK0106 there is no ';' after DEFINE SCHEMA", "fixed:  CREATE ROLE a;\n", "role a"]
      ),
      (
        ") CREATE ROLE a;",
        ["): CK0106 unexpected ')' between statements", "fixed:  CREATE ROLE a;\n", "role a"]
      ),
      (
        "); CREATE ROLE a;",
        ["): CK0106 unexpected ')' between statements", "fixed: ; CREATE ROLE a;\n", "role a"]
      ),
      (
        ");; CREATE ROLE a;",
        [
          "): CK0106 unexpected ')' between statements", ";: CK0106 unexpected ';' between statements",
          "fixed: ; CREATE ROLE a;\n", "role a",
        ]
      ),
      (
        "\"a\"; CREATE ROLE a;",
        ["\"a\": CK0104 expected RECORD TYPE or CREATE ROLE, found '\"a\"' | \(statements)", "role a"]
      ),
      (
        "GRANT READ TO a;",
        ["GRANT: CK0104 expected RECORD TYPE or CREATE ROLE, found 'GRANT' | \(statements)"]
      ),
      ("RECORD TYPE \"cloudkit.share\" ( f STRING );", ["type cloudkit.share: f STRING"]),
      (
        "RECORD TYPE cloudkit.share ( f STRING );",
        [
          "cloudkit.share: CK0110 a name with a dot must be quoted | write \"cloudkit.share\"",
          "fixed: RECORD TYPE \"cloudkit.share\" ( f STRING );\n", "type cloudkit.share: f STRING",
        ]
      ),
      (
        "RECORD TYPE _x ( f STRING );",
        [
          "_x: CK0110 a name with a leading underscore belongs to the system and must be quoted | write \"_x\"",
          "fixed: RECORD TYPE \"_x\" ( f STRING );\n", "type _x: f STRING",
        ]
      ),
      (
        "RECORD TYPE 1x ( f STRING );",
        ["1x: CK0111 the name '1x' does not begin with a letter | \(names)", "type 1x: f STRING"]
      ),
      ("RECORD TYPE \"\" ( f STRING );", ["\"\": CK0111 the name is empty", "type : f STRING"]),
      ("/* x", ["/*: CK0112 the comment is never closed with '*/'"]),
      (
        "RECORD TYPE A ( f STRING /* x",
        ["/*: CK0112 the comment is never closed with '*/'", "type A: f STRING"]
      ),
      (
        "RECORD TYPE A ( \"f",
        ["\"f: CK0112 the name's closing quote is missing", "fixed: RECORD TYPE A ( \"f\"\n", "type A: "]
      ),
      (
        "# a\n# b",
        ["# a: CK0104 comments begin with // or --, not with # (2 lines do)", "fixed: // a\n# b\n"]
      ),
      ("# a", ["# a: CK0104 comments begin with // or --, not with #", "fixed: // a\n"]),
      (
        "create role a;",
        [
          "create: CK0113 the keyword 'create' is not written in capitals (2 keywords in this file are not) | schema format writes every keyword in capitals",
          "fixed: CREATE role a;\n", "role a",
        ]
      ),
      (
        "create role a; record TYPE B ( f string );",
        [
          "create: CK0113 the keyword 'create' is not written in capitals (4 keywords in this file are not) | schema format writes every keyword in capitals",
          "fixed: CREATE role a; record TYPE B ( f string );\n", "role a", "type B: f STRING",
        ]
      ),
      (
        "Create ROLE a;",
        [
          "Create: CK0113 the keyword 'Create' is not written in capitals | schema format writes every keyword in capitals",
          "fixed: CREATE ROLE a;\n", "role a",
        ]
      ),
      (
        "RECORD TYPE A ( f STRING )\u{FF1B}",
        [
          "\u{FF1B}: CK0104 U+FF1B (fullwidth semicolon) at column 27 cannot be used in a schema | write ';'",
          "fixed: RECORD TYPE A ( f STRING );\n", "type A: f STRING",
        ]
      ),
    ] as [(String, [String])])
  func statement(_ text: String, _ expected: [String]) {
    let header = "DEFINE SCHEMA\n"
    expectNoDifference(reading(of: header + text + "\n").map { $0.replacing(header, with: "") }, expected)
  }
}

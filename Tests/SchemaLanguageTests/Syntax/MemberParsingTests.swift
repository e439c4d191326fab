import CustomDump
import Testing

@testable import SchemaLanguage

@Suite("Reading members") struct MemberParsingTests {
  private static let types =
    "a type is STRING, INT64, DOUBLE, TIMESTAMP, BYTES, LOCATION, REFERENCE, ASSET or LIST<...>"
  private static let grants = #"a grant has privileges, TO and a role, as in GRANT READ, WRITE TO "_creator""#
  private static let names = "names are letters, digits and '_', and begin with a letter"
  private static let options = "the options are QUERYABLE, SORTABLE and SEARCHABLE"
  private static let fields = "a field has a name and a type, as in title STRING QUERYABLE"

  @Test(
    "options, separators and what stands in their places are read as what they mean",
    arguments: [
      ("f STRING QUERYABLE SORTABLE SEARCHABLE", ["type T: f STRING QUERYABLE SEARCHABLE SORTABLE"]),
      ("f STRING QUERYABLE QUERYABLE", ["type T: f STRING QUERYABLE"]),
      (
        "f STRING QUERYABEL",
        [
          "QUERYABEL: CK0108 'QUERYABEL' is not an option | did you mean QUERYABLE?",
          "fixed: f STRING QUERYABLE", "type T: f STRING QUERYABLE",
        ]
      ),
      (
        "f STRING QUERYABEL SORTBLE",
        [
          "QUERYABEL: CK0108 'QUERYABEL' is not an option | did you mean QUERYABLE?",
          "SORTBLE: CK0108 'SORTBLE' is not an option | did you mean SORTABLE?",
          "fixed: f STRING QUERYABLE SORTABLE", "type T: f STRING QUERYABLE SORTABLE",
        ]
      ),
      (
        "f STRING INDEXED",
        [
          "INDEXED: CK0108 'INDEXED' is not an option | did you mean QUERYABLE?", "fixed: f STRING QUERYABLE",
          "type T: f STRING QUERYABLE",
        ]
      ),
      (
        "f STRING index",
        [
          "index: CK0108 'index' is not an option | did you mean QUERYABLE?", "fixed: f STRING QUERYABLE",
          "type T: f STRING QUERYABLE",
        ]
      ),
      (
        "f STRING FULLTEXT, g STRING",
        [
          "FULLTEXT: CK0108 'FULLTEXT' is not an option | did you mean SEARCHABLE?",
          "fixed: f STRING SEARCHABLE, g STRING", "type T: f STRING SEARCHABLE, g STRING",
        ]
      ),
      (
        "f STRING QUERYABLEQUERY",
        [
          "QUERYABLEQUERY: CK0108 expected an option, ',' or ')', found 'QUERYABLEQUERY' | \(options)",
          "type T: f STRING",
        ]
      ),
      (
        "f STRING QUERYABLEEEEEEE",
        [
          "QUERYABLEEEEEEE: CK0108 expected an option, ',' or ')', found 'QUERYABLEEEEEEE' | \(options)",
          "type T: f STRING",
        ]
      ),
      (
        "f STRING NOT NULL",
        [
          "NOT NULL: CK0108 expected an option, ',' or ')', found 'NOT' | CloudKit schemas cannot require, default or constrain a value",
          "type T: f STRING",
        ]
      ),
      (
        "f STRING DEFAULT \"x\" QUERYABLE",
        [
          "DEFAULT \"x\": CK0108 expected an option, ',' or ')', found 'DEFAULT' | CloudKit schemas cannot require, default or constrain a value",
          "type T: f STRING QUERYABLE",
        ]
      ),
      (
        "f STRING DEFAULT 'x', g STRING",
        [
          "DEFAULT 'x': CK0108 expected an option, ',' or ')', found 'DEFAULT' | CloudKit schemas cannot require, default or constrain a value",
          "type T: f STRING, g STRING",
        ]
      ),
      (
        "f STRING DEFAULT now() QUERYABLE",
        [
          "DEFAULT now(): CK0108 expected an option, ',' or ')', found 'DEFAULT' | CloudKit schemas cannot require, default or constrain a value",
          "type T: f STRING QUERYABLE",
        ]
      ),
      (
        "f STRING DEFAULT now(, g STRING",
        [
          "DEFAULT now: CK0108 expected an option, ',' or ')', found 'DEFAULT' | CloudKit schemas cannot require, default or constrain a value",
          "w: CK0106 missing ',' before '('", "(: CK0104 expected a field or GRANT, found '(' | \(fields)",
          "fixed: f STRING DEFAULT now,(, g STRING", "type T: f STRING, g STRING",
        ]
      ),
      (
        "f STRING DEFAULT (1 QUERYABLE",
        [
          "DEFAULT: CK0108 expected an option, ',' or ')', found 'DEFAULT' | CloudKit schemas cannot require, default or constrain a value",
          "T: CK0106 missing ',' before '('", "(: CK0104 expected a field or GRANT, found '(' | \(fields)",
          "fixed: f STRING DEFAULT, (1 QUERYABLE", "type T: f STRING",
        ]
      ),
      (
        "f STRING DEFAULT <5> g STRING",
        [
          "DEFAULT <5>: CK0108 expected an option, ',' or ')', found 'DEFAULT' | CloudKit schemas cannot require, default or constrain a value",
          ">: CK0106 missing ',' before 'g'", "fixed: f STRING DEFAULT <5>, g STRING",
          "type T: f STRING, g STRING",
        ]
      ),
      (
        "f STRING DEFAULT }",
        [
          "DEFAULT: CK0108 expected an option, ',' or ')', found 'DEFAULT' | CloudKit schemas cannot require, default or constrain a value",
          "}: CK0106 expected ')', found '}'", "): CK0106 one ')' too many", "fixed: f STRING DEFAULT )\n;\n",
          "type T: f STRING",
        ]
      ),
      (
        "f STRING foo bar baz",
        ["foo bar baz: CK0108 expected an option, ',' or ')', found 'foo' | \(options)", "type T: f STRING"]
      ),
      (
        "f STRING foo \"x\"",
        [
          "foo: CK0108 expected an option, ',' or ')', found 'foo' | \(options)",
          "\"x\": CK0104 expected an option, ',' or ')', found '\"x\"' | the options are QUERYABLE, SEARCHABLE and SORTABLE",
          "type T: f STRING",
        ]
      ),
      (
        "f STRING foo, g STRING",
        [
          "foo: CK0108 expected an option, ',' or ')', found 'foo' | \(options)",
          "type T: f STRING, g STRING",
        ]
      ),
      (
        "f STRING foo g STRING",
        [
          "foo: CK0108 expected an option, ',' or ')', found 'foo' | \(options)",
          "o: CK0106 missing ',' before 'g'", "fixed: f STRING foo, g STRING", "type T: f STRING, g STRING",
        ]
      ),
      (
        "f STRING\nfoo",
        [
          "G: CK0106 missing ',' before 'foo'", "): CK0107 expected the type of 'foo', found ')' | \(types)",
          "fixed: f STRING,\nfoo", "type T: f STRING",
        ]
      ),
      (
        "f STRING\nfoo bar",
        [
          "G: CK0106 missing ',' before 'foo'", "bar: CK0107 'bar' is not a type | \(types)",
          "fixed: f STRING,\nfoo bar", "type T: f STRING, foo ? ",
        ]
      ),
      ("f STRING\nQUERYABLE", ["type T: f STRING QUERYABLE"]),
      (
        "f STRING\nQUERYABEL",
        [
          "QUERYABEL: CK0108 'QUERYABEL' is not an option | did you mean QUERYABLE?",
          "fixed: f STRING\nQUERYABLE", "type T: f STRING QUERYABLE",
        ]
      ),
      (
        "f STRING\nQUERYABEL SORTABLE",
        [
          "QUERYABEL: CK0108 'QUERYABEL' is not an option | did you mean QUERYABLE?",
          "fixed: f STRING\nQUERYABLE SORTABLE", "type T: f STRING QUERYABLE SORTABLE",
        ]
      ),
      (
        "f STRING ENCRYPTED",
        [
          "STRING ENCRYPTED: CK0107 ENCRYPTED comes before the type, found 'STRING ENCRYPTED' | write ENCRYPTED STRING",
          "fixed: f ENCRYPTED STRING", "type T: f ENCRYPTED STRING",
        ]
      ),
      (
        "f STRING GRANT QUERYABLE",
        [
          "GRANT: CK0108 expected an option, ',' or ')', found 'GRANT' | \(options)",
          "type T: f STRING QUERYABLE",
        ]
      ),
      (
        "f STRING GRANT READ TO Mods",
        [
          "G: CK0106 missing ',' before 'GRANT'", "fixed: f STRING, GRANT READ TO Mods",
          "type T: f STRING, GRANT READ TO Mods",
        ]
      ),
      (
        "f STRING GRANT",
        [
          "G: CK0106 missing ',' before 'GRANT'",
          "): CK0109 expected READ, CREATE or WRITE, found ')' | \(grants)", "fixed: f STRING, GRANT",
          "type T: f STRING",
        ]
      ),
      (
        "f STRING\nGRANT READ TO Mods",
        [
          "G: CK0106 missing ',' before 'GRANT'", "fixed: f STRING,\nGRANT READ TO Mods",
          "type T: f STRING, GRANT READ TO Mods",
        ]
      ),
      (
        "f STRING, QUERYABLE",
        [
          ",: CK0106 QUERYABLE belongs to the field before the ',' | options must come before the ','",
          "fixed: f STRING QUERYABLE", "type T: f STRING QUERYABLE",
        ]
      ),
      (
        "f STRING, QUERYABLE SORTABLE",
        [
          ",: CK0106 QUERYABLE belongs to the field before the ',' | options must come before the ','",
          "fixed: f STRING QUERYABLE SORTABLE", "type T: f STRING QUERYABLE SORTABLE",
        ]
      ),
      (
        "f STRING, QUERYABLE STRING",
        [
          "QUERYABLE: CK0110 'QUERYABLE' is a reserved word: as a name it must be quoted | write \"QUERYABLE\"",
          "fixed: f STRING, \"QUERYABLE\" STRING", "type T: f STRING, \"QUERYABLE\" STRING",
        ]
      ),
      (
        "f STRING, QUERYABLE, SORTABLE",
        [
          ",: CK0106 QUERYABLE belongs to the field before the ',' | options must come before the ','",
          ",: CK0106 SORTABLE belongs to the field before the ',' | options must come before the ','",
          "fixed: f STRING QUERYABLE SORTABLE", "type T: f STRING QUERYABLE SORTABLE",
        ]
      ),
      (
        "f STRING,\nQUERYABLE, g STRING",
        [
          ",: CK0106 QUERYABLE belongs to the field before the ',' | options must come before the ','",
          "fixed: f STRING\nQUERYABLE, g STRING", "type T: f STRING QUERYABLE, g STRING",
        ]
      ),
      (
        "f STRING; g STRING",
        [
          ";: CK0106 members are separated by ',', not ';'", "fixed: f STRING, g STRING",
          "type T: f STRING, g STRING",
        ]
      ),
      (
        "f STRING;",
        [";: CK0106 members are separated by ',', not ';'", "fixed: f STRING,", "type T: f STRING"]
      ),
      (
        "f STRING;\nRECORD TYPE B ( a STRING );",
        [
          ";: CK0106 missing ')' at the end of record type 'T'",
          "): CK0106 unexpected ')' between statements",
          "fixed: f STRING);\nRECORD TYPE B ( a STRING );\n;\n", "type T: f STRING", "type B: a STRING",
        ]
      ),
      (
        "f STRING; record STRING",
        [
          ";: CK0106 members are separated by ',', not ';'", "fixed: f STRING, record STRING",
          "type T: f STRING, \"record\" STRING",
        ]
      ),
      (
        "f STRING; CREATE ROLE x;",
        [
          ";: CK0106 missing ')' at the end of record type 'T'",
          "): CK0106 unexpected ')' between statements", "fixed: f STRING); CREATE ROLE x;\n;\n", "role x",
          "type T: f STRING",
        ]
      ),
      (
        "f STRING; create STRING, g STRNG",
        [
          ";: CK0106 members are separated by ',', not ';'",
          "STRNG: CK0107 'STRNG' is not a type | did you mean STRING?",
          "fixed: f STRING, create STRING, g STRING", "type T: f STRING, \"create\" STRING, g STRING",
        ]
      ),
      (
        "f STRING \"x\" STRING",
        [
          "G: CK0106 missing ',' before '\"x\"'", "fixed: f STRING, \"x\" STRING",
          "type T: f STRING, x STRING",
        ]
      ),
      (
        "f STRING \"x\"",
        [
          "\"x\": CK0104 expected an option, ',' or ')', found '\"x\"' | the options are QUERYABLE, SEARCHABLE and SORTABLE",
          "type T: f STRING",
        ]
      ),
      (
        "f STRING \"x\", g STRNG",
        [
          "\"x\": CK0104 expected an option, ',' or ')', found '\"x\"' | the options are QUERYABLE, SEARCHABLE and SORTABLE",
          "STRNG: CK0107 'STRNG' is not a type | did you mean STRING?", "fixed: f STRING \"x\", g STRING",
          "type T: f STRING, g STRING",
        ]
      ),
      (
        "f STRING\n\"x\" STRING",
        [
          "G: CK0106 missing ',' before '\"x\"'", "fixed: f STRING,\n\"x\" STRING",
          "type T: f STRING, x STRING",
        ]
      ),
      (
        "f STRING (",
        [
          "G: CK0106 missing ',' before '('", "(: CK0104 expected a field or GRANT, found '(' | \(fields)",
          "fixed: f STRING, (", "type T: f STRING",
        ]
      ),
      (
        "f STRING <",
        [
          "G: CK0106 missing ',' before '<'", "<: CK0104 expected a field or GRANT, found '<' | \(fields)",
          "fixed: f STRING, <", "type T: f STRING",
        ]
      ),
      (
        "f STRING g STRING h STRING",
        [
          "G: CK0106 missing ',' before 'g'", "G: CK0106 missing ',' before 'h'",
          "fixed: f STRING, g STRING, h STRING", "type T: f STRING, g STRING, h STRING",
        ]
      ),
      (
        "f STRING,,g STRING",
        [",: CK0106 one ',' too many", "fixed: f STRING,g STRING", "type T: f STRING, g STRING"]
      ),
      (
        "f STRING,,,g STRING",
        [
          ",: CK0106 one ',' too many", ",: CK0106 one ',' too many", "fixed: f STRING,g STRING",
          "type T: f STRING, g STRING",
        ]
      ),
      (",f STRING", [",: CK0106 one ',' too many", "fixed: f STRING", "type T: f STRING"]),
      (
        "f STRING,",
        [",: CK0106 there is no ',' after the last member", "fixed: f STRING", "type T: f STRING"]
      ),
      ("f STRING,,", [",: CK0106 one ',' too many", "fixed: f STRING,", "type T: f STRING"]),
      ("(", ["(: CK0104 expected a field or GRANT, found '(' | \(fields)", "type T: "]),
      ("< f STRING", ["<: CK0104 expected a field or GRANT, found '<' | \(fields)", "type T: "]),
      (
        "record TYPE",
        [
          "(: CK0106 missing ');' at the end of record type 'T'",
          "record: CK0113 the keyword 'record' is not written in capitals | schema format writes every keyword in capitals",
          "): CK0104 expected the record type's name, found ')' | \(names)", "fixed:     );\nRECORD TYPE",
          "type T: ",
        ]
      ),
      (
        "f STRING }",
        [
          "}: CK0106 expected ')', found '}'", "): CK0106 one ')' too many", "fixed: f STRING )\n;\n",
          "type T: f STRING",
        ]
      ),
      (
        "f STRING,\n}",
        [
          "}: CK0106 expected ')', found '}'", "): CK0106 one ')' too many", "fixed: f STRING,\n)\n;\n",
          "type T: f STRING",
        ]
      ),
      (
        "}", ["}: CK0106 expected ')', found '}'", "): CK0106 one ')' too many", "fixed: )\n;\n", "type T: "]
      ),
      ("", ["type T: "]),
      ("RECORD STRING", ["type T: \"RECORD\" STRING"]),
      (
        "f STRING RECORD STRING",
        [
          "G: CK0106 missing ',' before 'RECORD'", "fixed: f STRING, RECORD STRING",
          "type T: f STRING, \"RECORD\" STRING",
        ]
      ),
      (
        "f STRING SEARCHABLEabcd",
        [
          "SEARCHABLEabcd: CK0108 'SEARCHABLEabcd' is not an option | did you mean SEARCHABLE?",
          "fixed: f STRING SEARCHABLE", "type T: f STRING SEARCHABLE",
        ]
      ),
      (
        "f STRING SEARCHABLEabcde",
        [
          "SEARCHABLEabcde: CK0108 expected an option, ',' or ')', found 'SEARCHABLEabcde' | \(options)",
          "type T: f STRING",
        ]
      ),
      ("~ STRING", ["~: CK0104 expected a field or GRANT, found '~' | \(fields)", "type T: "]),
      (
        "\u{7F} STRING",
        ["\u{7F}: CK0104 expected a field or GRANT, found a control character | \(fields)", "type T: "]
      ),
      (
        "\u{1F} STRING",
        ["\u{1F}: CK0104 expected a field or GRANT, found a control character | \(fields)", "type T: "]
      ),
    ] as [(String, [String])])
  func reads(_ members: String, _ expected: [String]) {
    expectNoDifference(reading(ofMembers: members), expected)
  }
}

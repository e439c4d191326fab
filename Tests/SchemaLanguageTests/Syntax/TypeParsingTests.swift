import CustomDump
import Testing

@testable import SchemaLanguage

@Suite("Reading types") struct TypeParsingTests {
  private static let types =
    "a type is STRING, INT64, DOUBLE, TIMESTAMP, BYTES, LOCATION, REFERENCE, ASSET or LIST<...>"
  private static let options = "the options are QUERYABLE, SORTABLE and SEARCHABLE"
  private static let fields = "a field has a name and a type, as in title STRING QUERYABLE"
  private static let numbers = "a number is NUMBER PREFERRED AS INT64 or NUMBER PREFERRED AS DOUBLE"

  @Test(
    "what a type says is read, and each mistake in it is reported with its correction",
    arguments: [
      ("f", ["): CK0107 expected the type of 'f', found ')' | \(types)", "type T: "]),
      ("f,", [",: CK0107 expected the type of 'f', found ',' | \(types)", "type T: "]),
      (
        "f QUERYABLE",
        ["QUERYABLE: CK0107 expected the type of 'f', found 'QUERYABLE' | \(types)", "type T: "]
      ),
      ("f 7x", ["7x: CK0107 '7x' is not a type | \(types)", "type T: f ? "]),
      ("f <STRING>", ["<: CK0107 expected the type of 'f', found '<' | \(types)", "type T: "]),
      (
        "f [STRING]",
        [
          "[STRING]: CK0107 '[STRING]' is not how a list is written | write LIST<STRING>",
          "fixed: f LIST<STRING>", "type T: f LIST<STRING>",
        ]
      ),
      (
        "f [STRING",
        [
          "[STRING: CK0107 '[STRING' is not how a list is written | write LIST<STRING>",
          "fixed: f LIST<STRING>", "type T: f LIST<STRING>",
        ]
      ),
      ("f [7]", ["7: CK0107 '7' is not a type | \(types)", "type T: f ? "]),
      ("f []", ["]: CK0107 expected the type of 'f', found ']' | \(types)", "type T: "]),
      (
        "f STRING[]",
        [
          "STRING[]: CK0107 'STRING[]' is not how a list is written | write LIST<STRING>",
          "fixed: f LIST<STRING>", "type T: f LIST<STRING>",
        ]
      ),
      (
        "f STRING[",
        [
          "STRING[: CK0107 'STRING[' is not how a list is written | write LIST<STRING>",
          "fixed: f LIST<STRING>", "type T: f LIST<STRING>",
        ]
      ),
      (
        "f STRING]",
        [
          "G: CK0106 missing ',' before ']'", "]: CK0104 expected a field or GRANT, found ']' | \(fields)",
          "fixed: f STRING,]", "type T: f STRING",
        ]
      ),
      (
        "f STRING LIST",
        [
          "STRING LIST: CK0107 'STRING LIST' is not how a list is written | write LIST<STRING>",
          "fixed: f LIST<STRING>", "type T: f LIST<STRING>",
        ]
      ),
      (
        "f STRING\nLIST INT64",
        [
          "G: CK0106 missing ',' before 'LIST'", "fixed: f STRING,\nLIST INT64",
          "type T: f STRING, \"LIST\" INT64",
        ]
      ),
      (
        "f STRING LIST<INT64>",
        [
          "LIST: CK0108 expected an option, ',' or ')', found 'LIST' | \(options)",
          "T: CK0106 missing ',' before '<'", "<: CK0104 expected a field or GRANT, found '<' | \(fields)",
          "fixed: f STRING LIST,<INT64>", "type T: f STRING",
        ]
      ),
      (
        "f LIST",
        [
          "LIST: CK0107 LIST needs the type of its elements | write LIST<STRING>, for example",
          "type T: f ? ",
        ]
      ),
      (
        "f LIST\n, g STRING",
        [
          "LIST: CK0107 LIST needs the type of its elements | write LIST<STRING>, for example",
          "type T: f ? , g STRING",
        ]
      ),
      (
        "f LIST<",
        ["): CK0107 expected the type of the list's elements, found ')' | \(types)", "type T: f ? "]
      ),
      (
        "f LIST<STRING",
        [
          "LIST<STRING: CK0107 'LIST<STRING' is not how a list is written | write LIST<STRING>",
          "fixed: f LIST<STRING>", "type T: f LIST<STRING>",
        ]
      ),
      (
        "f LIST<STRING, g STRING",
        [
          "LIST<STRING: CK0107 'LIST<STRING' is not how a list is written | write LIST<STRING>",
          "fixed: f LIST<STRING>, g STRING", "type T: f LIST<STRING>, g STRING",
        ]
      ),
      (
        "f LIST STRING",
        [
          "LIST STRING: CK0107 'LIST STRING' is not how a list is written | write LIST<STRING>",
          "fixed: f LIST<STRING>", "type T: f LIST<STRING>",
        ]
      ),
      (
        "f LIST\nSTRING INT64",
        [
          "LIST: CK0107 LIST needs the type of its elements | write LIST<STRING>, for example",
          "T: CK0106 missing ',' before 'STRING'", "fixed: f LIST,\nSTRING INT64",
          "type T: f ? , \"STRING\" INT64",
        ]
      ),
      (
        "f LIST STRING>",
        [
          "LIST STRING>: CK0107 'LIST STRING>' is not how a list is written | write LIST<STRING>",
          "fixed: f LIST<STRING>", "type T: f LIST<STRING>",
        ]
      ),
      (
        "f LIST(STRING)",
        [
          "LIST(STRING): CK0107 'LIST(STRING)' is not how a list is written | write LIST<STRING>",
          "fixed: f LIST<STRING>", "type T: f LIST<STRING>",
        ]
      ),
      (
        "f LIST<>",
        [">: CK0107 expected the type of the list's elements, found '>' | \(types)", "type T: f ? "]
      ),
      (
        "f LIST<,>",
        [
          ",: CK0107 expected the type of the list's elements, found ',' | \(types)",
          ">: CK0104 expected a field or GRANT, found '>' | \(fields)", "type T: f ? ",
        ]
      ),
      (
        "f LIST<STRNG>",
        [
          "STRNG: CK0107 'STRNG' is not a type | did you mean STRING?", "fixed: f LIST<STRING>",
          "type T: f LIST<STRING>",
        ]
      ),
      (
        "f LSIT<STRING>",
        [
          "LSIT: CK0104 expected LIST, found 'LSIT' | did you mean LIST?", "fixed: f LIST<STRING>",
          "type T: f LIST<STRING>",
        ]
      ),
      (
        "f LSIT STRING",
        [
          "LSIT: CK0107 'LSIT' is not a type | did you mean LIST?",
          "STRING: CK0108 expected an option, ',' or ')', found 'STRING' | \(options)",
          "fixed: f LIST STRING", "type T: f ? ",
        ]
      ),
      (
        "f LIST<LIST<STRING>> QUERYABLE",
        ["LIST<STRING>: CK0107 a list cannot hold lists", "type T: f ? QUERYABLE"]
      ),
      (
        "f LIST<LIST<STRING>>, g STRNG",
        [
          "LIST<STRING>: CK0107 a list cannot hold lists",
          "STRNG: CK0107 'STRNG' is not a type | did you mean STRING?",
          "fixed: f LIST<LIST<STRING>>, g STRING", "type T: f ? , g STRING",
        ]
      ),
      ("f LIST<LIST>", ["LIST: CK0107 a list cannot hold lists", "type T: f ? "]),
      ("f LIST<ENCRYPTED STRING>", ["type T: f LIST<ENCRYPTED STRING>"]),
      (
        "f LIST<ENCRYPTED LIST<STRING>>",
        [
          "ENCRYPTED LIST<STRING>: CK0107 ENCRYPTED belongs to the elements of a list | write LIST<ENCRYPTED STRING>",
          "fixed: f LIST<LIST<ENCRYPTED STRING>>", "type T: f ? ",
        ]
      ),
      ("f ENCRYPTED", ["): CK0107 expected a type after ENCRYPTED, found ')' | \(types)", "type T: f ? "]),
      ("f ENCRYPTED STRING", ["type T: f ENCRYPTED STRING"]),
      (
        "f ENCRYPTED ASSET",
        [
          "ENCRYPTED ASSET: CK0107 ASSET cannot be ENCRYPTED: assets are encrypted by CloudKit already",
          "fixed: f ASSET", "type T: f ASSET",
        ]
      ),
      (
        "f ENCRYPTED REFERENCE",
        [
          "ENCRYPTED REFERENCE: CK0107 REFERENCE cannot be ENCRYPTED: the service must read it",
          "fixed: f REFERENCE", "type T: f REFERENCE",
        ]
      ),
      (
        "f ENCRYPTED NUMBER",
        [
          "ENCRYPTED NUMBER: CK0107 NUMBER cannot be ENCRYPTED: the service must read it", "fixed: f NUMBER",
          "type T: f NUMBER",
        ]
      ),
      (
        "f ENCRYPTED STRNG",
        [
          "STRNG: CK0107 'STRNG' is not a type | did you mean STRING?", "fixed: f ENCRYPTED STRING",
          "type T: f ENCRYPTED STRING",
        ]
      ),
      (
        "f ENCRYPTED \"STRING\"",
        ["\"STRING\": CK0107 expected a type after ENCRYPTED, found '\"STRING\"' | \(types)", "type T: f ? "]
      ),
      (
        "f ENCRYPTED LIST<STRING>",
        [
          "ENCRYPTED LIST<STRING>: CK0107 ENCRYPTED belongs to the elements of a list | write LIST<ENCRYPTED STRING>",
          "fixed: f LIST<ENCRYPTED STRING>", "type T: f ? ",
        ]
      ),
      (
        "f ENCRYPTED LIST",
        [
          "ENCRYPTED LIST: CK0107 ENCRYPTED belongs to the elements of a list | write LIST<ENCRYPTED STRING>, for example",
          "type T: f ? ",
        ]
      ),
      (
        "f ENCRYPTED LIST<LIST<STRING>>",
        [
          "ENCRYPTED LIST<: CK0107 ENCRYPTED belongs to the elements of a list | write LIST<ENCRYPTED STRING>, for example",
          "LIST: CK0108 expected an option, ',' or ')', found 'LIST' | \(options)",
          "T: CK0106 missing ',' before '<'", "<: CK0104 expected a field or GRANT, found '<' | \(fields)",
          "fixed: f ENCRYPTED LIST<LIST,<STRING>>", "type T: f ? ",
        ]
      ),
      (
        "f ENCRYPTED LIST STRING",
        [
          "ENCRYPTED LIST: CK0107 ENCRYPTED belongs to the elements of a list | write LIST<ENCRYPTED STRING>, for example",
          "STRING: CK0108 expected an option, ',' or ')', found 'STRING' | \(options)", "type T: f ? ",
        ]
      ),
      (
        "f ENCRYPTD STRING",
        [
          "ENCRYPTD: CK0104 expected ENCRYPTED, found 'ENCRYPTD' | did you mean ENCRYPTED?",
          "fixed: f ENCRYPTED STRING", "type T: f ENCRYPTED STRING",
        ]
      ),
      (
        "f ENCRYPTD",
        [
          "ENCRYPTD: CK0107 'ENCRYPTD' is not a type | did you mean ENCRYPTED?", "fixed: f ENCRYPTED",
          "type T: f ? ",
        ]
      ),
      (
        "f ENCRYPTD\nSTRING INT64",
        [
          "ENCRYPTD: CK0107 'ENCRYPTD' is not a type | did you mean ENCRYPTED?",
          "D: CK0106 missing ',' before 'STRING'", "fixed: f ENCRYPTED,\nSTRING INT64",
          "type T: f ? , \"STRING\" INT64",
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
        "f STRING\nENCRYPTED STRING",
        [
          "G: CK0106 missing ',' before 'ENCRYPTED'", "fixed: f STRING,\nENCRYPTED STRING",
          "type T: f STRING, \"ENCRYPTED\" STRING",
        ]
      ),
      (
        "f STRING ENCRYPTED STRING",
        [
          "G: CK0106 missing ',' before 'ENCRYPTED'", "fixed: f STRING, ENCRYPTED STRING",
          "type T: f STRING, \"ENCRYPTED\" STRING",
        ]
      ),
      (
        "f ASSET ENCRYPTED",
        [
          "ASSET ENCRYPTED: CK0107 ASSET cannot be ENCRYPTED | leave ENCRYPTED out", "fixed: f ASSET",
          "type T: f ASSET",
        ]
      ),
      (
        "f LIST<ASSET> ENCRYPTED",
        [
          "LIST<ASSET> ENCRYPTED: CK0107 LIST<ASSET> cannot be ENCRYPTED | leave ENCRYPTED out",
          "fixed: f LIST<ASSET>", "type T: f LIST<ASSET>",
        ]
      ),
      (
        "f STRING ENCRYPTED QUERYABLE",
        [
          "STRING ENCRYPTED: CK0107 ENCRYPTED comes before the type, found 'STRING ENCRYPTED' | write ENCRYPTED STRING",
          "fixed: f ENCRYPTED STRING QUERYABLE", "type T: f ENCRYPTED STRING QUERYABLE",
        ]
      ),
      ("f NUMBER", ["type T: f NUMBER"]),
      (
        "f NUMBER PREFERRED",
        ["): CK0104 expected AS, found ')' | \(numbers)", "fixed: f NUMBER PREFERRED AS", "type T: f NUMBER"]
      ),
      (
        "f NUMBER PREFERRED AS",
        ["): CK0107 expected INT64 or DOUBLE after PREFERRED AS, found ')' | \(numbers)", "type T: f NUMBER"]
      ),
      (
        "f NUMBER PREFERRED INT64",
        [
          "INT64: CK0104 expected AS, found 'INT64' | \(numbers)", "fixed: f NUMBER PREFERRED AS INT64",
          "type T: f NUMBER PREFERRED AS INT64",
        ]
      ),
      ("f NUMBER PREFERRED AS INT64", ["type T: f NUMBER PREFERRED AS INT64"]),
      ("f NUMBER PREFERRED AS DOUBLE QUERYABLE", ["type T: f NUMBER PREFERRED AS DOUBLE QUERYABLE"]),
      (
        "f NUMBER PREFERRED AS STRING",
        [
          "STRING: CK0107 expected INT64 or DOUBLE after PREFERRED AS, found 'STRING' | \(numbers)",
          "type T: f NUMBER",
        ]
      ),
      (
        "f NUMBER PREFERRED AS 7",
        ["7: CK0107 expected INT64 or DOUBLE after PREFERRED AS, found '7' | \(numbers)", "type T: f NUMBER"]
      ),
      (
        "f NUMBER PREFERRED AS (",
        [
          "S: CK0106 missing ',' before '('", "(: CK0104 expected a field or GRANT, found '(' | \(fields)",
          "(: CK0107 expected INT64 or DOUBLE after PREFERRED AS, found '(' | \(numbers)",
          "fixed: f NUMBER PREFERRED AS, (", "type T: f NUMBER",
        ]
      ),
      (
        "f NUMBER AS INT64",
        ["R: CK0106 missing ',' before 'AS'", "fixed: f NUMBER, AS INT64", "type T: f NUMBER, \"AS\" INT64"]
      ),
      (
        "f NUMBR PREFERRED AS INT64",
        [
          "NUMBR: CK0104 expected NUMBER, found 'NUMBR' | did you mean NUMBER?",
          "fixed: f NUMBER PREFERRED AS INT64", "type T: f NUMBER PREFERRED AS INT64",
        ]
      ),
      (
        "f NUMBR",
        ["NUMBR: CK0107 'NUMBR' is not a type | did you mean NUMBER?", "fixed: f NUMBER", "type T: f NUMBER"]
      ),
      (
        "f NUMBER PREFERED AS INT64",
        [
          "PREFERED: CK0104 expected PREFERRED, found 'PREFERED' | did you mean PREFERRED?",
          "fixed: f NUMBER PREFERRED AS INT64", "type T: f NUMBER PREFERRED AS INT64",
        ]
      ),
      (
        "f UUID",
        ["UUID: CK0107 'UUID' is not a type | did you mean STRING?", "fixed: f STRING", "type T: f STRING"]
      ),
      (
        "f uuid",
        ["uuid: CK0107 'uuid' is not a type | did you mean STRING?", "fixed: f STRING", "type T: f STRING"]
      ),
      (
        "f UUID(4)",
        ["UUID: CK0107 'UUID' is not a type | did you mean STRING?", "fixed: f STRING", "type T: f STRING"]
      ),
      (
        "f UUID QUERYABLE",
        [
          "UUID: CK0107 'UUID' is not a type | did you mean STRING?", "fixed: f STRING QUERYABLE",
          "type T: f STRING QUERYABLE",
        ]
      ),
      (
        "f VARCHAR(255) QUERYABLE",
        [
          "VARCHAR: CK0107 'VARCHAR' is not a type | did you mean STRING?", "fixed: f STRING QUERYABLE",
          "type T: f STRING QUERYABLE",
        ]
      ),
      (
        "f VARCHAR (a, b(c) d)",
        [
          "VARCHAR: CK0107 'VARCHAR' is not a type | did you mean STRING?",
          "d: CK0108 expected an option, ',' or ')', found 'd' | \(options)", "): CK0106 one ')' too many",
          "fixed: f STRING d)\n;\n", "type T: f STRING",
        ]
      ),
      (
        "f STRING(255)",
        [
          "(255): CK0107 types take no argument: '(255)' | a schema does not limit lengths or values",
          "fixed: f STRING", "type T: f STRING",
        ]
      ),
      (
        "f STRING(255",
        [
          "G: CK0106 missing ',' before '('", "(: CK0104 expected a field or GRANT, found '(' | \(fields)",
          "fixed: f STRING,(255", "type T: f STRING",
        ]
      ),
      (
        "f STRING(255;",
        [
          "G: CK0106 missing ',' before '('", "(: CK0104 expected a field or GRANT, found '(' | \(fields)",
          ";: CK0106 members are separated by ',', not ';'", "fixed: f STRING,(255,", "type T: f STRING",
        ]
      ),
      (
        "f STRING\n(255)",
        [
          "G: CK0106 missing ',' before '('", "(: CK0104 expected a field or GRANT, found '(' | \(fields)",
          "): CK0106 one ')' too many", "fixed: f STRING,\n(255)\n;\n", "type T: f STRING",
        ]
      ),
      (
        "f REFERENCE(Category)",
        [
          "(Category): CK0107 types take no argument: '(Category)' | a schema does not say what a REFERENCE refers to",
          "fixed: f REFERENCE", "type T: f REFERENCE",
        ]
      ),
      (
        "f reference(Category)",
        [
          "reference: CK0113 the keyword 'reference' is not written in capitals | schema format writes every keyword in capitals",
          "(Category): CK0107 types take no argument: '(Category)' | a schema does not say what a REFERENCE refers to",
          "fixed: f REFERENCE", "type T: f REFERENCE",
        ]
      ),
      (
        "f LIST<STRING>(5)",
        [
          "(5): CK0107 types take no argument: '(5)' | a schema does not limit lengths or values",
          "fixed: f LIST<STRING>", "type T: f LIST<STRING>",
        ]
      ),
      ("f ELEPHANT", ["ELEPHANT: CK0107 'ELEPHANT' is not a type | \(types)", "type T: f ? "]),
      (
        "f STRING STRING",
        ["STRING: CK0108 expected an option, ',' or ')', found 'STRING' | \(options)", "type T: f STRING"]
      ),
      (
        "f title STRING",
        [
          "title: CK0107 expected a type, found 'title' | leave out 'title'", "fixed: f STRING",
          "type T: f STRING",
        ]
      ),
      (
        "f title\nSTRING",
        [
          "title: CK0107 'title' is not a type | \(types)", "e: CK0106 missing ',' before 'STRING'",
          "): CK0107 expected the type of 'STRING', found ')' | \(types)", "fixed: f title,\nSTRING",
          "type T: f ? ",
        ]
      ),
      (
        "f title LIST<STRING>",
        [
          "title: CK0107 expected a type, found 'title' | leave out 'title'", "fixed: f LIST<STRING>",
          "type T: f LIST<STRING>",
        ]
      ),
      (
        "f UUID STRING",
        [
          "UUID: CK0107 'UUID' is not a type | did you mean STRING?",
          "STRING: CK0108 expected an option, ',' or ')', found 'STRING' | \(options)",
          "fixed: f STRING STRING", "type T: f STRING",
        ]
      ),
      (
        "f STRNG STRING",
        [
          "STRNG: CK0107 'STRNG' is not a type | did you mean STRING?",
          "STRING: CK0108 expected an option, ',' or ')', found 'STRING' | \(options)",
          "fixed: f STRING STRING", "type T: f STRING",
        ]
      ),
      ("f \"t\" STRING", ["\"t\": CK0107 expected the type of 'f', found '\"t\"' | \(types)", "type T: "]),
      (
        "\"___recordID\" QUERYABLE",
        [
          "QUERYABLE: CK0107 expected the type of '___recordID', found 'QUERYABLE' | write REFERENCE before QUERYABLE",
          "fixed: \"___recordID\" REFERENCE QUERYABLE", "type T: \"___recordID\" REFERENCE QUERYABLE",
        ]
      ),
      (
        "\"___recordID\"", ["): CK0107 expected the type of '___recordID', found ')' | \(types)", "type T: "]
      ),
      ("\"___recordID\" STRING", ["type T: \"___recordID\" STRING"]),
      (
        "\"___createTime\" QUERYABLE SORTABLE",
        [
          "QUERYABLE: CK0107 expected the type of '___createTime', found 'QUERYABLE' | write TIMESTAMP before QUERYABLE",
          "fixed: \"___createTime\" TIMESTAMP QUERYABLE SORTABLE",
          "type T: \"___createTime\" TIMESTAMP QUERYABLE SORTABLE",
        ]
      ),
      (
        "\"___etag\" QUERYABLE",
        [
          "QUERYABLE: CK0107 expected the type of '___etag', found 'QUERYABLE' | write STRING before QUERYABLE",
          "fixed: \"___etag\" STRING QUERYABLE", "type T: \"___etag\" STRING QUERYABLE",
        ]
      ),
      (
        "\"___recordName\" QUERYABLE",
        [
          "\"___recordName\" QUERYABLE: CK0107 '\"___recordName\"' is not a system field | did you mean \"___recordID\" REFERENCE QUERYABLE?",
          "fixed: \"___recordID\" REFERENCE QUERYABLE", "type T: ",
        ]
      ),
      ("\"___recordName\" STRING", ["type T: \"___recordName\" STRING"]),
      (
        "___recordName QUERYABLE",
        [
          "___recordName: CK0111 '___recordName' is not a name of the system | write \"___recordID\"",
          "QUERYABLE: CK0107 expected the type of '___recordID', found 'QUERYABLE' | write REFERENCE before QUERYABLE",
          "fixed: \"___recordID\" REFERENCE QUERYABLE", "type T: \"___recordID\" REFERENCE QUERYABLE",
        ]
      ),
      (
        "\"___x\" QUERYABLE",
        ["QUERYABLE: CK0107 expected the type of '___x', found 'QUERYABLE' | \(types)", "type T: "]
      ),
      (
        "\"_x\" QUERYABLE",
        ["QUERYABLE: CK0107 expected the type of '_x', found 'QUERYABLE' | \(types)", "type T: "]
      ),
      (
        "\"__recordID\" RECORD ID",
        [
          "\"__recordID\" RECORD ID: CK0107 '\"__recordID\"' is not a system field | did you mean \"___recordID\" REFERENCE QUERYABLE?",
          "fixed: \"___recordID\" REFERENCE QUERYABLE", "type T: ",
        ]
      ),
      (
        "\"__recordID\" RECORD ID QUERYABLE",
        [
          "\"__recordID\" RECORD ID QUERYABLE: CK0107 '\"__recordID\"' is not a system field | did you mean \"___recordID\" REFERENCE QUERYABLE?",
          "fixed: \"___recordID\" REFERENCE QUERYABLE", "type T: ",
        ]
      ),
      (
        "\"__recordID\" RECORD\nID STRING",
        [
          "\"__recordID\" RECORD: CK0107 '\"__recordID\"' is not a system field | did you mean \"___recordID\" REFERENCE QUERYABLE?",
          "fixed: \"___recordID\" REFERENCE QUERYABLE\nID STRING", "type T: ID STRING",
        ]
      ),
      (
        "\"___modTime\" DATE QUERYABLE",
        [
          "DATE: CK0107 'DATE' is not a type | did you mean TIMESTAMP?",
          "fixed: \"___modTime\" TIMESTAMP QUERYABLE", "type T: \"___modTime\" TIMESTAMP QUERYABLE",
        ]
      ),
      (
        "\"___modTime\" TIMESTMP",
        [
          "TIMESTMP: CK0107 'TIMESTMP' is not a type | did you mean TIMESTAMP?",
          "fixed: \"___modTime\" TIMESTAMP", "type T: \"___modTime\" TIMESTAMP",
        ]
      ),
      ("\"___createTime\" INT64", ["type T: \"___createTime\" INT64"]),
      (
        "___modTime, f STRING",
        [
          "___modTime: CK0110 a name with a leading underscore belongs to the system and must be quoted | write \"___modTime\"",
          ",: CK0107 expected the type of '___modTime', found ',' | \(types)",
          "fixed: \"___modTime\", f STRING", "type T: f STRING",
        ]
      ),
      (
        "f TIMESTAMPéééx",
        [
          "TIMESTAMPéééx: CK0107 'TIMESTAMPéééx' is not a type | did you mean TIMESTAMP?",
          "fixed: f TIMESTAMP", "type T: f TIMESTAMP",
        ]
      ),
      (
        "f TIMESTAMPéééé", ["TIMESTAMPéééé: CK0107 'TIMESTAMPéééé' is not a type | \(types)", "type T: f ? "]
      ),
      (
        "f ENCRYPTEDéééx STRING",
        [
          "ENCRYPTEDéééx: CK0104 expected ENCRYPTED, found 'ENCRYPTEDéééx' | did you mean ENCRYPTED?",
          "fixed: f ENCRYPTED STRING", "type T: f ENCRYPTED STRING",
        ]
      ),
      (
        "f ENCRYPTEDéééé STRING",
        [
          "ENCRYPTEDéééé: CK0107 expected a type, found 'ENCRYPTEDéééé' | leave out 'ENCRYPTEDéééé'",
          "fixed: f STRING", "type T: f STRING",
        ]
      ),
      (
        "f NUMBER PREFERREDéééx AS INT64",
        [
          "PREFERREDéééx: CK0104 expected PREFERRED, found 'PREFERREDéééx' | did you mean PREFERRED?",
          "fixed: f NUMBER PREFERRED AS INT64", "type T: f NUMBER PREFERRED AS INT64",
        ]
      ),
      (
        "f NUMBER PREFERREDéééé AS INT64",
        [
          "PREFERREDéééé: CK0108 expected an option, ',' or ')', found 'PREFERREDéééé' | \(options)",
          "�: CK0106 missing ',' before 'AS'", "fixed: f NUMBER PREFERREDéééé, AS INT64",
          "type T: f NUMBER, \"AS\" INT64",
        ]
      ),
    ] as [(String, [String])])
  func reads(_ members: String, _ expected: [String]) {
    expectNoDifference(reading(ofMembers: members), expected)
  }
}

import CloudKitModel
import SchemaLanguage
import Testing

@testable import LocalContainer

@Suite("What a schema may replace") struct SchemaReplacementCheckTests {
  private func schema(_ text: String) throws -> Schema { try Schema(parsing: "DEFINE SCHEMA \(text)") }

  /// The refusal of a schema, given that of development and of production.
  private func refusal(
    _ new: String, replacing development: String, production: String = "",
    _ behavior: ServerBehavior = .init()
  ) throws -> String? {
    let check = SchemaReplacementCheck(
      development: try schema(development).withUsers, production: try schema(production).withUsers,
      behavior: behavior)
    do {
      try check.check(try schema(new))
      return nil
    } catch let refusal as ServerError { return refusal.explanation }
  }

  private static let users = "RECORD TYPE Users ( roles LIST<INT64> );"

  @Test("types may be left out, but not those of production or of CloudKit")
  func omittedTypes() throws {
    let t = "RECORD TYPE T ( a STRING );"
    #expect(try refusal("", replacing: t) == nil)
    #expect(try refusal("", replacing: t, production: t) == "the schema leaves out T, which production has")
    #expect(try refusal(t, replacing: t, production: t) == nil)
    #expect(try refusal("", replacing: "", production: t) == nil)
    var strict = ServerBehavior()
    strict.omittedUsersType = .refuse
    #expect(try refusal("", replacing: t, strict) == nil)
  }

  private func refusal(_ new: String, replacing old: String, _ behavior: ServerBehavior) throws -> String? {
    try refusal(Self.users + new, replacing: old, production: "", behavior)
  }

  /// The types of a field in development, in production and in the new schema, with the refusal.
  static let changes: [(String?, String?, String?, String?)] = [
    ("STRING", nil, "INT64", nil), ("STRING", nil, nil, nil), ("STRING", "STRING", "STRING", nil),
    ("STRING", "STRING", "INT64", "T.a is a STRING in production"),
    (nil, "STRING", "INT64", "T.a is a STRING in production"),
    ("STRING", "STRING", nil, "the schema leaves out T.a, which production has"),
    (nil, "STRING", nil, "the schema leaves out T.a, which production has"),
    ("STRING", nil, "ENCRYPTED STRING", "encryption of a field cannot be added or removed"),
    ("ENCRYPTED STRING", nil, "STRING", "encryption of a field cannot be added or removed"),
    ("ENCRYPTED STRING", nil, "ENCRYPTED INT64", nil), ("LIST<NUMBER>", nil, "NUMBER", nil),
    ("LIST<NUMBER>", "LIST<NUMBER>", "NUMBER", "T.a is a LIST<NUMBER> in production"),
    ("NUMBER", "NUMBER", "INT64", "T.a is a NUMBER in production"),
    (
      "NUMBER PREFERRED AS INT64", nil, "NUMBER PREFERRED AS DOUBLE", "T.a is a NUMBER PREFERRED AS INT64"
    ), ("NUMBER PREFERRED AS INT64", nil, "NUMBER", "T.a is a NUMBER PREFERRED AS INT64"),
    (
      "NUMBER PREFERRED AS INT64", "NUMBER", "NUMBER PREFERRED AS DOUBLE",
      "T.a is a NUMBER PREFERRED AS INT64"
    ),
  ]

  @Test("a field may change its type until production has it", arguments: changes)
  func fields(development: String?, production: String?, new: String?, reason: String?) throws {
    func type(_ field: String?) -> String { "RECORD TYPE T ( b INT64\(field.map { ", a \($0)" } ?? "") );" }
    #expect(
      try refusal(
        type(new), replacing: type(development), production: production == nil ? "" : type(production))
        == reason)
    var strict = ServerBehavior()
    strict.fieldTypeChange = .refuse
    let strictly = try refusal(
      type(new), replacing: type(development), production: production == nil ? "" : type(production), strict)
    let changes = development != nil && new != nil && development != new
    #expect(strictly == reason ?? (changes ? "T.a is a \(development ?? "")" : nil))
  }

  @Test("a NUMBER can get its preferred type whatever else may change", arguments: ["", "NUMBER"])
  func preference(production: String) throws {
    var strict = ServerBehavior()
    strict.fieldTypeChange = .refuse
    for behavior in [ServerBehavior(), strict] {
      #expect(
        try refusal(
          "RECORD TYPE T ( a NUMBER PREFERRED AS INT64 );", replacing: "RECORD TYPE T ( a NUMBER );",
          production: production.isEmpty ? "" : "RECORD TYPE T ( a \(production) );", behavior) == nil)
    }
  }

  static let types = [
    "STRING", "INT64", "ENCRYPTED STRING", "ENCRYPTED INT64", "LIST<STRING>", "NUMBER", "LIST<NUMBER>",
    "NUMBER PREFERRED AS INT64", "NUMBER PREFERRED AS DOUBLE",
  ]

  @Test("a container refuses a type exactly when a plan says that development does", arguments: types)
  func sameVerdict(old: String) throws {
    for new in Self.types where new != old {
      for production in ["", "RECORD TYPE T ( a \(old) );"] {
        let (before, after) = ("RECORD TYPE T ( a \(old) );", "RECORD TYPE T ( a \(new) );")
        let changes = SchemaDiff.changes(
          from: try schema(before), to: try schema(after), production: try schema(production))
        let reason = try refusal(after, replacing: before, production: production)
        #expect(
          (reason != nil) == changes.contains { $0.development == .refused },
          "\(before) \(after) \(production)")
      }
    }
  }

  @Test("a system field has its own type")
  func systemFields() throws {
    let check = SchemaReplacementCheck(
      development: Schema(), production: Schema(), behavior: ServerBehavior())
    func schema(_ type: DataType) -> Schema {
      Schema(recordTypes: [RecordType("T", fields: [Field("___recordID", type), Field("a", .string)])])
    }
    try check.check(schema(.reference))
    let refusal = #expect(throws: ServerError.self) { try check.check(schema(.string)) }
    #expect(refusal?.explanation == "___recordID is always a REFERENCE")
  }

  @Test("deploying adds types, fields, indexes, roles and privileges, and takes nothing away")
  func adding() throws {
    let production = try schema(
      """
      CREATE ROLE Old; CREATE ROLE Both;
      RECORD TYPE T ( a STRING QUERYABLE, b INT64, GRANT READ TO "_world", GRANT WRITE TO Old );
      RECORD TYPE Gone ( a STRING );
      """)
    let sum = try production.adding(
      try schema(
        """
        CREATE ROLE Both; CREATE ROLE New;
        RECORD TYPE T ( a STRING SORTABLE, c STRING, GRANT CREATE TO "_world", GRANT READ TO New );
        RECORD TYPE Added ( a STRING );
        """))
    #expect(
      sum.roles.map(\.name) == ["Old", "Both", "New"]
        && sum.recordTypes.map(\.name) == ["T", "Gone", "Added"])
    let type = try #require(sum[recordType: "T"])
    #expect(type.fields.map(\.name) == ["a", "b", "c"])
    #expect(type[field: "a"]?.indexes == [.queryable, .sortable])
    #expect(type.grants.map(\.role) == ["_world", "Old", "New"])
    #expect(type.privileges(of: "_world") == [.read, .create])
    #expect(throws: ServerError.self) { try production.adding(try schema("RECORD TYPE T ( a INT64 );")) }
    for (old, new, result) in [
      ("NUMBER", "NUMBER PREFERRED AS INT64", "NUMBER PREFERRED AS INT64"), ("NUMBER", "INT64", nil),
      ("NUMBER PREFERRED AS INT64", "NUMBER PREFERRED AS DOUBLE", nil),
      ("NUMBER PREFERRED AS INT64", "NUMBER", nil),
    ] {
      let deployed = try? schema("RECORD TYPE T ( a \(old) );").adding(schema("RECORD TYPE T ( a \(new) );"))
      #expect(deployed?[recordType: "T"]?[field: "a"]?.type.description == result, "\(old) \(new)")
    }
    #expect(
      production.withUsers.withUsers == production.withUsers
        && production.withUsers[recordType: "Users"] != nil)
  }

  @Test("a written record adds its type and fields, once")
  func growing() throws {
    let schema = try schema("RECORD TYPE T ( b STRING );")
    let grown = try #require(
      try schema.growing(
        "T", by: ["c": .int64(1), "a": .string("x"), "b": .string("y"), "n": nil, "_s": .int64(1)]))
    #expect(grown[recordType: "T"]?.fields.map(\.name) == ["b", "a", "c"] && grown.recordTypes.count == 1)
    #expect(grown[recordType: "T"]?[field: "c"]?.type == .int64)
    #expect(try grown.growing("T", by: ["a": .string("z")]) == nil && schema.growing("T", by: [:]) == nil)
    #expect(try schema.growing("U", by: [:])?.recordTypes.map(\.name) == ["T", "U"])
    for (type, field) in [("1", "a"), ("T", "1"), ("T", "a b")] {
      #expect(throws: ServerError.self) { try schema.growing(type, by: [field: .int64(1)]) }
    }
  }
}

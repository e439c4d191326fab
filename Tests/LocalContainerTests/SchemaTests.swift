import CloudKitModel
import LocalContainer
import SchemaLanguage
import Testing

@Suite("Schema changes")
struct SchemaTests {
  private func schema(_ fields: String, role: String = "") -> String {
    "DEFINE SCHEMA \(role) RECORD TYPE T (\"___recordID\" REFERENCE QUERYABLE\(fields));"
  }

  @Test("1.5, 1.6: an export has Users and all six system fields of every type, and imports to itself")
  func export() async throws {
    let library = try await container()
    let text = try await library.exportSchema()
    #expect(try Schema(parsing: text)[recordType: "Loan"]?.fields.count == 7)
    #expect(try Schema(parsing: text)[recordType: "Users"] != nil)
    try await library.importSchema(text)
    #expect(try await library.exportSchema() == text)
  }

  @Test("1.6: an export has the roles in the order in which they were made, and grants in the order of bytes")
  func exportOrder() async throws {
    func schema(_ roles: [String]) -> String {
      "DEFINE SCHEMA \(roles.map { "CREATE ROLE \($0);" }.joined()) "
        + "RECORD TYPE T (a STRING, GRANT READ TO \"_world\", GRANT READ TO mods, GRANT WRITE TO Team);"
    }
    let container = try await container(schema(["mods", "Team", "Admin"]))
    // An import creates the roles that are new, and only those.
    try await container.importSchema(schema(["Root", "Team", "mods"]))
    let text = try await container.exportSchema()
    #expect(
      text.hasPrefix(
        "DEFINE SCHEMA\n\n    CREATE ROLE mods;\n    CREATE ROLE Team;\n    CREATE ROLE Root;\n\n    RECORD TYPE T ("
      ))
    #expect(
      text.contains(
        "GRANT WRITE TO Team,\n        GRANT READ TO \"_world\",\n        GRANT READ TO mods\n    );"))
  }

  @Test("3.1: an import replaces everything; records of a dropped type and values of a dropped field go")
  func replacement() async throws {
    let container = try await container(schema(", a STRING QUERYABLE, b STRING); RECORD TYPE U (a STRING"))
    try await container.create("t", ["a": .string("x"), "b": .string("y")], type: "T")
    try await container.create("u", type: "U")
    try await container.importSchema(schema(", b STRING QUERYABLE"))
    #expect(try await container.lookup(LookupRequest(["u"])).first?.error?.code == .notFound)
    #expect(try await container.lookup(LookupRequest(["t"])).first?.record?.fields == ["b": .string("y")])
    #expect(try await container.names(Query("T", filters: [Filter("b", .equals, .string("y"))])) == ["t"])
    #expect(try await container.create("u", type: "T").error == nil)
  }

  @Test(
    "an index added later finds the records there were before",
    arguments: ["LIST<STRING> QUERYABLE", "LIST<STRING> SEARCHABLE"])
  func laterIndex(_ type: String) async throws {
    let container = try await container(schema(", a LIST<STRING>"))
    try await container.create("t", ["a": .strings(["one two"])], type: "T")
    try await container.importSchema(schema(", a \(type)"))
    let filter =
      type.hasSuffix("QUERYABLE")
      ? Filter("a", .listContains, .string("one two")) : Filter("a", .containsAllTokens, .string("two"))
    #expect(try await container.names(Query("T", filters: [filter])) == ["t"])
  }

  @Test("3.1: a number keeps its values when it becomes the other kind, anything else loses them")
  func typeChange() async throws {
    let container = try await container(schema(", n INT64 QUERYABLE, s STRING"))
    try await container.create("t", ["n": .int64(3), "s": .string("3")], type: "T")
    try await container.importSchema(schema(", n DOUBLE QUERYABLE, s INT64"))
    #expect(try await container.lookup(LookupRequest(["t"])).first?.record?.fields == ["n": .double(3)])
  }

  @Test("3.2: production takes no import, with the service's words")
  func productionImport() async throws {
    let production = try await container().seen(by: .serverKey, in: .production)
    let reason = "BadRequestException: endpoint not applicable in the environment 'production'"
    #expect(try await production.validateSchema(librarySchema) == reason)
    #expect(
      try await refusal { try await production.importSchema(librarySchema) } == "BAD_REQUEST: \(reason)")
  }

  @Test(
    "3.1, 3.2: what production has cannot be taken away or changed",
    arguments: [
      ("DEFINE SCHEMA", "invalid attempt to delete a record type which is active in a production container"),
      (
        "DEFINE SCHEMA RECORD TYPE T (n NUMBER, a INT64);",
        "invalid attempt to change the type of field 'a' in type 'T' from STRING to INT64"
      ),
      (
        "DEFINE SCHEMA RECORD TYPE T (n NUMBER);",
        "invalid attempt to delete a field which is active in a production container"
      ),
      (
        "DEFINE SCHEMA RECORD TYPE T (n NUMBER, a ENCRYPTED STRING);",
        "invalid attempt to change the type of field 'a' in type 'T' from STRING to ENCRYPTED STRING"
      ),
      ("DEFINE SCHEMA RECORD TYPE T (n NUMBER PREFERRED AS INT64, a STRING);", nil),
    ] as [(String, String?)])
  func deployedParts(_ text: String, _ reason: String?) async throws {
    let container = try await container(schema(", a STRING, n NUMBER"))
    try await container.store.deploySchema()
    let before = try await container.exportSchema()
    #expect(try await container.validateSchema(text) == reason)
    #expect(try await container.exportSchema() == before)
    #expect(
      try await refusal { try await container.importSchema(text) } == reason.map { "BAD_REQUEST: \($0)" })
  }

  @Test("3.2: a managed type cannot be left out, Users is kept")
  func managedTypes() async throws {
    let container = try await container(
      "DEFINE SCHEMA RECORD TYPE \"cloudkit.share\" (\"cloudkit.title\" STRING);")
    #expect(
      try await container.validateSchema("DEFINE SCHEMA")
        == "invalid attempt to delete cloudkit managed record type")
    #expect(try await container.exportSchema().contains("RECORD TYPE Users"))
  }

  @Test("Users may be left out, unless the service is set to refuse that; other types may in either case")
  func leavingOutUsers() async throws {
    var behavior = ServerBehavior()
    behavior.omittedUsersType = .refuse
    let with = schema(", a STRING); RECORD TYPE Users (a STRING")
    for (behavior, reason) in [
      (ServerBehavior(), nil), (behavior, "invalid attempt to delete cloudkit managed record type"),
    ] {
      let container = try await container(with, behavior)
      #expect(try await container.validateSchema("DEFINE SCHEMA RECORD TYPE Users (a STRING);") == nil)
      #expect(try await container.validateSchema(schema(", a STRING")) == reason)
    }
  }

  @Test("deploying adds to production and takes nothing away; records stay behind")
  func deploy() async throws {
    let container = try await container(schema(", a STRING"))
    try await container.create("t", type: "T")
    try await container.store.deploySchema()
    try await container.importSchema(schema(", a STRING QUERYABLE, b STRING", role: "CREATE ROLE R;"))
    try await container.store.deploySchema()
    let production = container.seen(by: .serverKey, in: .production)
    #expect(try await production.exportSchema() == container.exportSchema())
    #expect(try await production.names(Query("T")) == [])
    try await production.create("t", ["b": .string("x")], type: "T")
    #expect(try await container.lookup(LookupRequest(["t"])).first?.record?.fields == [:])
  }

  @Test("deploying gives a NUMBER the type that development chose, and keeps the values of production")
  func deployPreference() async throws {
    let container = try await container(schema(", n NUMBER"))
    try await container.store.deploySchema()
    let production = container.seen(by: .serverKey, in: .production)
    try await production.create("p", ["n": .double(2)], type: "T")
    try await container.importSchema(schema(", n NUMBER PREFERRED AS INT64, a STRING"))
    try await container.store.deploySchema()
    #expect(try await production.exportSchema() == container.exportSchema())
    #expect(try await production.lookup(LookupRequest(["p"])).first?.record?["n"] == .int64(2))
  }

  @Test("reset makes development production's schema and deletes its records only")
  func reset() async throws {
    let container = try await container(schema(", a STRING"))
    try await container.store.deploySchema()
    let production = container.seen(by: .serverKey, in: .production)
    try await production.create("p", type: "T")
    try await container.importSchema(schema(", a STRING, b STRING"))
    try await container.create("d", type: "T")
    try await container.resetSchema()
    #expect(try await container.exportSchema() == production.exportSchema())
    #expect(try await container.names(Query("T")) == [])
    #expect(try await production.names(Query("T")) == ["p"])
  }

  @Test("a fresh container is initialized once; the same schema again is nothing, another is refused")
  func initialize() async throws {
    let container = try LocalContainer.open(.memory)
    let schema = try Schema(parsing: schema(", a STRING"))
    try await container.store.initialize(schema, .production)
    try await container.store.initialize(schema, .production)
    #expect(try await container.seen(by: .serverKey, in: .production).create("t", type: "T").error == nil)
    await #expect(throws: ContainerFailure.self) {
      try await container.store.initialize(Schema(parsing: librarySchema), .development)
    }
  }

  @Test("a text that is not a schema changes nothing and is explained")
  func syntaxError() async throws {
    let library = try await container()
    let before = try await library.exportSchema()
    #expect(try await library.validateSchema("DEFINE SCHEMA RECORD TYPE (") != nil)
    #expect(try await refusal { try await library.importSchema("DEFINE SCHEMA RECORD TYPE (") } != nil)
    #expect(try await library.exportSchema() == before)
  }
}

import LocalContainer
import SchemaLanguage
import Testing

@testable import CloudKitModel

@Suite("Field values")
struct FieldTests {
  @Test(
    "3.1: every type comes back as it was written, empty and awkward values too",
    arguments: [
      ("title", .string("")), ("title", .string("NUL\u{0}in the middle")), ("title", .string("日本 🎈")),
      ("pages", .int64(.min)), ("pages", .int64(.max)), ("price", .double(0.1)), ("price", .double(3)),
      ("price", .double(1e308)), ("bought", .timestamp(Timestamp(milliseconds: -1))), ("digest", .bytes([])),
      ("digest", .bytes([0, 255])), ("author", .reference(Reference("p"))),
      ("author", .reference(Reference("p", action: .deleteSelf))),
      (
        "place",
        .location(
          Location(latitude: 52.5, longitude: -0.1, altitude: 3, timestamp: Timestamp(milliseconds: 7)))
      ),
      ("tags", .strings([])), ("tags", .strings(["a", "a", "\"", ""])),
      ("scores", .list(of: .double, [.double(0.1), .double(2)])),
      (
        "editors",
        .list(of: .reference, [.reference(Reference("p")), .reference(Reference("q", action: .deleteSelf))])
      ),
    ] as [(String, FieldValue)])
  func roundTrip(_ field: String, _ value: FieldValue) async throws {
    let library = try await container()
    #expect(try await library.create("b", [field: value]).record?.fields == [field: value])
    #expect(try await library.lookup(LookupRequest(["b"])).first?.record?.fields == [field: value])
    #expect(try await library.query(QueryRequest(Query("Book"))).records.first?.fields == [field: value])
  }

  @Test(
    "3.1: a value of another type is refused with both types named",
    arguments: [
      ("author", .string("p"), "STRING", "REFERENCE"), ("bought", .string("1"), "STRING", "TIMESTAMP"),
      ("price", .int64(1), "INT64", "DOUBLE"), ("tags", .string("a"), "STRING", "STRING_LIST"),
      ("tags", .list(of: .int64, [.int64(1)]), "INT64_LIST", "STRING_LIST"),
      ("cover", .bytes([1]), "BYTES", "ASSETID"),
    ] as [(String, FieldValue, String, String)])
  func mismatch(_ field: String, _ value: FieldValue, _ given: String, _ declared: String) async throws {
    let library = try await container()
    let reason =
      "BAD_REQUEST: invalid attempt to set value type \(given) for field '\(field)' for type 'Book', "
      + "defined to be: \(declared)"
    #expect(try await library.create("b", [field: value]).error?.description == reason)
    #expect(try await library.names(Query("Book")) == [])
  }

  @Test("3.1: a number is no date: the text is that of a date sent without its type")
  func untypedDate() async throws {
    let outcome = try await container().create("b", ["bought": .int64(1_700_000_000_000)])
    #expect(outcome.error?.description == "BAD_REQUEST: Invalid value, expected type TIMESTAMP.")
  }

  @Test(
    "3.1: an empty list without a type fits any list and gets its field's type",
    arguments: ["scores", "editors"])
  func emptyList(field: String) async throws {
    var behavior = ServerBehavior()
    behavior.writeWithoutChangeMakesTag = false
    let library = try await container(librarySchema, behavior)
    let type: ScalarType = field == "scores" ? .double : .reference
    let made = try #require(try await library.create("b", [field: .strings([])]).record)
    #expect(made.fields[field]?.type == .list(type))
    let found = try await library.lookup(LookupRequest(["b"])).first?.record
    #expect(found?.fields[field]?.type == .list(type))
    // The same again, with and without a type, changes nothing.
    for value in [FieldValue.strings([]), .list(of: type, [])] {
      let again = try await library.one(
        RecordOperation(
          .update, recordType: "Book", recordName: "b", changeTag: made.changeTag, fields: [field: value]))
      #expect(again.record?.changeTag == made.changeTag && again.record?.fields[field]?.type == .list(type))
    }
    #expect(try await library.create("c", ["title": .strings([])]).error?.code == .badRequest)
  }

  @Test("3.1: encrypted fields are refused in the public database")
  func encrypted() async throws {
    let library = try await container()
    let outcome = try await library.create("b", ["secret": .string("s")])
    #expect(
      outcome.error?.description
        == "BAD_REQUEST: encrypted fields are not supported in the public database")
  }

  @Test(
    "5: unknown fields, system fields and unknown types",
    arguments: [
      ("Book", "colour", "BAD_REQUEST: Field colour not found in Book"),
      ("Book", "_asset", "BAD_REQUEST: Unprivileged attempt to insert a system field: _asset"),
      ("Poodle", "title", "NOT_FOUND: could not find record_type with name 'Poodle'"),
    ])
  func unknown(_ type: String, _ field: String, _ reason: String) async throws {
    let library = try await container()
    let outcome = try await library.create("b", [field: .string("x")], type: type)
    #expect(outcome.error?.description == reason)
  }

  @Test("5: with a just-in-time schema development grows instead, and production does not")
  func justInTime() async throws {
    var behavior = ServerBehavior()
    behavior.justInTimeSchema = true
    let library = try await container(librarySchema, behavior)
    #expect(try await library.create("b", ["colour": .string("red")]).error == nil)
    #expect(try await library.create("p", ["name": .strings(["Rex"])], type: "Poodle").error == nil)
    #expect(try await library.exportSchema().contains("LIST<STRING>"))
    #expect(try await library.lookup(LookupRequest(["b"])).first?.record?["colour"] == .string("red"))
    try await library.store.deploySchema()
    let production = library.seen(by: .serverKey, in: .production)
    #expect(try await production.create("c", ["size": .int64(1)]).error?.code == .badRequest)
  }

  @Test("5: production's own texts for what it does not know")
  func production() async throws {
    let library = try await container()
    try await library.store.deploySchema()
    let production = library.seen(by: .serverKey, in: .production)
    #expect(
      try await production.create("b", ["colour": .int64(1)]).error?.reason
        == "Cannot create or modify field 'colour' in record 'Book' in production schema")
    #expect(
      try await production.create("b", type: "Poodle").error?.reason
        == "Cannot create new type Poodle in production schema")
  }

  @Test("names that SQLite would take for the same are kept apart")
  func caseAndReservedNames() async throws {
    let schema = """
      DEFINE SCHEMA
      RECORD TYPE feed ("___recordID" REFERENCE QUERYABLE, title STRING QUERYABLE, Title STRING QUERYABLE, rowid INT64);
      RECORD TYPE Feed ("___recordID" REFERENCE QUERYABLE, "select" STRING);
      RECORD TYPE sqlite_feed ("___recordID" REFERENCE QUERYABLE, name STRING);
      """
    let container = try await container(schema)
    let fields: [String: FieldValue] = ["title": .string("a"), "Title": .string("b"), "rowid": .int64(9)]
    try await container.create("1", fields, type: "feed")
    try await container.create("2", ["select": .string("c")], type: "Feed")
    try await container.create("3", ["name": .string("d")], type: "sqlite_feed")
    #expect(try await container.allRecords(Query("feed")).map(\.fields) == [fields])
    #expect(try await container.allRecords(Query("Feed")).map(\.fields) == [["select": .string("c")]])
    #expect(try await container.names(Query("sqlite_feed")) == ["3"])
    let upper = Query("feed", filters: [Filter("Title", .equals, .string("b"))])
    #expect(try await container.names(upper) == ["1"])
  }

  @Test(
    "a place on Earth, a finite number and a name are needed",
    arguments: [
      ("place", .location(Location(latitude: 90, longitude: 180)), true),
      ("place", .location(Location(latitude: -90, longitude: -180)), true),
      ("place", .location(Location(latitude: 90.1, longitude: 0)), false),
      ("place", .location(Location(latitude: 0, longitude: 180.1)), false),
      ("place", .location(Location(latitude: -90.1, longitude: 0)), false),
      ("place", .location(Location(latitude: 0, longitude: -180.1)), false),
      ("price", .double(.infinity), false), ("price", .double(.nan), false), ("price", .double(0), true),
      ("author", .reference(Reference("")), false), ("author", .reference(Reference("p")), true),
      ("scores", .list(of: .double, [.double(1), .double(.nan)]), false),
      ("scores", .list(of: .double, [.double(1)]), true),
    ] as [(String, FieldValue, Bool)])
  func range(field: String, value: FieldValue, isAccepted: Bool) async throws {
    #expect((try await container().create("b", [field: value]).error == nil) == isAccepted)
  }

  @Test("4.1: a record of exactly 1 MB is accepted, names of fields included")
  func exactSize() async throws {
    let library = try await container()
    for (size, isAccepted) in [(1_000_000 - 5, true), (1_000_000 - 4, false)] {
      let outcome = try await library.create(
        "b\(size)", ["title": .string(String(repeating: "x", count: size))])
      #expect((outcome.error == nil) == isAccepted)
    }
    let both: [String: FieldValue] = [
      "title": .string(String(repeating: "x", count: 999_982)), "pages": .int64(1),
    ]
    #expect(try await library.create("c", both).error == nil)
    #expect(try await library.create("d", both.merging(["note": .string("1234")]) { $1 }).error != nil)
  }

  @Test(
    "a record name has 1 to 255 ASCII characters",
    arguments: [
      ("", false), ("a", true), (String(repeating: "a", count: 255), true),
      (String(repeating: "a", count: 256), false), ("\u{7F}", true), ("é", false),
    ])
  func names(name: String, isAccepted: Bool) async throws {
    #expect((try await container().create(name).error == nil) == isAccepted)
  }
}

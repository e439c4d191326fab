import CloudKitModel
import GRDB
import SchemaLanguage
import Testing

@testable import LocalContainer

/// Schemas with so many types that SQLite would spend most of an import searching its list of tables.
@Suite("Large schemas")
struct LargeSchemaTests {
  private static func text(_ count: Int, field: String = "STRING QUERYABLE SEARCHABLE") -> String {
    let types = (0..<count).map { number in
      """
      RECORD TYPE T\(number) ("___recordID" REFERENCE QUERYABLE, "___createTime" TIMESTAMP QUERYABLE SORTABLE,
        title \(field), tags LIST<STRING> QUERYABLE, parent REFERENCE QUERYABLE, GRANT READ, CREATE, WRITE TO "_icloud");
      """
    }
    return "DEFINE SCHEMA\n" + types.joined(separator: "\n")
  }

  private static let last = "T\(SchemaWriter.maxEagerTables + 99)"

  private func container() async throws -> LocalContainer {
    let container = try LocalContainer.open(.memory, settings: fixedSettings())
    try await container.importSchema(Self.text(SchemaWriter.maxEagerTables + 100))
    return container
  }

  private func objects(_ container: LocalContainer) async throws -> Int {
    try await container.store.database.read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master") ?? 0
    }
  }

  @Test("tables and indexes stop growing with the number of types")
  func bounded() async throws {
    let (large, larger) = (try await container(), try LocalContainer.open(.memory))
    try await larger.importSchema(Self.text(SchemaWriter.maxEagerTables + 400))
    let count = try await objects(large)
    #expect(try await objects(larger) == count)
    #expect(try await large.exportSchema().contains("RECORD TYPE \(Self.last) "))
  }

  @Test("a type without a table is empty to every request, and gets its table with its first record")
  func firstRecord() async throws {
    let container = try await container()
    let before = try await objects(container)
    let filters = [
      Filter("title", .equals, .string("Emma")), Filter("title", .containsAllTokens, .string("Emma")),
      Filter("tags", .listContains, .string("a")), Filter("tags", .notListContains, .string("a")),
    ]
    for filter in filters {
      #expect(try await container.names(Query(Self.last, filters: [filter])) == [], "\(filter)")
    }
    let grouping = GroupCountRequest(recordType: Self.last, groupField: "title")
    let leftOut = try await container.countGroups(grouping) { #expect($0 == []) }
    #expect(leftOut == 0)
    #expect(try await container.lookup(LookupRequest(["n"])).first?.error?.code == .notFound)
    let refused = try await container.create("n", ["none": .int64(1)], type: Self.last)
    #expect(refused.error != nil)
    #expect(try await objects(container) == before)
    #expect(
      try await container.store.info().counts.contains { $0.recordType == Self.last && $0.records == 0 })

    let reader = container.seen(by: .serverKey)
    let fields: [String: FieldValue] = [
      "title": .string("Emma Woodhouse"), "tags": .strings(["a"]),
      "parent": .reference(Reference("n", action: .deleteSelf)),
    ]
    #expect(try await container.create("n", fields, type: Self.last).error == nil)
    #expect(try await container.create("m", ["title": .string("Emma")], type: Self.last).error == nil)
    #expect(try await objects(container) > before)
    for filter in filters.prefix(1) {
      #expect(try await reader.names(Query(Self.last, filters: [filter])) == ["m"])
    }
    #expect(try await reader.names(Query(Self.last, filters: [filters[2]])) == ["n"])
    #expect(try await reader.names(Query(Self.last, filters: [filters[1]])).sorted() == ["m", "n"])
    #expect(try await container.store.integrityProblems() == [])
    #expect(try await container.one(RecordOperation(.delete, recordName: "n")).error == nil)
  }

  @Test("loading in bulk, another handle and both environments see a table that was created later")
  func elsewhere() async throws {
    let container = try await container()
    try await container.deploySchema()
    let production = container.seen(by: .serverKey, in: .production)
    #expect(try await production.names(Query(Self.last)) == [])
    let record = Record(recordType: Self.last, recordName: "p", fields: ["title": .string("Emma")])
    #expect(try await production.loadNew(Self.last, [record]) == 1)
    #expect(try await production.names(Query(Self.last)) == ["p"])
    #expect(try await container.names(Query(Self.last)) == [])
    _ = try await container.store.removeAllRecords(in: .production)
    #expect(try await production.names(Query(Self.last)) == [])
    #expect(try await production.create("p", type: Self.last).error == nil)
  }

  @Test("a type without a table is changed and dropped by an import, and a stored one too")
  func changed() async throws {
    let container = try await container()
    try await container.create("n", ["title": .string("Emma")], type: "T0")
    try await container.importSchema(Self.text(SchemaWriter.maxEagerTables + 100, field: "INT64 QUERYABLE"))
    #expect(try await container.create("m", ["title": .int64(1)], type: Self.last).error == nil)
    #expect(
      try await container.names(Query(Self.last, filters: [Filter("title", .equals, .int64(1))])) == ["m"])
    try await container.importSchema(Self.text(1))
    #expect(try await container.names(Query("T0")) == ["n"])
    #expect(try await refusal { try await container.names(Query(Self.last)) } != nil)
    #expect(try await container.store.integrityProblems() == [])
  }
}

import CloudKitModel
import LocalContainer
import SchemaLanguage
import Testing

@Suite("Loading in bulk")
struct BulkLoadTests {
  @Test("records loaded in bulk are records like others")
  func load() async throws {
    let library = try await container()
    let target = FieldValue.reference(Reference("n1", action: .deleteSelf))
    let count = try await library.loadNew(
      "Book",
      [
        book("n1", ["title": .string("War and Peace"), "tags": .strings(["war"]), "pages": .int64(3)]),
        book("n2", ["author": target], createdBy: "_ann"),
      ])
    #expect(count == 2)
    #expect(
      try await library.names(Query("Book", filters: [Filter("tags", .listContains, .string("war"))])) == [
        "n1"
      ])
    let records = try await library.allRecords(Query("Book"))
    #expect(records.map(\.changeTag) == ["1", "2"])
    #expect(records[1].created?.userRecordName == "_ann")
    #expect(try await library.create("n3").record?.changeTag == "3")
    try await library.one(RecordOperation(.delete, recordName: "n1"))
    #expect(try await library.names(Query("Book")) == ["n3"])
  }

  @Test("each loaded record has its own creator")
  func creators() async throws {
    let library = try await container()
    let creators = ["_ann", "_bob", "_bob", nil, "_ann"]
    try await library.loadNew("Book", creators.enumerated().map { book("n\($0)", createdBy: $1) })
    let caller = try await library.create("own").record?.created?.userRecordName
    let records = try await library.lookup(LookupRequest(creators.indices.map { "n\($0)" }))
    #expect(records.map { $0.record?.created?.userRecordName } == creators.map { $0 ?? caller })
  }

  @Test(
    "a load that fails anywhere leaves nothing behind",
    arguments: [
      ("n1", FieldValue.string("x"), nil), ("taken", .string("x"), nil), ("n2", .int64(1), "BAD_REQUEST"),
    ] as [(String, FieldValue, String?)])
  func loadFails(_ name: String, _ value: FieldValue, _ code: String?) async throws {
    let library = try await container()
    try await library.create("taken")
    let records = [book("n1", ["title": .string("x")]), book(name, ["title": value])]
    let reason = try await refusal { try await library.loadNew("Book", records) }
    #expect(code.map { reason?.hasPrefix($0) == true } ?? (reason == nil))
    #expect(try await library.names(Query("Book")) == ["taken"])
  }

  @Test("a load is refused for a role, a type or a field that does not allow it")
  func loadRefused() async throws {
    let library = try await container()
    let stranger = library.seen(by: CallerIdentity(userRecordName: "_ann"))
    #expect(
      try await refusal { try await stranger.loadNew("Book", [Record]()) }?.hasPrefix("ACCESS_DENIED") == true
    )
    #expect(
      try await refusal { try await library.loadNew("Poodle", [Record]()) }?.hasPrefix("NOT_FOUND") == true)
    let unknown = [book("n", ["x": .int64(1)])]
    #expect(
      try await refusal { try await library.loadNew("Book", unknown) }?.hasPrefix("BAD_REQUEST") == true)
  }
}

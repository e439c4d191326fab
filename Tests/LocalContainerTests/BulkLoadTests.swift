import CloudKitModel
import LocalContainer
import SchemaLanguage
import Testing

@Suite("Loading in bulk")
struct BulkLoadTests {
  @Test("records loaded in bulk are records like others")
  func load() async throws {
    let library = try await container()
    let count = try await library.load("Book", fields: ["title", "tags", "author", "pages"]) { writer in
      let target = FieldValue.reference(Reference("n1", action: .deleteSelf))
      try writer.add("n1", [.string("War and Peace"), .strings(["war"]), nil, .int64(3)])
      try writer.add("n2", [nil, nil, target], createdBy: "_ann")
    }
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
    _ = try await library.load("Book", fields: []) { writer in
      for (index, creator) in creators.enumerated() { try writer.add("n\(index)", [], createdBy: creator) }
    }
    let caller = try await library.create("own").record?.created?.userRecordName
    let records = try await library.lookup(LookupRequest(creators.indices.map { "n\($0)" }))
    #expect(records.map { $0.record?.created?.userRecordName } == creators.map { $0 ?? caller })
  }

  @Test(
    "a load that fails anywhere leaves nothing behind",
    arguments: [
      ("n1", FieldValue.string("x"), "CONFLICT"), ("taken", .string("x"), "CONFLICT"),
      ("n2", .int64(1), "BAD_REQUEST"),
    ])
  func loadFails(_ name: String, _ value: FieldValue, _ code: String) async throws {
    let library = try await container()
    try await library.create("taken")
    let reason = try await refusal {
      try await library.load("Book", fields: ["title"]) { writer in
        try writer.add("n1", [.string("x")])
        try writer.add(name, [value])
      }
    }
    #expect(reason?.hasPrefix(code) == true)
    #expect(try await library.names(Query("Book")) == ["taken"])
  }

  @Test("a load is refused for a role, a type or a field that does not allow it")
  func loadRefused() async throws {
    let library = try await container()
    let stranger = library.seen(by: CallerIdentity(userRecordName: "_ann"))
    #expect(
      try await refusal { try await stranger.load("Book", fields: []) { _ in } }?.hasPrefix("ACCESS_DENIED")
        == true)
    #expect(
      try await refusal { try await library.load("Poodle", fields: []) { _ in } }?.hasPrefix("NOT_FOUND")
        == true)
    #expect(
      try await refusal { try await library.load("Book", fields: ["x"]) { _ in } }?.hasPrefix("BAD_REQUEST")
        == true)
  }
}

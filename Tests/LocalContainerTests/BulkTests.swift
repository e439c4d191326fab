import CloudKitModel
import LocalContainer
import Testing

@Suite("Counting groups and loading in bulk")
struct BulkTests {
  private func counts(_ library: LocalContainer, _ request: GroupCountRequest) async throws -> [String: Int64]
  {
    var counts: [String: Int64] = [:]
    try await library.countGroups(request) { group, count in
      #expect(counts[group] == nil)
      counts[group] = count
    }
    return counts
  }

  @Test("groups count what a query of every page would; records without the field make the empty group")
  func groups() async throws {
    let library = try await container()
    for (index, title) in ["a", "b", "a", nil, ""].enumerated() {
      try await library.create(
        "n\(index)",
        ["pages": .int64(Int64(index))].merging(title.map { ["title": .string($0)] } ?? [:]) { $1 })
    }
    let all = GroupCountRequest(recordType: "Book", groupField: "title")
    #expect(try await counts(library, all) == ["a": 2, "b": 1, "": 2])
    var few = all
    few.filters = [Filter("pages", .greaterThan, .int64(0))]
    #expect(try await counts(library, few) == ["a": 1, "b": 1, "": 2])
    few.filters = [Filter("___recordID", .equals, .reference(Reference("n0")))]
    #expect(try await counts(library, few) == ["a": 1])
  }

  @Test("a group of references is their record names; other types are refused")
  func groupTypes() async throws {
    let library = try await container()
    try await library.create("b", ["author": .reference(Reference("p"))])
    #expect(
      try await counts(library, GroupCountRequest(recordType: "Book", groupField: "author")) == ["p": 1])
    for field in ["pages", "unknown"] {
      let request = GroupCountRequest(recordType: "Book", groupField: field)
      #expect(try await refusal { try await library.countGroups(request) { _, _ in } } != nil)
    }
  }

  @Test("records whose name breaks the rule are left out of the groups and counted apart")
  func nameRule() async throws {
    let library = try await container()
    let digits = String(repeating: "0123456789abcdef", count: 4)
    let names = [digits, String(digits.reversed()), "short", digits.uppercased(), "g" + digits.dropFirst()]
    for (index, name) in names.enumerated() {
      try await library.create(name, ["title": .string("t"), "pages": .int64(Int64(index))])
      #expect(RecordNameRule.sha256.accepts(name) == (index < 2))
    }
    try await library.create("other", ["name": .string("t")], type: "Person")
    var request = GroupCountRequest(recordType: "Book", groupField: "title", recordNames: .sha256)
    var counted: [String: Int64] = [:]
    #expect(try await library.countGroups(request) { counted[$0] = $1 } == 3)
    #expect(counted == ["t": 2])
    request.filters = [Filter("pages", .lessThan, .int64(3))]
    #expect(try await library.countGroups(request) { counted[$0] = $1 } == 1)
    #expect(counted == ["t": 2])
    request.recordNames = nil
    #expect(try await library.countGroups(request) { counted[$0] = $1 } == 0)
    #expect(counted == ["t": 3])
  }

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

import CloudKitModel
import LocalContainer
import SchemaLanguage
import Synchronization
import Testing

@Suite("Counting groups")
struct GroupCountTests {
  @Test("groups count what a query of every page would; records without the field make the empty group")
  func groups() async throws {
    let library = try await container()
    for (index, title) in ["a", "b", "a", nil, ""].enumerated() {
      try await library.create(
        "n\(index)",
        ["pages": .int64(Int64(index))].merging(title.map { ["title": .string($0)] } ?? [:]) { $1 })
    }
    let all = GroupCountRequest(recordType: "Book", groupField: "title")
    #expect(try await library.groups(all).counts == ["a": 2, "b": 1, "": 2])
    var few = all
    few.filters = [Filter("pages", .greaterThan, .int64(0))]
    #expect(try await library.groups(few).counts == ["a": 1, "b": 1, "": 2])
    few.filters = [Filter("___recordID", .equals, .reference(Reference("n0")))]
    #expect(try await library.groups(few).counts == ["a": 1])
  }

  @Test("a group of references is their record names; other types are refused")
  func groupTypes() async throws {
    let library = try await container()
    try await library.create("b", ["author": .reference(Reference("p"))])
    let authors = GroupCountRequest(recordType: "Book", groupField: "author")
    #expect(try await library.groups(authors).counts == ["p": 1])
    for field in ["price", "unknown"] {
      let request = GroupCountRequest(recordType: "Book", groupField: field)
      #expect(try await refusal { try await library.countGroups(request) { _ in } } != nil)
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
    #expect(try await library.groups(request) == GroupCounts(counts: ["t": 2], leftOut: 3))
    request.filters = [Filter("pages", .lessThan, .int64(3))]
    #expect(try await library.groups(request) == GroupCounts(counts: ["t": 2], leftOut: 1))
    request.recordNames = nil
    #expect(try await library.groups(request) == GroupCounts(counts: ["t": 3], leftOut: 0))
  }

  @Test(
    "many records of an indexed field are counted in two halves, which hold each record once",
    arguments: [(20_000, "title", 1), (20_001, "title", 2), (20_001, "note", 1)])
  func halves(_ count: Int, _ field: String, _ parts: Int) async throws {
    let library = try await container()
    var expected = GroupCounts()
    // Later records belong to later groups, as they do when feeds and their subscribers come one after the other.
    let books = (0..<count).map { index in
      let name = String(index, radix: 16)
      let isRefused = index % 97 == 0
      let group: String? = index % 89 == 0 ? nil : index % 83 == 0 ? "" : "group \(index / 50 + 1000)"
      if isRefused { expected.leftOut += 1 } else { expected.counts[group ?? "", default: 0] += 1 }
      return book(
        isRefused ? name : String(repeating: "0", count: 64 - name.count) + name,
        group.map { [field: .string($0)] } ?? [:])
    }
    try await library.loadNew("Book", books)
    let request = GroupCountRequest(recordType: "Book", groupField: field, recordNames: .sha256)
    #expect(try await library.groups(request) == expected)
    let batches = try await library.batches(request).batches
    #expect(batches.count == parts)
    let largest = batches.map { $0.reduce(0) { $0 + $1.records } }.max() ?? 0
    #expect(parts == 1 || largest < Int64(count) * 6 / 10)
  }

  @Test("a type of which most records have no value is counted in one part")
  func mostlyMissing() async throws {
    let library = try await container()
    try await library.loadNew(
      "Book", (0..<20_001).map { book("n\($0)", $0 % 4 == 0 ? ["title": .string("t")] : [:]) })
    let request = GroupCountRequest(recordType: "Book", groupField: "title")
    #expect(try await library.groups(request).counts == ["t": 5001, "": 15_000])
    #expect(try await library.batches(request).batches.count == 1)
  }
}

struct GroupCounts: Sendable, Equatable {
  var counts: [String: Int64] = [:]
  var leftOut: Int64 = 0
}

extension LocalContainer {
  /// All groups at once. A group that comes twice fails the test.
  func groups(_ request: GroupCountRequest) async throws -> GroupCounts {
    let (batches, leftOut) = try await batches(request)
    let counts = try Dictionary(batches.joined().map { ($0.group, $0.records) }) { _, _ in
      throw WrongCount(count: 2)
    }
    return GroupCounts(counts: counts, leftOut: leftOut)
  }

  fileprivate func batches(_ request: GroupCountRequest) async throws -> (
    batches: [[GroupCount]], leftOut: Int64
  ) {
    let batches = Mutex<[[GroupCount]]>([])
    let leftOut = try await countGroups(request) { counts in batches.withLock { $0.append(counts) } }
    return (batches.withLock { $0 }, leftOut)
  }
}

import CloudKitModel
import LocalContainer
import Testing

@Suite("records/modify: web-services.md section 2.1")
struct ModifyTests {
  @Test("a created record comes back as written, with a tag and stamps")
  func createAndLookUp() async throws {
    let clock = StoppedClock()
    let library = try await container(clock: clock)
    let created = try #require(await library.create("b", ["title": .string("Emma")]).record)
    #expect(created.changeTag == "1")
    #expect(created.created?.timestamp == clock.now)
    #expect(created.created == created.modified)
    let found = try await library.lookup(LookupRequest(["b"]))
    #expect(found == [.record(created)])
  }

  @Test("a query gives the records of the type, one page at a time")
  func pages() async throws {
    let library = try await container()
    for number in 0..<5 { try await library.create("b\(number)", ["pages": .int64(Int64(number))]) }
    let first = try await library.query(QueryRequest(Query("Book"), resultsLimit: 3))
    #expect(first.records.map(\.recordName) == ["b0", "b1", "b2"])
    let rest = try await library.query(
      QueryRequest(Query("Book"), resultsLimit: 3, continuationMarker: first.continuationMarker))
    #expect(rest.records.map(\.recordName) == ["b3", "b4"])
    #expect(rest.continuationMarker == nil)
  }
}

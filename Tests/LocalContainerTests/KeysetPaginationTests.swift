import SchemaLanguage
import Testing

@testable import CloudKitModel
@testable import LocalContainer

@Suite("Sorting and paging")
struct KeysetPaginationTests {
  /// 60 books with many ties and, in every fourth, nothing to sort by.
  private func library() async throws -> LocalContainer {
    let library = try await container()
    let operations = (0..<60).map { number in
      var fields: [String: FieldValue] = ["price": .double(Double(number % 3))]
      if number % 4 != 0 { fields["pages"] = .int64(Int64(number * 7 % 5)) }
      if number % 5 != 0 { fields["title"] = .string("t\(number * 11 % 7)") }
      fields["place"] = .location(Location(latitude: Double(number * 13 % 60), longitude: 0))
      return RecordOperation(.create, recordType: "Book", recordName: "b\(number)", fields: fields)
    }
    _ = try await library.modify(operations)
    return library
  }

  private func walk(_ library: LocalContainer, _ query: Query, limit: Int) async throws -> [Record] {
    var request = QueryRequest(query, resultsLimit: limit)
    var records: [Record] = []
    repeat {
      let page = try await library.query(request)
      #expect(page.records.count <= limit)
      records += page.records
      request.continuationMarker = page.continuationMarker
    } while request.continuationMarker != nil
    return records
  }

  @Test(
    "3.2: pages of any size give the whole result once, in the order of one big page",
    arguments: [
      [], [Sort("pages")], [Sort("pages", ascending: false)],
      [Sort("pages"), Sort("title", ascending: false)], [Sort("title", ascending: false), Sort("price")],
      [Sort("pages", ascending: false), Sort("title", ascending: false), Sort("___recordID")],
      [Sort("___modTime", ascending: false)],
      [Sort("place", relativeLocation: Location(latitude: 20, longitude: 0))],
    ] as [[Sort]], [1, 7, 60])
  func pagesEqualWhole(_ sorts: [Sort], _ limit: Int) async throws {
    let library = try await library()
    let query = Query("Book", sorts: sorts)
    let whole = try await library.query(QueryRequest(query))
    #expect(whole.records.count == 60)
    #expect(whole.continuationMarker == nil)
    #expect(try await walk(library, query, limit: limit).map(\.recordName) == whole.records.map(\.recordName))
  }

  @Test(
    "3.2: pages of any size give what the filters find, each record once",
    arguments: [
      [Filter("pages", .in, .list(of: .int64, [.int64(1), .int64(4), .int64(9)]))],
      [Filter("pages", .greaterThanOrEquals, .int64(1)), Filter("pages", .lessThan, .int64(4))],
      [Filter("pages", .greaterThan, .int64(0)), Filter("title", .beginsWith, .string("t"))],
      [Filter("pages", .equals, .int64(2))],
      [Filter("title", .in, .strings(["t1", "t3", "t5"])), Filter("pages", .lessThanOrEquals, .int64(3))],
      [Filter("title", .beginsWith, .string("t"))],
      [Filter("___recordID", .in, .references((0..<60).map { "b\($0)" }))],
      [Filter("___modTime", .greaterThan, .timestamp(Timestamp(milliseconds: 0)))],
    ] as [[Filter]],
    [[], [Sort("pages")], [Sort("pages", ascending: false)], [Sort("title", ascending: false)]] as [[Sort]])
  func filteredPages(_ filters: [Filter], _ sorts: [Sort]) async throws {
    let library = try await library()
    let query = Query("Book", filters: filters, sorts: sorts)
    let whole = try await library.query(QueryRequest(query))
    let expected = try await walk(library, Query("Book"), limit: 60).filter { book in
      filters.allSatisfy { passes(book, $0) }
    }
    #expect(!expected.isEmpty)
    #expect(Set(whole.records.map(\.recordName)) == Set(expected.map(\.recordName)))
    for limit in [1, 2, 5, 13] {
      #expect(
        try await walk(library, query, limit: limit).map(\.recordName) == whole.records.map(\.recordName))
    }
  }

  /// What the filter means, without SQL.
  private func passes(_ book: Record, _ filter: Filter) -> Bool {
    guard case .user(let name) = filter.field else { return true }
    guard let value = book[name] else { return false }
    let number = (value.int64 ?? 0) - (filter.value.int64 ?? 0)
    return switch filter.comparator {
    case .in: filter.value.elements?.contains(value) ?? false
    case .equals: value == filter.value
    case .beginsWith: value.string?.hasPrefix(filter.value.string ?? "") ?? false
    case .lessThan: number < 0
    case .lessThanOrEquals: number <= 0
    case .greaterThan: number > 0
    case .greaterThanOrEquals: number >= 0
    default: false
    }
  }

  @Test("3.2: several sorts apply in order, records without a value first or last")
  func multipleKeys() async throws {
    let library = try await library()
    let sorts = [Sort("pages", ascending: false), Sort("title")]
    let records = try await walk(library, Query("Book", sorts: sorts), limit: 60)
    let keys = records.map { (-($0["pages"]?.int64 ?? -1), $0["title"]?.string ?? "") }
    for (before, after) in zip(keys, keys.dropFirst()) { #expect(before <= after) }
  }

  @Test("3.2: a location sorts by its distance")
  func distance() async throws {
    let library = try await library()
    let centre = Location(latitude: 20, longitude: 0)
    let records = try await walk(
      library, Query("Book", sorts: [Sort("place", relativeLocation: centre)]), limit: 7)
    let distances = records.compactMap { record -> Double? in
      guard case .location(let place)? = record["place"] else { return nil }
      return abs(place.latitude - 20)
    }
    #expect(distances == distances.sorted())
    #expect(distances.count == 60)
  }

  @Test("3.2: a page never has more than 200 records")
  func pageLimit() async throws {
    let library = try await container()
    for start in [0, 200] {
      _ = try await library.modify(
        (start..<(start + 150)).map { RecordOperation(.create, recordType: "Book", recordName: "n\($0)") })
    }
    let page = try await library.query(QueryRequest(Query("Book")))
    #expect(page.records.count == 200)
    #expect(page.continuationMarker != nil)
    #expect(try await library.allRecords(Query("Book")).count == 300)
  }

  @Test("3.2: records written between pages neither repeat nor lose others")
  func writesBetweenPages() async throws {
    let library = try await library()
    let query = Query("Book", sorts: [Sort("pages")])
    let first = try await library.query(QueryRequest(query, resultsLimit: 30))
    try await library.create("late", ["pages": .int64(4)])
    try await library.one(RecordOperation(.forceDelete, recordName: first.records[29].recordName))
    let rest = try await library.query(QueryRequest(query, continuationMarker: first.continuationMarker))
    let names = (first.records + rest.records).map(\.recordName)
    #expect(Set(names).count == names.count)
    #expect(names.count == 61)
  }

  @Test("3.2: a marker of the same query in another environment is refused")
  func markerOfOtherEnvironment() async throws {
    let library = try await library()
    let request = QueryRequest(Query("Book"), resultsLimit: 1)
    let marker = try await library.query(request).continuationMarker
    try await library.store.deploySchema()
    let production = library.seen(by: .serverKey, in: .production)
    let books = (0..<2).map { RecordOperation(.create, recordType: "Book", recordName: "p\($0)") }
    #expect(try await production.modify(books).allSatisfy { $0.error == nil })
    #expect(try await production.query(request).continuationMarker != nil)
    let foreign = QueryRequest(Query("Book"), continuationMarker: marker)
    #expect(
      try await refusal { try await production.query(foreign) } == "BAD_REQUEST: Unknown continuation marker")
  }

  @Test("3.2: a marker of another query, or no marker at all, is refused")
  func foreignMarkers() async throws {
    let library = try await library()
    let marker = try await library.query(QueryRequest(Query("Book"), resultsLimit: 1)).continuationMarker
    let other = Query("Book", filters: [Filter("pages", .equals, .int64(1))])
    for request in [
      QueryRequest(other, continuationMarker: marker),
      QueryRequest(Query("Book"), continuationMarker: "AAAA"),
      QueryRequest(Query("Book"), continuationMarker: "e30="),
    ] {
      #expect(
        try await refusal { try await library.query(request) } == "BAD_REQUEST: Unknown continuation marker")
    }
  }

  @Test("a marker keeps the keys of every kind, and another text is none")
  func markers() throws {
    let keys: [SQLValue] = [
      .null, .integer(.min), .real(0.1), .real(-.infinity), .text("ä\""), .blob([0, 255]),
    ]
    let marker = PageMarker(digest: "d", keys: keys, id: 42)
    let read = try #require(PageMarker(marker.text))
    #expect(read.keys == keys && read.id == 42 && read.digest == "d")
    for text in ["", "x", "e30=", "eyJxIjoiZCIsImkiOjEsImsiOlt0cnVlXX0="] {
      #expect(PageMarker(text) == nil, "\(text)")
    }
    let query = Query("Book")
    let digest = PageMarker.digest(of: query, in: .development)
    #expect(digest.count == 16 && digest == PageMarker.digest(of: query, in: .development))
    let others = [
      Query("Loan"), Query("Book", sorts: [Sort("pages")]),
      Query("Book", sorts: [Sort("pages", ascending: false)]),
      Query("Book", filters: [Filter("pages", .equals, .int64(1))]),
      Query("Book", filters: [Filter("pages", .equals, .int64(2))]),
    ]
    let digests = others.map { PageMarker.digest(of: $0, in: .development) }
    #expect(Set(digests + [digest, PageMarker.digest(of: query, in: .production)]).count == 7)
  }
}

import LocalContainer
import SchemaLanguage
import Testing

@testable import CloudKitModel

@Suite("records/query")
struct QueryTests {
  /// Three books; the third has a name only.
  private func library(_ behavior: ServerBehavior = ServerBehavior()) async throws -> LocalContainer {
    let library = try await container(librarySchema, behavior)
    try await library.create("p", type: "Person")
    try await library.create(
      "a",
      [
        "title": .string("War and Peace"), "pages": .int64(1225), "price": .double(9.5), "year": .int64(1869),
        "bought": .timestamp(Timestamp(milliseconds: 100)), "digest": .bytes([1, 2]),
        "author": .reference(Reference("p")), "tags": .strings(["novel", "war"]),
        "scores": .list(of: .double, [.double(0.1), .double(5)]), "editors": .references(["p", "q"]),
        "place": .location(Location(latitude: 55.75, longitude: 37.62)),
      ])
    try await library.create(
      "b",
      [
        "title": .string("Peace of mind"), "pages": .int64(80), "price": .double(2), "year": .int64(1999),
        "bought": .timestamp(Timestamp(milliseconds: 200)), "tags": .strings(["advice"]),
        "place": .location(Location(latitude: 51.5, longitude: -0.12)),
      ])
    try await library.create("c")
    return library
  }

  @Test("without sorts, the first range's field gives the order")
  func impliedOrder() async throws {
    let library = try await container()
    for (name, pages, price) in [("a", 3, 1), ("b", 2, 2), ("c", 1, 3)] {
      try await library.create(name, ["pages": .int64(Int64(pages)), "price": .double(Double(price))])
    }
    let pages = Filter("pages", .greaterThan, .int64(0))
    let price = Filter("price", .greaterThan, .double(0))
    #expect(try await library.names(Query("Book", filters: [pages, price])) == ["c", "b", "a"])
    #expect(try await library.names(Query("Book", filters: [price, pages])) == ["a", "b", "c"])
  }

  @Test(
    "3.2: each comparator finds what it should",
    arguments: [
      (Filter("pages", .equals, .int64(80)), ["b"]),
      (Filter("pages", .notEquals, .int64(80)), ["a"]),
      (Filter("pages", .lessThan, .int64(1225)), ["b"]),
      (Filter("pages", .lessThanOrEquals, .int64(1225)), ["a", "b"]),
      (Filter("price", .greaterThan, .double(2)), ["a"]),
      (Filter("price", .greaterThanOrEquals, .double(2)), ["a", "b"]),
      (Filter("year", .greaterThan, .int64(1900)), ["b"]),
      (Filter("bought", .lessThan, .timestamp(Timestamp(milliseconds: 200))), ["a"]),
      (Filter("digest", .equals, .bytes([1, 2])), ["a"]),
      (Filter("author", .equals, .reference(Reference("p"))), ["a"]),
      (Filter("pages", .in, .list(of: .int64, [.int64(80), .int64(7)])), ["b"]),
      (Filter("pages", .in, .list(of: .int64, [])), []),
      (Filter("pages", .notIn, .list(of: .int64, [.int64(80)])), ["a"]),
      (Filter("title", .beginsWith, .string("War")), ["a"]),
      (Filter("title", .beginsWith, .string("")), ["a", "b"]),
      (Filter("title", .notBeginsWith, .string("War")), ["b"]),
      (Filter("title", .containsAllTokens, .string("peace WAR")), ["a"]),
      (Filter("title", .containsAnyTokens, .string("mind war")), ["a", "b"]),
      (Filter("title", .containsAllTokens, .string("pea")), []),
      (
        Filter(
          "place", .near, .location(Location(latitude: 55.7, longitude: 37.6)), distance: 10_000), ["a"]
      ),
      (Filter("tags", .listContains, .string("war")), ["a"]),
      (Filter("tags", .notListContains, .string("war")), ["b"]),
      (Filter("tags", .listContainsAny, .strings(["war", "advice"])), ["a", "b"]),
      (Filter("tags", .notListContainsAny, .strings(["war", "x"])), ["b"]),
      (Filter("tags", .listContainsAll, .strings(["war", "novel"])), ["a"]),
      (Filter("tags", .notListContainsAll, .strings(["war", "novel"])), ["b"]),
      (Filter("tags", .listMemberBeginsWith, .string("nov")), ["a"]),
      (Filter("tags", .listMemberBeginsWith, .string("wa")), []),
      (Filter("tags", .notListMemberBeginsWith, .string("nov")), ["b"]),
      (Filter("scores", .listContains, .double(0.1)), ["a"]),
      (Filter("editors", .listContains, .reference(Reference("q"))), ["a"]),
      (Filter("___recordID", .equals, .reference(Reference("b"))), ["b"]),
      (Filter("___recordID", .in, .references(["a", "c", "p"])), ["a", "c"]),
      (
        Filter("___createTime", .lessThanOrEquals, .timestamp(Timestamp(milliseconds: 1_000))),
        ["a", "b", "c"]
      ),
      (Filter("___createdBy", .equals, .reference(Reference("_stranger"))), []),
      (Filter("___etag", .equals, .string("2")), ["a"]),
    ] as [(Filter, [String])])
  func comparators(_ filter: Filter, _ expected: [String]) async throws {
    let library = try await library()
    // Without sorts no order is promised.
    #expect(try await library.names(Query("Book", filters: [filter])).sorted() == expected.sorted())
  }

  @Test(
    "an empty list has no element: each comparison that is negated finds it, and no other does",
    arguments: [
      (Comparator.notListContains, FieldValue.string("war"), ["c", "e"]),
      (.notListContainsAny, .strings(["war"]), ["c", "e"]),
      (.notListContainsAll, .strings(["war"]), ["c", "e"]),
      (.notListMemberBeginsWith, .string("war"), ["c", "e"]), (.listContains, .string("war"), ["w"]),
      (.listMemberBeginsWith, .string("war"), ["w"]),
    ], [false, true])
  func emptyLists(_ row: (Comparator, FieldValue, [String]), findsMissing: Bool) async throws {
    var behavior = ServerBehavior()
    behavior.negationFindsMissing = findsMissing
    let library = try await container(librarySchema, behavior)
    try await library.create("w", ["tags": .strings(["war"])])
    try await library.create("c", ["tags": .strings(["calm"])])
    try await library.create("e", ["tags": .strings([])])
    try await library.create("n")
    let wanted = findsMissing && row.2.count == 2 ? row.2 + ["n"] : row.2
    #expect(
      try await library.names(Query("Book", filters: [Filter("tags", row.0, row.1)])).sorted() == wanted)
  }

  @Test("3.2: every comparator is covered by the table above or is refused for the field")
  func everyComparatorHasAnIndex() {
    #expect(Comparator.allCases.count == 21)
  }

  @Test("3.2: whether a negation finds records without the field is one setting")
  func negationOfMissing() async throws {
    var behavior = ServerBehavior()
    behavior.negationFindsMissing = true
    let library = try await library(behavior)
    let negations = [
      Filter("pages", .notEquals, .int64(80)), Filter("pages", .notIn, .list(of: .int64, [.int64(80)])),
      Filter("title", .notBeginsWith, .string("Peace")), Filter("tags", .notListContains, .string("advice")),
    ]
    for filter in negations {
      #expect(try await library.names(Query("Book", filters: [filter])) == ["a", "c"], "\(filter)")
    }
  }

  @Test("3.2: all filters must hold")
  func conjunction() async throws {
    let library = try await library()
    let query = Query(
      "Book",
      filters: [
        Filter("title", .containsAnyTokens, .string("peace")), Filter("pages", .greaterThan, .int64(100)),
      ])
    #expect(try await library.names(query) == ["a"])
  }

  @Test(
    "3.4: refusals name the field, the index or the type",
    arguments: [
      (
        Query("Book", filters: [Filter("note", .equals, .string("x"))]),
        "Field 'note' is not marked queryable"
      ),
      (Query("Book", sorts: [Sort("note")]), "Field 'note' is not marked sortable"),
      (
        Query("Person", filters: [Filter("name", .containsAnyTokens, .string("x"))]),
        "Field 'name' is not marked searchable"
      ),
      (
        Query("Book", filters: [Filter("recordName", .equals, .string("x"))]),
        "Did not find field: 'recordName' in type: 'Book'"
      ),
      (
        Query("Book", filters: [Filter("author", .equals, .string("x"))]),
        "Field 'author' has a value type of REFERENCE and cannot be queried using filter value type STRING"
      ),
      (
        Query("Book", filters: [Filter("secret", .equals, .string("x"))]),
        "Field 'secret' has a value type of ENCRYPTED_STRING and cannot be queried using filter type EQUALS"
      ),
      (Query("Book", filters: [Filter("pages", .in, .int64(1))]), "BadRequestException: Unexpected input"),
      (Query("Users"), "Type is not marked indexable: Users"),
      (Query("Poodle"), "could not find record_type with name 'Poodle'"),
    ] as [(Query, String)])
  func refusals(_ query: Query, _ reason: String) async throws {
    let library = try await library()
    do {
      _ = try await library.query(QueryRequest(query))
      Issue.record("accepted")
    } catch let error as ServerError {
      #expect(error.reason == reason)
    }
  }

  @Test("3.4: all of a type needs the record name's index, and the explanation has the line to add")
  func allOfType() async throws {
    let bare = try await container("DEFINE SCHEMA RECORD TYPE Bare (name STRING SORTABLE);")
    await #expect {
      _ = try await bare.query(QueryRequest(Query("Bare")))
    } throws: { error in
      let refusal = error as? ServerError
      return refusal?.reason == "Field 'recordName' is not marked queryable"
        && refusal?.explanation.contains("\"___recordID\" REFERENCE QUERYABLE") == true
    }
  }

  @Test("3.2: the index a range needs is one setting")
  func rangeRule() async throws {
    let query = Query("Book", filters: [Filter("year", .lessThan, .int64(2000))])
    #expect(try await library().names(query) == ["a", "b"])
    var behavior = ServerBehavior()
    behavior.ranges = .queryable
    let strict = try await library(behavior)
    #expect(
      try await refusal { try await strict.names(query) }
        == "BAD_REQUEST: Field 'year' is not marked queryable")
  }

  @Test("3.2: more than 250 values in a filter are refused")
  func tooManyValues() async throws {
    let library = try await library()
    let values = FieldValue.list(of: .int64, (0..<251).map { .int64($0) })
    let reason = try await refusal {
      try await library.names(Query("Book", filters: [Filter("pages", .in, values)]))
    }
    #expect(reason?.hasPrefix("BAD_REQUEST: Query filter exceeds the limit of values: 250") == true)
  }

  @Test("3.2: resultsLimit outside 1...200")
  func resultsLimit() async throws {
    let library = try await library()
    #expect(try await library.names(Query("Book"), limit: 1_000).count == 3)
    #expect(try await refusal { try await library.names(Query("Book"), limit: 0) } != nil)
    var behavior = ServerBehavior()
    behavior.largeResultsLimit = .refuse
    let strict = try await self.library(behavior)
    #expect(try await refusal { try await strict.names(Query("Book"), limit: 201) } != nil)
  }

  @Test("2: desired keys choose the fields; an empty list gives none")
  func desiredKeys() async throws {
    let library = try await library()
    let query = Query("Book", filters: [Filter("pages", .equals, .int64(80))])
    let some = try await library.query(QueryRequest(query, desiredKeys: ["price", "unknown"])).records
    #expect(some.map(\.fields) == [["price": .double(2)]])
    let none = try await library.query(QueryRequest(query, desiredKeys: [])).records
    #expect(none.map(\.fields) == [[:]])
  }

  @Test("5: a new record stays invisible to queries for the index delay, but not to lookups")
  func indexDelay() async throws {
    var behavior = ServerBehavior()
    behavior.indexDelay = 3_000
    let clock = StoppedClock()
    let library = try await container(librarySchema, behavior, clock: clock)
    try await library.create("a")
    #expect(try await library.names(Query("Book")) == [])
    #expect(try await library.lookup(LookupRequest(["a"])).first?.record != nil)
    clock.advance(by: 2_999)
    #expect(try await library.names(Query("Book")) == [])
    clock.advance(by: 1)
    #expect(try await library.names(Query("Book")) == ["a"])
  }

  @Test(
    "5: for the index delay, no query finds a change by its time, and queries still find a deleted record")
  func indexDelayOfChanges() async throws {
    var behavior = ServerBehavior()
    behavior.indexDelay = 3_000
    let clock = StoppedClock()
    let library = try await container(librarySchema, behavior, clock: clock)
    for name in ["a", "b"] { try await library.create(name) }
    clock.advance(by: 5_000)
    let since = Timestamp(milliseconds: 2_000)
    let changes = Query(
      "Book", filters: [Filter(.system(.modifiedTimestamp), .greaterThanOrEquals, .timestamp(since))])
    try await library.one(
      RecordOperation(.forceUpdate, recordType: "Book", recordName: "a", fields: ["title": .string("Emma")]))
    try await library.one(RecordOperation(.forceDelete, recordType: "Book", recordName: "b"))
    #expect(try await library.names(changes) == [])
    #expect(try await library.names(Query("Book")) == ["a", "b"])
    #expect(try await library.lookup(LookupRequest(["b"])).first?.record == nil)
    clock.advance(by: 3_000)
    #expect(try await library.names(changes) == ["a"])
    #expect(try await library.names(Query("Book")) == ["a"])
  }

  @Test(
    "3.2: limits hold exactly: 250 values of a filter, 1 to 200 records of a page, distances from 0 meters")
  func exactLimits() async throws {
    let library = try await library()
    func values(_ count: Int) -> Filter {
      Filter("pages", .in, .list(of: .int64, (0..<count).map { .int64(Int64($0)) }))
    }
    #expect(try await library.names(Query("Book", filters: [values(250)])) == ["b"])
    #expect(try await refusal { try await library.names(Query("Book", filters: [values(251)])) } != nil)
    var behavior = ServerBehavior()
    behavior.largeResultsLimit = .refuse
    let strict = try await self.library(behavior)
    for (limit, count) in [(-1, nil), (0, nil), (1, 1), (2, 2), (200, 3), (201, nil)] as [(Int, Int?)] {
      #expect((try? await strict.names(Query("Book"), limit: limit))?.count == count, "\(limit)")
    }
    let moscow = Location(latitude: 55.75, longitude: 37.62)
    for (distance, names) in [(nil, nil), (-0.1, nil), (0, ["a"]), (1e7, ["a", "b"])]
      as [(Double?, [String]?)]
    {
      let filter = Filter("place", .near, .location(moscow), distance: distance)
      #expect((try? await library.names(Query("Book", filters: [filter]))) == names)
    }
  }

  @Test("a full page has a marker only if another record follows", arguments: [1, 2, 3, 4])
  func fullPage(limit: Int) async throws {
    let page = try await library().query(QueryRequest(Query("Book"), resultsLimit: limit))
    #expect(page.records.count == min(limit, 3) && (page.continuationMarker != nil) == (limit < 3))
  }

  @Test("3.4: whether a type without indexes or the field is named is one setting")
  func unindexedType() async throws {
    let schema =
      "DEFINE SCHEMA RECORD TYPE Bare (name STRING); RECORD TYPE Some (name STRING, n INT64 SORTABLE);"
    var behavior = ServerBehavior()
    behavior.unindexedType = .type
    let container = try await container(schema, behavior)
    func reason(_ type: String) async throws -> String? {
      try await refusal { try await container.names(Query(type)) }
    }
    #expect(try await reason("Bare") == "BAD_REQUEST: Type is not marked indexable: Bare")
    #expect(try await reason("Some") == "BAD_REQUEST: Field 'recordName' is not marked queryable")
  }
}

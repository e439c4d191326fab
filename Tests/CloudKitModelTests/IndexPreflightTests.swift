import SchemaLanguage
import Testing

@testable import CloudKitModel

@Suite("Index preflight")
struct IndexPreflightTests {
  private let schema = Schema(recordTypes: [
    RecordType(
      "Feed",
      fields: [
        Field("feedURL", .string, [.sortable]), Field("title", .string, [.queryable, .sortable]),
        Field("count", .int64, [.queryable]), Field("note", .string),
      ])
  ])

  private func lines(_ query: Query, _ ranges: RangeIndexRule = .queryableOrSortable) -> [String] {
    query.missingIndexes(in: schema, ranges: ranges).map(\.line)
  }

  @Test("every comparator is accepted for the types of fields that its row names, and for no other")
  func types() throws {
    let all = ScalarType.allCases
    let rows: [(comparators: [Comparator], scalars: [ScalarType], lists: [ScalarType])] = [
      ([.equals, .notEquals, .in, .notIn], all.filter { $0 != .asset }, []),
      (
        [.lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals],
        [.string, .int64, .double, .timestamp], []
      ),
      ([.near], [.location], []), ([.beginsWith, .notBeginsWith], [.string], []),
      ([.containsAllTokens, .containsAnyTokens], [.string], [.string]),
      (
        [
          .listContains, .notListContains, .listContainsAny, .notListContainsAny, .listContainsAll,
          .notListContainsAll,
        ], [], all
      ),
      ([.listMemberBeginsWith, .notListMemberBeginsWith], [], [.string]),
    ]
    #expect(Set(rows.flatMap(\.comparators)) == Set(Comparator.allCases))
    let fields = all.map { "one\($0.rawValue) \($0.rawValue), many\($0.rawValue) LIST<\($0.rawValue)>" }
    let schema = try Schema(parsing: "DEFINE SCHEMA RECORD TYPE T ( \(fields.joined(separator: ", ")) );")
    for row in rows {
      for comparator in row.comparators {
        func isAccepted(_ field: String) -> Bool {
          let filter = Filter(FieldName(field), comparator, .strings([]))
          return !Query("T", filters: [filter]).problems(in: schema).contains {
            if case .comparator = $0 { true } else { false }
          }
        }
        #expect(all.filter { isAccepted("one\($0.rawValue)") } == row.scalars, "\(comparator)")
        #expect(all.filter { isAccepted("many\($0.rawValue)") } == row.lists, "\(comparator)")
      }
    }
  }

  @Test("the line to add keeps the indexes there are, in canonical order")
  func completeLine() {
    let query = Query("Feed", filters: [Filter("feedURL", .equals, .string("x"))], sorts: [Sort("count")])
    #expect(lines(query) == ["feedURL STRING QUERYABLE SORTABLE", "count INT64 QUERYABLE SORTABLE"])
    let words = Query("Feed", filters: [Filter("title", .containsAllTokens, .string("x"))])
    #expect(lines(words) == ["title STRING QUERYABLE SEARCHABLE SORTABLE"])
  }

  @Test("system fields are written with their quotes and types")
  func systemFields() {
    let query = Query(
      "Feed", filters: [Filter("title", .equals, .string("x"))], sorts: [Sort("___modTime")])
    #expect(lines(query) == ["\"___modTime\" TIMESTAMP SORTABLE"])
  }

  @Test("a range is served by either index, or by QUERYABLE only: one rule")
  func ranges() {
    let query = Query("Feed", filters: [Filter("feedURL", .beginsWith, .string("http"))])
    #expect(lines(query).isEmpty)
    #expect(lines(query, .queryable) == ["feedURL STRING QUERYABLE SORTABLE"])
  }

  @Test("what no index would help is a problem of its own")
  func otherProblems() {
    #expect(Query("Users").problems(in: schema) == [.usersType])
    #expect(Query("Fed").problems(in: schema) == [.unknownRecordType("Fed")])
    let query = Query("Feed", filters: [Filter("titel", .equals, .string("x"))])
    #expect(query.problems(in: schema) == [.unknownField("titel", recordType: "Feed")])
    #expect(query.missingIndexes(in: schema).isEmpty)
  }

  @Test("a value must be of the field's type, or a list of it where the comparator takes one")
  func values() throws {
    let schema = try Schema(
      parsing: """
        DEFINE SCHEMA RECORD TYPE T ( text STRING QUERYABLE, words LIST<STRING> QUERYABLE, secret ENCRYPTED STRING );
        """)
    let wrongType = { QueryProblem.valueType($0, field: $1, fieldType: $2) }
    let rows: [(FieldName, Comparator, FieldValue, [QueryProblem])] = [
      ("text", .equals, .string("x"), []),
      ("text", .equals, .int64(1), [wrongType("INT64", "text", "STRING")]),
      ("text", .equals, .strings(["x"]), [wrongType("STRING_LIST", "text", "STRING")]),
      ("text", .in, .strings(["x"]), []), ("text", .in, .string("x"), [.listExpected(field: "text")]),
      ("text", .in, .list(of: .int64, []), []),
      ("text", .in, .list(of: .int64, [.int64(1)]), [wrongType("INT64_LIST", "text", "STRING")]),
      ("words", .listContains, .string("x"), []),
      ("words", .listContains, .strings([]), [wrongType("STRING_LIST", "words", "STRING_LIST")]),
      ("words", .listContainsAny, .strings(["x"]), []),
      ("words", .listContainsAny, .string("x"), [.listExpected(field: "words")]),
      (
        "secret", .equals, .string("x"),
        [.comparator(.equals, field: "secret", fieldType: "ENCRYPTED_STRING")]
      ),
    ]
    for (field, comparator, value, problems) in rows {
      let query = Query("T", filters: [Filter(field, comparator, value)])
      #expect(query.problems(in: schema) == problems, "\(field) \(comparator) \(value)")
    }
  }
}

import Catalog
import CloudKitModel
import Diagnostics
import Foundation
import LocalContainer
import RecordChanges
import SchemaLanguage
import Testing

@testable import Curation

@Suite struct QueryRehearsalTests {
  private let now = Timestamp(milliseconds: 1_795_000_000_000)

  private func rehearse(
    _ text: String, schema: String? = nil, catalog: SeedCatalog? = nil, deleting title: String? = nil
  ) async throws -> (queries: [QueryRehearsalResult], report: QueryRehearsalReport) {
    let container = try LocalContainer.open(.memory)
    try await container.importSchema(RepositorySchema.text())
    let plan = try await SeedPlanner(container: container).plan(catalog ?? Self.catalog, at: now)
    _ = await ChangeExecutor(container: container, options: .init(policy: .refuse)).apply(plan.changes)
    for feed in try await container.allRecords(Query("PublicFeed")) where feed["title"]?.string == title {
      _ = try await container.modify([RecordOperation(.forceDelete, recordName: feed.recordName)])
    }
    let (queries, findings) = AppScreenQuery.read(SourceText(name: "q.json", text))
    let known = try Schema(parsing: schema ?? RepositorySchema.text())
    let results = try await QueryRehearsal(container: container, schema: known, now: now).run(queries)
    return (results, QueryRehearsalReport(results, reading: findings, failOn: .error))
  }

  private static var catalog: SeedCatalog {
    var feeds = (0..<4).map {
      SeedFeed(
        slug: "f\($0)", title: "Feed number \($0)", feedURL: "https://f\($0).example/", category: "arts")
    }
    feeds[0].title = "Daring Fireball"
    for index in 0..<3 { feeds[index].isFeatured = true }
    feeds[3].tags = ["apple"]
    return SeedCatalog(
      categories: [SeedCategory(slug: "arts", name: "Arts"), SeedCategory(slug: "news", name: "News")],
      feeds: feeds,
      collections: [SeedCollection(slug: "best", title: "Best", feeds: ["f1", "f0"])])
  }

  private let featured = """
    [{"name": "Featured", "recordType": "PublicFeed", "limit": 2,
      "filters": [{"field": "category", "value": "$category"}, {"field": "isFeatured", "value": 1}],
      "sorts": [{"field": "subscriberCount", "ascending": false}]}]
    """

  @Test("rows, truncation and the values for which a screen is empty are counted")
  func rows() async throws {
    let (queries, report) = try await rehearse(featured)
    #expect(queries[0].rows == 2 && queries[0].truncatedAt == 2 && queries[0].emptyFor == ["news"])
    #expect(report.findings.map(\.code) == ["CU0403", "CU0404"] && report.status == .done)
    #expect(QueryRehearsalReport(queries, reading: [], failOn: .warning).status == .findings)
  }

  @Test("a missing index is named with the line that the schema needs, and the query is not run")
  func indexes() async throws {
    let schema = try RepositorySchema.text().replacing(
      "isFeatured      INT64 QUERYABLE", with: "isFeatured      INT64")
    let (queries, report) = try await rehearse(featured, schema: schema)
    #expect(!queries[0].allowed && queries[0].requests == 0)
    #expect(queries[0].missingIndexes == ["PublicFeed: isFeatured INT64 QUERYABLE"])
    #expect(report.status == .findings)
  }

  private static func subscribed(
    _ events: String, filter: String = "", name: String = "A", _ type: String = "PublicFeed"
  ) -> String {
    #"{"name": "\#(name)", "recordType": "\#(type)", "filters": [\#(filter)], "mayBeEmpty": true, "subscription": {"firesOn": [\#(events)]}}"#
  }

  @Test("a subscription needs the indexes of its filters")
  func subscriptionIndexes() async throws {
    let filter = #"{"field": "isFeatured", "value": 1}"#
    let text = "[\(Self.subscribed(#""create", "update""#, filter: filter))]"
    let (good, report) = try await rehearse(text)
    #expect(report.status == .done)
    #expect(good[0].allowed && report.json.text().contains(#""firesOn":["create","update"]"#))
    let schema = try RepositorySchema.text().replacing(
      "isFeatured      INT64 QUERYABLE", with: "isFeatured      INT64")
    let (_, bad) = try await rehearse(text, schema: schema)
    #expect(bad.findings.map(\.code) == ["CU0405"])
    #expect(bad.findings[0].message == "'A' and its subscription need an index")
    #expect(
      bad.json.text().contains(
        #""subscription":{"firesOn":["create","update"],"missingIndexes":["PublicFeed: isFeatured INT64 QUERYABLE"]}"#
      ))
  }

  @Test("subscriptions of one type and one set of events collide, also those for each value of a parameter")
  func collidingSubscriptions() async throws {
    func messages(_ queries: String...) async throws -> [String] {
      let (_, report) = try await rehearse("[\(queries.joined(separator: ","))]")
      #expect(report.findings.allSatisfy { $0.code == "CU0407" && $0.severity == .error && $0.range != nil })
      return report.findings.map(\.message)
    }
    let one = Self.subscribed(#""create", "update""#)
    let other = Self.subscribed(#""update", "create""#, name: "B")
    #expect(
      try await messages(one, other) == [
        "the subscription of 'A' collides with that of 'B': a user can have one subscription for PublicFeed and create, update",
        "the subscription of 'B' collides with that of 'A': a user can have one subscription for PublicFeed and create, update",
      ])
    #expect(try await messages(one, one).count == 2)
    #expect(try await messages(one, Self.subscribed(#""create""#, name: "B")) == [])
    #expect(try await messages(one, Self.subscribed(#""create", "update""#, name: "B", "FeedCategory")) == [])
    let each = Self.subscribed(#""create""#, filter: #"{"field": "category", "value": "$category"}"#)
    #expect(
      try await messages(each) == [
        "the subscription of 'A' collides with itself: an app makes one for each $category, and a user can have one subscription for PublicFeed and create"
      ])
    let all = Self.subscribed(
      #""create""#, filter: #"{"field": "___recordID", "comparator": "IN", "value": "$feeds"}"#)
    #expect(try await messages(all) == [])
  }

  @Test(
    "a subscription is a list of events, each once",
    arguments: [
      #"{}"#, #"{"firesOn": []}"#, #"{"firesOn": ["create", "create"]}"#, #"{"firesOn": ["creation"]}"#,
      #"{"firesOn": "create"}"#, #"{"firesOn": ["create"], "firesOnce": true}"#, #"["create"]"#, "true",
    ])
  func unreadableSubscriptions(text: String) async throws {
    let (queries, report) = try await rehearse(
      #"[{"name": "A", "recordType": "PublicFeed", "subscription": \#(text)}]"#)
    #expect(queries.isEmpty && report.findings.map(\.code) == ["CU0401"])
  }

  @Test("a missing index is named although the container has no value for the parameter")
  func indexesOfEmptyContainers() async throws {
    let text = """
      [{"name": "Messages", "recordType": "ChatMessage", "filters": [{"field": "sessionId", "value": "$session"}],
        "sorts": ["timestamp"]}]
      """
    let schema = """
      DEFINE SCHEMA
        RECORD TYPE ChatMessage (sessionId STRING, timestamp TIMESTAMP SORTABLE, GRANT READ TO "_world");
      """
    let (queries, _) = try await rehearse(text, schema: schema)
    #expect(queries[0].missingIndexes == ["ChatMessage: sessionId STRING QUERYABLE"])
  }

  @Test("a phrase finds whole words, not their beginnings")
  func phrases() async throws {
    let text = """
      [{"name": "Search", "recordType": "PublicFeed", "phrases": ["daring fireball", "daring fire", "nothing"],
        "filters": [{"field": "title", "comparator": "CONTAINS_ALL_TOKENS", "value": "$phrase"}]}]
      """
    let found = try await rehearse(text).queries[0].found
    #expect(found.map(\.titles) == [["Daring Fireball"], [], []])
  }

  @Test("a screen that looks up references names those that lead nowhere")
  func lookups() async throws {
    let text = #"[{"name": "Import", "recordType": "FeedCollection", "lookup": "feeds"}]"#
    let whole = try await rehearse(text)
    #expect(whole.queries[0].missingRecords.isEmpty && whole.report.findings.isEmpty)
    #expect(whole.queries[0].followed.map(\.text) == ["2 of 2 feeds"])
    #expect(whole.report.text(.plain).description.contains("    Best: 2 of 2 feeds\n"))
  }

  @Test(
    "a missing feed is named with the collection that names it, and what an import of each collection brings")
  func missingFeeds() async throws {
    var catalog = Self.catalog
    catalog.collections.append(SeedCollection(slug: "all", title: "All", feeds: ["f0", "f1", "f2", "f3"]))
    catalog.collections.append(SeedCollection(slug: "rest", title: "Rest", feeds: ["f2", "f3"]))
    let text = #"[{"name": "Import", "recordType": "FeedCollection", "lookup": "feeds"}]"#
    let (queries, report) = try await rehearse(text, catalog: catalog, deleting: "Feed number 1")
    let brings = Dictionary(uniqueKeysWithValues: queries[0].followed.map { ($0.label, $0.text) })
    #expect(brings == ["Best": "1 of 2 feeds", "All": "3 of 4 feeds", "Rest": "2 of 2 feeds"])
    let missing = try #require(queries[0].missingRecords.first)
    #expect(queries[0].missingRecords.count == 1)
    #expect(
      Set(report.findings.map(\.message)) == [
        "'Import' brings 1 of 2 feeds of 'Best': '\(missing)' is not there",
        "'Import' brings 3 of 4 feeds of 'All': '\(missing)' is not there",
      ])
    #expect(report.findings.allSatisfy { $0.code == "CU0406" })
    let json = report.json["queries"]?.array?.first?["followed"]?.array ?? []
    #expect(json.map { $0["found"]?.integer }.compactMap(\.self).sorted() == [1, 2, 3])
    #expect(json.count { $0["missing"]?.array == [.string(missing)] } == 2)
  }

  @Test("a screen of another app is left out, and what no query is is a finding")
  func reading() async throws {
    let other = #"[{"name": "Live", "recordType": "LiveSession", "schema": "live-sessions.ckdb"}]"#
    let left = try await rehearse(other)
    #expect(left.queries[0].needsSchema == "live-sessions.ckdb" && left.report.findings.isEmpty)
    for bad in [
      "{}", "[{\"name\": \"x\"}]", "[1]", "nonsense",
      #"[{"name": "x", "recordType": "PublicFeed", "filter": []}]"#,
      #"[{"name": "x", "recordType": "PublicFeed", "filters": {}}]"#,
      #"[{"name": "x", "recordType": "PublicFeed", "filters": [{"field": "title", "value": "$nothing"}]}]"#,
      #"[{"name": "x", "recordType": "PublicFeed", "filters": [{"field": "title", "comparator": "LIKE", "value": 1}]}]"#,
      #"[{"name": "x", "recordType": "PublicFeed", "limit": 0}]"#,
    ] {
      let (queries, report) = try await rehearse(bad)
      #expect(queries.isEmpty && report.findings.map(\.code) == ["CU0401"], "\(bad)")
    }
    for refused in [
      #"[{"name": "x", "recordType": "Nowhere"}]"#,
      // One type of the app's schema is there: the other is missing.
      #"{"schema": "celestra.ckdb", "queries": [{"name": "x", "recordType": "Nowhere"}, {"name": "y", "recordType": "FeedCategory"}]}"#,
    ] {
      #expect(try await rehearse(refused).report.findings.map(\.code) == ["CU0402"])
    }
  }

  @Test("the app's own screens are allowed by the shipped schema")
  func shipped() async throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: "schema/app-queries.json"), encoding: .utf8)
    let catalog = try #require(SeedLoader(directory: root.appending(path: "seeds").path).load().catalog)
    let (queries, report) = try await rehearse(text, catalog: catalog)
    #expect(queries.count == 16)
    let left = queries.filter { !$0.allowed }
    #expect(left.map(\.name) == ["Live sessions", "People in a session", "Newest messages of a session"])
    #expect(left.allSatisfy { $0.needsSchema == "live-sessions.ckdb" })
    #expect(report.status == .done)
  }

  @Test(
    "a query of the file is read, or reported with what is wrong",
    arguments: [
      (#""limit": 1"#, nil), (#""limit": 10000"#, nil),
      (#""limit": 0"#, #""limit" is a number from 1 to 10000"#),
      (#""limit": 10001"#, #""limit" is a number from 1 to 10000"#),
      (#""limit": "1""#, #""limit" is a number from 1 to 10000"#),
      (#""filter": []"#, "a query has no key 'filter'"), (#""filters": {}"#, "filters and sorts are lists"),
      (#""sorts": 1"#, "filters and sorts are lists"),
      (#""filters": [{"field": "a"}]"#, #"a filter needs its "field" and its "value""#),
      (#""filters": [{"value": 1}]"#, #"a filter needs its "field" and its "value""#),
      (#""filters": [{"field": "a", "value": 1, "comparator": "EQUAL"}]"#, "there is no comparator 'EQUAL'"),
      (#""filters": [{"field": "a", "value": "$tga"}]"#, "there is no parameter '$tga'"),
      (#""filters": [{"field": "a", "value": "$tag"}]"#, nil),
      (#""sorts": [{}]"#, #"a sort needs its "field""#),
      (#""sorts": ["a", {"field": "b", "ascending": false}]"#, nil),
      (
        #""subscription": {"firesOn": []}"#,
        #""subscription" is {"firesOn": [...]} with some of create, update and delete, each once"#
      ),
      (
        #""subscription": {"firesOn": ["create", "create"]}"#,
        #""subscription" is {"firesOn": [...]} with some of create, update and delete, each once"#
      ),
      (#""subscription": {"firesOn": ["create"]}"#, nil),
    ] as [(String, String?)])
  func reads(_ member: String, _ message: String?) {
    let (queries, found) = AppScreenQuery.read(
      SourceText(name: "q.json", "[{\"name\": \"Q\", \"recordType\": \"T\", \(member)}]"))
    #expect(found.map(\.message) == (message.map { [$0] } ?? []))
    #expect(queries.count == (message == nil ? 1 : 0))
  }

  @Test("a query shows 200 rows ascending where the file says nothing")
  func defaults() throws {
    let (queries, _) = AppScreenQuery.read(
      SourceText(
        name: "q.json",
        #"{"queries": [{"name": "Q", "recordType": "T", "sorts": ["a", {"field": "b", "ascending": false}]}]}"#
      ))
    let query = try #require(queries.first)
    #expect(query.limit == 200 && !query.mayBeEmpty && query.sorts.map(\.ascending) == [true, false])
    #expect(query.lookup == nil && query.schema == nil && query.phrases.isEmpty && query.parameters.isEmpty)
  }

  private func result(_ change: (inout QueryRehearsalResult) -> Void) -> QueryRehearsalResult {
    var result = QueryRehearsalResult(name: "Q", recordType: "T")
    change(&result)
    return result
  }

  @Test("an empty screen is reported with up to ten of its values")
  func emptyScreens() {
    func messages(_ labels: [String], mayBeEmpty: Bool = false, problems: [String] = []) -> [String] {
      result {
        $0.emptyFor = labels
        $0.mayBeEmpty = mayBeEmpty
        $0.problems = problems
      }.diagnostics.map(\.message)
    }
    #expect(messages([]) == [])
    #expect(messages([""]) == ["'Q' is empty"])
    #expect(messages(["a", "", "b"]) == ["'Q' is empty for a, b"])
    #expect(messages(["a"], mayBeEmpty: true) == [])
    #expect(messages(["a"], problems: ["x"]) == ["CloudKit would refuse the query 'Q': x"])
    let ten = (0..<10).map { "v\($0)" }
    #expect(messages(ten) == ["'Q' is empty for \(ten.joined(separator: ", "))"])
    #expect(messages(ten + ["w"]) == ["'Q' is empty for \(ten.joined(separator: ", ")) and 1 more"])
  }

  @Test("missing references are reported with up to ten names, and a truncated screen with its rows")
  func missingReferences() {
    func message(_ count: Int) -> String? {
      result {
        $0.followed = [
          FollowedReferences(
            field: "feeds", recordName: "r", label: "Best", named: 20, missing: (0..<count).map { "m\($0)" })
        ]
      }.diagnostics.first?.message
    }
    #expect(message(0) == nil)
    #expect(message(1) == "'Q' brings 19 of 20 feeds of 'Best': 'm0' is not there")
    let ten = (0..<10).map { "'m\($0)'" }.joined(separator: ", ")
    #expect(message(10) == "'Q' brings 10 of 20 feeds of 'Best': \(ten) are not there")
    #expect(message(11) == "'Q' brings 9 of 20 feeds of 'Best': \(ten) and 1 more are not there")
    #expect(
      result { $0.truncatedAt = 1 }.diagnostics.map(\.message) == ["'Q' ends after 1 row, and there are more"]
    )
    #expect(
      result {
        $0.missingIndexes = ["T: a", "T: b"]
        $0.subscriptionIndexes = ["T: b"]
        $0.problems = ["x"]
      }.diagnostics.map(\.message) == ["'Q' needs an index", "'Q' and its subscription need an index"])
  }

  @Test("each query is one line with its mark, and what was found and followed")
  func texts() {
    func text(_ change: (inout QueryRehearsalResult) -> Void) -> String {
      QueryRehearsalReport([result(change)], reading: [], failOn: .error).text(.plain).description.split(
        separator: "\n"
      ).first.map(String.init) ?? ""
    }
    #expect(text { $0.needsSchema = "other.ckdb" } == "· Q  needs other.ckdb")
    #expect(text { $0.problems = ["x"] } == "✗ Q")
    #expect(text { $0.requests = 1 } == "! Q  0 rows, 1 request")
    #expect(text { $0.mayBeEmpty = true } == "✓ Q  0 rows, 0 requests")
    #expect(text { $0.rows = 1 } == "✓ Q  1 row, 0 requests")
    let found = result {
      $0.rows = 1
      $0.found = [("a b", []), ("c", ["X", "Y"])]
    }
    let lines = QueryRehearsalReport([found], reading: [], failOn: .error).text(.plain).description
    #expect(lines.contains("    “a b” finds nothing\n    “c” finds X, Y\n"))
    #expect(QueryRehearsalReport([found], reading: [], failOn: .note).status == .done)
  }
}

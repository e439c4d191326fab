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
  ) async throws -> (queries: [QueryRehearsalResult], report: PlainReport) {
    let container = try LocalContainer.open(.memory)
    try await container.importSchema(RepositorySchema.text())
    let plan = try await SeedPlanner(container: container).plan(catalog ?? Self.catalog, at: now)
    _ = await ChangeExecutor(container: container, policy: .refuse).apply(plan.changes)
    for feed in try await container.allRecords(Query("PublicFeed")) where feed["title"]?.string == title {
      _ = try await container.modify([RecordOperation(.forceDelete, recordName: feed.recordName)])
    }
    let (queries, findings) = AppScreenQuery.read(SourceText(name: "q.json", text))
    let known = try Schema(parsing: schema ?? RepositorySchema.text())
    let results = try await QueryRehearsal(container: container, schema: known, now: now).run(queries)
    return (results, results.report(reading: findings, failOn: .error))
  }

  private static var catalog: SeedCatalog {
    var feeds = (0..<4).map {
      SeedFeed(
        slug: "f\($0)", title: "Feed number \($0)", feedURL: "https://f\($0).example/", category: "arts")
    }
    feeds[0].title = "Daring Fireball"
    for index in 0..<3 { feeds[index].values["isFeatured"] = true }
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
    #expect(queries.report(reading: [], failOn: .warning).status == .findings)
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

  @Test(
    "a rehearsal finds in a schema what lint finds: at the same places, with the query's name and what to do")
  func agreesWithLint() async throws {
    let text = """
      [{"name": "newest", "recordType": "FeedCategory", "filters": [{"field": "sortOrder", "value": 3}],
        "sorts": ["createdTimestamp", "sortOrder", "modifiedTimestamp"]},
       {"name": "part", "recordType": "PublicFeed",
        "filters": [{"field": "siteURL", "comparator": "LIST_CONTAINS", "value": "a"}]},
       {"name": "values", "recordType": "PublicFeed",
        "filters": [{"field": "titel", "value": "a"}, {"field": "isFeatured", "value": "x"}, {"feld": "slug", "value": "a"}]},
       {"name": "list", "recordType": "PublicFeed", "filters": [{"field": "slug", "comparator": "IN", "value": "x"}]},
       {"name": "type", "recordType": "Nowhere"}, {"name": "users", "recordType": "Users"},
       {"name": "range", "recordType": "PublicFeed", "mayBeEmpty": true, "filters": [{"field": "addedAt", "comparator": ">", "value": "$now"}]},
       {"name": "right", "recordType": "PublicFeed", "mayBeEmpty": true,
        "filters": [{"field": "slug", "comparator": "IN", "value": ["x", "y"]}, {"field": "isFeatured", "value": true},
          {"field": "___modTime", "comparator": "<", "value": "2026-01-01T00:00:00Z"}]}]
      """
    let (queries, report) = try await rehearse(text)
    let parsed = SchemaParser.parse(SourceText(name: "app.ckdb", try RepositorySchema.text()))
    let manifest = QueryManifest(parsing: SourceText(name: "q.json", text))
    let lint = SchemaLinter.diagnostics(parsed, LintOptions(queries: manifest)).filter {
      $0.range?.source.name == "q.json"
    }
    func shown(_ found: [Diagnostic]) -> [String] {
      found.map {
        "\($0.range?.offsets.lowerBound ?? -1) \($0.code) \($0.severity) \($0.message): \($0.help ?? "")"
      }.sorted()
    }
    // What is not valid of a query hides nothing else of it.
    #expect(shown(report.findings) == shown(manifest.diagnostics + lint))
    #expect(
      manifest.diagnostics.count == 1 && lint.count == 9
        && lint.allSatisfy { $0.message.hasPrefix("query '") && $0.help != nil })
    #expect(queries.map(\.allowed) == [false, false, false, false, false, false, true, true])
    // A line has all indexes that the queries need, so that one paste does not take away what another added.
    #expect(queries[0].missingIndexes.contains("FeedCategory: sortOrder INT64 QUERYABLE SORTABLE"))
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
    #expect(bad.findings.map(\.code) == ["CK0201"])
    #expect(bad.findings[0].message.hasSuffix("on 'PublicFeed.isFeatured', and so does its subscription"))
    #expect(
      bad.json.text().contains(
        #""subscription":{"firesOn":["create","update"],"filters":["isFeatured EQUALS 1"],"missingIndexes":["PublicFeed: isFeatured INT64 QUERYABLE"],"problems":[]}"#
      ))
  }

  @Test("subscriptions of one type and one set of events collide, also those for each value of a parameter")
  func collidingSubscriptions() async throws {
    func messages(_ queries: String...) async throws -> [String] {
      let (_, report) = try await rehearse("[\(queries.joined(separator: ","))]")
      #expect(report.findings.allSatisfy { $0.code == "CK0603" && $0.severity == .error && $0.range != nil })
      return report.findings.map(\.message)
    }
    let one = Self.subscribed(#""create", "update""#)
    let other = Self.subscribed(#""update", "create""#, name: "B")
      .replacing(#""firesOn""#, with: #""desiredKeys": ["title"], "firesOn""#)
    #expect(
      try await messages(one, other) == [
        "the subscription of 'A' collides with that of 'B': a user can have one subscription for PublicFeed and create, update",
        "the subscription of 'B' collides with that of 'A': a user can have one subscription for PublicFeed and create, update",
      ])
    #expect(try await messages(one, one.replacing(#""A""#, with: #""C""#)).count == 2)
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
    let (_, report) = try await rehearse(
      text,
      schema: schema.replacing("STRING,", with: "STRING QUERYABLE,").replacing(
        "TIMESTAMP S", with: "TIMESTAMP QUERYABLE S"))
    #expect(report.findings.map(\.code) == ["CU0403"] && !report.text(.plain).description.contains("✓"))
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
      #expect(
        queries.allSatisfy { !$0.allowed } && report.findings.map(\.code) == ["CK0601"], "\(bad)")
      let found = report.findings.first
      #expect(
        found?.range != nil && (bad.contains("recordType") ? found?.message.contains("'x'") ?? false : true))
    }
    for refused in [
      #"[{"name": "x", "recordType": "Nowhere"}]"#,
      // One type of the app's schema is there: the other is missing.
      #"{"schema": "celestra.ckdb", "queries": [{"name": "x", "recordType": "Nowhere"}, {"name": "y", "recordType": "FeedCategory"}]}"#,
    ] {
      #expect(try await rehearse(refused).report.findings.map(\.code) == ["CK0202"])
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
}

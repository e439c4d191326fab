import CloudKitModel
import Diagnostics
import SchemaLanguage
import Testing

@testable import Catalog

/// What a script cannot show: lagging indexes, other people's names, schemas without the catalog's types.
@Suite struct CatalogVerifierTests {
  private static let schema = Schema(recordTypes: [
    RecordType("FeedCategory", fields: [Field("parentCategory", .reference)]),
    RecordType(
      "PublicFeed",
      fields: [
        Field("feedURL", .string), Field("category", .reference), Field("slug", .string),
        Field("title", .string),
        Field("subscriberCount", .int64),
      ]),
    RecordType("LiveSession", fields: [Field("isActive", .int64), Field("endTime", .timestamp)]),
    RecordType("FeedSubscription", fields: [Field("feedRecordName", .string)]),
    RecordType("Note", fields: [Field("about", .reference), Field("___recordID", .reference)]),
  ])

  private func findings(_ container: MemoryContainer) async throws -> [Diagnostic] {
    try await CatalogVerifier(
      container: container, schema: CatalogVerifierTests.schema, now: Timestamp(milliseconds: 1000)
    ).verify(correcting: false).findings
  }

  private func record(_ type: String, _ name: String, _ fields: [String: FieldValue] = [:]) -> Record {
    Record(recordType: type, recordName: name, fields: fields)
  }

  @Test("a record that queries do not show yet is not missing")
  func lag() async throws {
    let container = MemoryContainer([
      record("FeedCategory", "news"),
      record("PublicFeed", "one", ["category": .reference(Reference("news"))]),
    ])
    container.hideFromQueries(["news"])
    #expect(try await findings(container).isEmpty)
  }

  @Test("a reference that no declaration knows may point to any record, but to one that is there")
  func undeclared() async throws {
    let container = MemoryContainer([
      record("PublicFeed", "one"), record("Note", "a", ["about": .reference(Reference("one"))]),
      record("Note", "b", ["about": .reference(Reference("gone"))]),
    ])
    let found = try await findings(container)
    #expect(found.map(\.code) == ["CV0101"])
    #expect(found.first?.message == "about of 1 Note record (b) names 'gone', and no record has this name")
  }

  @Test("an active session that has ended is reported, and neither an ended nor a running one")
  func activePastEnd() async throws {
    func session(_ name: String, _ isActive: Int64, end: Int64) -> Record {
      record(
        "LiveSession", name,
        ["isActive": .int64(isActive), "endTime": .timestamp(Timestamp(milliseconds: end))])
    }
    let container = MemoryContainer([
      session("late", 1, end: 999), session("over", 0, end: 999), session("running", 1, end: 1000),
      session("odd", 2, end: 999),
    ])
    let found = try await findings(container)
    #expect(found.map(\.code) == ["CV0405", "CV0405"])
    #expect(found.first?.message == "isActive is 1 after endTime in 1 LiveSession record (late)")
    #expect(found.last?.message == "isActive is 2 after endTime in 1 LiveSession record (odd)")
    #expect(
      found.last?.help?.hasSuffix("celestra-admin records update LiveSession odd --set isActive=0") == true)
  }

  @Test("references to users are ignored")
  func users() async throws {
    let container = MemoryContainer([record("Note", "a", ["about": .reference(Reference("_0a1b2c"))])])
    #expect(try await findings(container).isEmpty)
  }

  @Test("orphaned subscriptions are counted, never named")
  func subscriptions() async throws {
    let names = (0..<5).map { String(repeating: "\($0)", count: 64) } + ["by-hand"]
    let container = MemoryContainer(
      names.map { record("FeedSubscription", $0, ["feedRecordName": .string("gone")]) })
    let found = try await findings(container)
    #expect(Set(found.map(\.code)) == ["CV0102", "CV0301"])
    #expect(found.contains { $0.message.contains("6 FeedSubscription records") })
    #expect(names.allSatisfy { name in !found.contains { $0.message.contains(name) } })
  }

  @Test("three records are named, the others counted")
  func examples() async throws {
    let container = MemoryContainer(
      (1...5).map { record("Note", "n\($0)", ["about": .reference(Reference("gone"))]) })
    #expect(try await findings(container).first?.message.contains("5 Note records (n1, n2, n3, …)") == true)
  }

  @Test("two spellings of one feed URL are found, whatever page they stand on")
  func duplicateURLs() async throws {
    let urls = [
      "https://a.example/feed", "https://b.example", "https://c.example", "HTTPS://A.example:443/feed",
    ]
    let container = MemoryContainer(
      urls.enumerated().map { record("PublicFeed", "feed-\($0)", ["feedURL": .string($1)]) })
    let found = try await findings(container)
    #expect(found.map(\.code) == ["CV0201"])
    #expect(found.first?.message.hasSuffix("feed-0, feed-3") == true)
  }

  @Test("two feeds with one slug are found; feeds without slugs are not")
  func duplicateSlugs() async throws {
    let slugs = ["a", "b", "a", nil, "", ""]
    let container = MemoryContainer(
      slugs.enumerated().map { index, slug in
        record("PublicFeed", "feed-\(index)", slug.map { ["slug": .string($0)] } ?? [:])
      })
    container.edit("feed-0", "subscriberCount", .int64(3))
    let found = try await findings(container)
    #expect(found.map(\.code) == ["CV0205"])
    #expect(found.first?.message == "2 feed records have the slug 'a': feed-0, feed-2")
    #expect(found.first?.help?.hasSuffix("records update PublicFeed feed-2 --set slug=null") == true)
    container.edit("feed-2", "title", .string("A"))
    let titled = try #require(try await findings(container).first)
    #expect(titled.message == "2 feed records have the slug 'a': feed-0, A (feed-2)")
    #expect(titled.help?.hasSuffix("records update PublicFeed feed-0 --set slug=null") == true)
  }

  @Test("a cycle of parents is reported once, a chain not at all")
  func cycles() async throws {
    func category(_ name: String, _ parent: String?) -> Record {
      record("FeedCategory", name, parent.map { ["parentCategory": .reference(Reference($0))] } ?? [:])
    }
    let container = MemoryContainer([
      category("a", "b"), category("b", "c"), category("c", "a"), category("into", "a"),
      category("leaf", "root"), category("root", nil), category("self", "self"),
    ])
    #expect(try await findings(container).map(\.code) == ["CV0204", "CV0204"])
  }
}

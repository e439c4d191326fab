import Aggregates
import Articles
import CloudKitModel
import Curation
import Diagnostics
import FeedHealth
import FeedState
import Foundation
import LocalContainer
import Platform
import RecordChanges
import Reporting
import SchemaLanguage
import Testing

@testable import Catalog
@testable import HTTPTransport

/// What a part of the tool writes, another reads. All jobs plan what they would do with a container, and again with one
/// field of it changed, at the same moment: the plans differ, but for the fields that are listed as not read.
@Suite("Fields of a profile") struct ProfileFieldTests {
  struct Profile: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var feeds: FeedRecordMapping
    var articles = ArticleRecordMapping.celestra
    var file = "schema/celestra.ckdb"
    var schema: @Sendable (String) -> String = { $0 }
    /// The fields that seeds and jobs write, by record type.
    var fields: [String: [String]]
    /// `TYPE.FIELD` of those that change nothing, with who reads them.
    var notRead: [String: String]
  }

  private static func cloud(_ version: CloudFeedField.Version) -> Profile {
    let fields = CloudFeedField.fields(in: version)
    return Profile(
      testDescription: "celestra-cloud, \(version)", feeds: .celestraCloud, articles: .celestraCloud,
      file: "schema/celestra-feed.ckdb", schema: { version == .may2026 ? may2026($0) : $0 },
      fields: ["Feed": fields.map(\.name)],
      notRead: fields.reduce(into: ["Feed.siteURL": "seed plan, which has no seeds here"]) {
        guard $1.meaning == .notRead || $1.name == "updateFrequency" else { return }
        $0["Feed.\($1.name)"] = "the program celestra-cloud"
      })
  }

  private static var celestra: Profile {
    let types = ["FeedCategory", "FeedCollection", "FeedMetadata", "PublicArticle", "PublicFeed"]
    let fields = types.reduce(into: [:]) { fields, type in
      fields[type] = FieldOwnership.owners(in: type).filter { ![.unused, .app, .system].contains($0.value) }
        .keys.sorted()
    }
    let readers = [
      "the newest collections, and when one was changed": [
        "FeedCollection.createdAt", "FeedCollection.updatedAt",
      ],
      "the feed's page, for its last failure": ["FeedMetadata.lastFetchFailure"],
      "the fetch of a list to which a purged item comes back": ["FeedMetadata.undatedItems"],
      "the list of articles": [
        "PublicArticle.author", "PublicArticle.estimatedReadingTime", "PublicArticle.excerpt",
        "PublicArticle.imageURL", "PublicArticle.tags", "PublicArticle.wordCount",
      ],
      "the article's page": ["PublicArticle.content"],
      "the screen 'New feeds' of schema/app-queries.json": ["PublicFeed.addedAt"],
      "the feed's page, for its age and rhythm": ["PublicFeed.lastVerified", "PublicFeed.updateFrequency"],
    ]
    let notRead = readers.reduce(into: [String: String]()) { list, reader in
      for field in reader.value { list[field] = reader.key }
    }
    return Profile(testDescription: "celestra", feeds: .celestra, fields: fields, notRead: notRead)
  }

  private static func may2026(_ schema: String) -> String {
    schema.replacing(
      "lastAttempted      TIMESTAMP QUERYABLE SORTABLE,",
      with: """
        attemptedTimestamp TIMESTAMP QUERYABLE SORTABLE, verifiedTimestamp TIMESTAMP QUERYABLE SORTABLE,
        isActive INT64 QUERYABLE, language STRING QUERYABLE, tags LIST<STRING>,
        """
    ).replacing("publishedDate        TIMESTAMP", with: "publishedTimestamp   TIMESTAMP")
      .replacing("expiresAt            TIMESTAMP", with: "expiresTimestamp     TIMESTAMP")
      .replacing(
        "fetchedAt            TIMESTAMP",
        with: "fetchedTimestamp TIMESTAMP SORTABLE, imageURL STRING, fetchedOld TIMESTAMP")
  }

  @Test(
    "each field that seeds or jobs write changes what jobs do, or is listed as not read",
    arguments: [celestra, cloud(.december2025), cloud(.may2026)])
  func fields(_ profile: Profile) async throws {
    let unread = try await Self.unread(profile)
    let listed = Set(profile.notRead.keys)
    #expect(unread.subtracting(listed) == [], "written, not read, and not listed")
    #expect(listed.subtracting(unread) == [], "listed as not read, but read")
  }

  @Test("a field that a mapping leaves out is found")
  func missing() async throws {
    var profile = Self.cloud(.may2026)
    profile.fields = ["Feed": ["isActive", "minUpdateInterval"]]
    #expect(try await Self.unread(profile) == [])
    profile.feeds.minimumInterval = nil
    #expect(try await Self.unread(profile) == ["Feed.minUpdateInterval"])
    profile.feeds.isActive = nil
    #expect(try await Self.unread(profile) == ["Feed.isActive", "Feed.minUpdateInterval"])
  }

  private static func unread(_ profile: Profile) async throws -> Set<String> {
    var unread = Set(profile.fields.flatMap { type, fields in fields.map { "\(type).\($0)" } })
    for state in FeedSituation.allCases {
      let container = try await ProfileContainer(profile, state)
      defer { container.removeSeeds() }
      #expect(try await container.isSteady(), "the jobs do something else the second time")
      // Those that are listed are changed together, which takes a fraction of the time.
      let listed = unread.filter { profile.notRead[$0] != nil }
      let suspects = try await container.reads(listed) ? unread : unread.subtracting(listed)
      for name in suspects.sorted() where try await container.reads([name]) { unread.remove(name) }
    }
    return unread
  }
}

/// How the feed's server has answered the last checks, after three good ones.
private enum FeedSituation: CaseIterable {
  case well, replaced, refused, moved

  func change(_ response: inout HTTPResponse) {
    switch self {
    case .well: break
    case .replaced: (response.headers, response.body) = (["Content-Type": "text/plain"], Array("Gone.".utf8))
    case .refused: response.status = 403
    case .moved:
      response.redirects = [.init(status: 301, from: response.finalURL, to: "http://b.example/feed")]
    }
  }
}

/// A container in which all jobs have run, and what they would do next.
private struct ProfileContainer {
  private let profile: ProfileFieldTests.Profile
  private let situation: FeedSituation
  private let world: ArticleWorld
  private let schema: Schema
  private var records: [String: Record] = [:]

  /// The seeds of the container, which are on disk for a pull; `nil` for a profile with other seeds.
  private let seeds: SeedCatalog?
  private let folder = FileManager.default.temporaryDirectory.appending(
    path: "profile-\(UUID().uuidString)"
  ).path
  /// What the jobs do with the container as they left it.
  private var unchanged: [[JSONValue]] = []

  private struct StandingClock: MonotonicClock {
    let uptime = Duration.zero
    func sleep(for duration: Duration) async throws {}
  }

  init(_ profile: ProfileFieldTests.Profile, _ situation: FeedSituation) async throws {
    self.profile = profile
    self.situation = situation
    world = try await ArticleWorld(
      file: profile.file, type: profile.feeds.recordType, schema: profile.schema)
    schema = try Schema(parsing: try await world.container.exportSchema())
    let subscription = RecordOperation(
      .create, recordType: "FeedSubscription", recordName: String(repeating: "a", count: 64),
      fields: ["feedRecordName": .string("a")])
    for outcome in try await world.container.modify([subscription]) where outcome.error != nil {
      Issue.record("\(outcome)")
    }
    seeds = profile.feeds.stateType == nil ? nil : try Self.writeSeeds(folder)
    if let seeds {
      let plan = try await SeedPlanner(container: world.container, schema: schema).plan(
        seeds, at: world.clock.time)
      let executor = ChangeExecutor(container: world.container, policy: .refuse)
      let report = await executor.apply(plan.changes)
      #expect(report.isComplete, "\(report.remaining)")
    }
    for day in 0..<3 {
      world.serve(Self.items(day + 1), etag: "\"\(day)\"")
      try await run()
    }
    if situation != .well {
      // Without an ETag, so that no server answers 304.
      world.serve(Self.items(3), etag: nil)
      world.web.change(situation.change)
      for _ in 0..<3 { try await run() }
    }
    try await purgeUndatedItem()
    for type in profile.fields.keys { records[type] = try await world.articles(type).first }
    for job in jobs { unchanged.append(try await job()) }
  }

  private static func writeSeeds(_ folder: String) throws -> SeedCatalog {
    let files = [
      "categories.json": #"{"categories": [{"slug": "tech", "name": "Tech"}]}"#,
      "feeds/tech.json": #"""
      {"category": "tech", "feeds": [
        {"slug": "a", "title": "a", "feedURL": "http://a.example/feed", "recordName": "a", "retired": false}]}
      """#,
      "collections/c.json": #"{"slug": "c", "title": "C", "recordName": "c", "feeds": ["a"]}"#,
    ]
    for (name, text) in files {
      let path = URL(filePath: folder).appending(path: name)
      try FileManager.default.createDirectory(
        at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: path, atomically: true, encoding: .utf8)
    }
    return try SeedWorkspace(folder: folder).catalog
  }

  /// Items of the same hour, and one without a date.
  private static func items(_ count: Int, text: String = "text") -> [TestItem] {
    TestItem.list((0..<count).map { "\($0 + 1)" }, text: text) + [
      TestItem(guid: "undated", title: "Undated", age: nil)
    ]
  }

  /// So that only the feed's memory knows that the item was stored.
  private func purgeUndatedItem() async throws {
    for article in try await world.articles(profile.articles.recordType)
    where article["guid"]?.string == "undated" {
      _ = try await world.container.modify([
        RecordOperation(.forceDelete, recordType: article.recordType, recordName: article.recordName)
      ])
    }
  }

  func removeSeeds() {
    guard seeds != nil else { return }
    do { try FileManager.default.removeItem(atPath: folder) } catch { Issue.record(error) }
  }

  private func run() async throws {
    try await world.run(ArticleOptions(mapping: profile.articles)) { $0.mapping = profile.feeds }
    // Before the day is over, so that a longer interval matters.
    world.clock.advance(days: 0.9)
  }

  /// Whether the jobs do the same again. Otherwise every field would count as read.
  func isSteady() async throws -> Bool {
    for (job, former) in zip(jobs, unchanged) {
      if try await text(job(), without: [:]) != text(former, without: [:]) { return false }
    }
    return true
  }

  /// Whether a change of the fields, each a `TYPE.FIELD`, changes what a job would do, but with these fields themselves.
  func reads(_ names: Set<String>) async throws -> Bool {
    var changes: [(record: Record, field: String, values: [FieldValue?])] = []
    for name in names {
      let parts = name.split(separator: ".").map(String.init)
      let record = try #require(records[parts[0]], "no record of \(parts[0])")
      let type = try #require(schema[recordType: parts[0]]?[field: parts[1]]?.type, "no field \(name)")
      let values = Self.values(FieldType(type), at: world.clock.time).filter { $0 != record[parts[1]] }
      changes.append((record, parts[1], values))
    }
    let own = Dictionary(grouping: changes, by: \.record.recordName).mapValues { Set($0.map(\.field)) }
    for round in 0..<(changes.map(\.values.count).max() ?? 0) {
      for (record, field, values) in changes where round < values.count {
        try await set(field, to: values[round], in: record)
      }
      var isRead = false
      for (job, former) in zip(jobs, unchanged) where !isRead {
        isRead = try await text(job(), without: own) != text(former, without: own)
      }
      for (record, field, _) in changes { try await set(field, to: record[field], in: record) }
      if isRead { return true }
    }
    return false
  }

  private func set(_ field: String, to value: FieldValue?, in record: Record) async throws {
    let outcome = try await world.container.modify([
      RecordOperation(
        .forceUpdate, recordType: record.recordType, recordName: record.recordName, fields: [field: value])
    ])
    if let error = outcome.first?.error { throw error }
  }

  private static func values(_ type: FieldType, at now: Timestamp) -> [FieldValue?] {
    let scalars: [FieldValue] =
      switch type.element {
      case .string:
        [
          .string("other"), .string("FH0201 not found, since 2026-01-01T00:00:00Z"), .string("down"),
          .string("http://b.example/feed"), .string("172800,0,0"),
        ]
      case .int64:
        [
          .int64(0), .int64(1), .int64(2), .int64(7),
          .int64(now.milliseconds / 86_400_000 << 32 | 3 << 16 | 2),
        ]
      case .double: [.double(0), .double(0.3), .double(500_000)]
      case .timestamp: [-40 * 86_400, -3600, 2 * 86_400].map { .timestamp(now + .seconds($0)) }
      case .reference: [.reference(Reference("other"))]
      default: []
      }
    guard case .list(let element) = type else { return [nil] + scalars }
    return [nil] + scalars.map { .list(of: element, [$0]) }
  }

  // MARK: What jobs would do

  /// What each job plans or prints, the quickest first.
  private var jobs: [() async throws -> [JSONValue]] {
    [
      status, recounts, editorial, articles, dueChecks, documents,
    ]
  }

  private func text(_ plans: [JSONValue], without fields: [String: Set<String>]) -> [String] {
    plans.map { (Self.stripped($0, of: fields) ?? .null).text() }
  }

  private func dueChecks() async throws -> [JSONValue] {
    world.serve(Self.items(3), etag: "\"2\"")
    world.web.change(situation.change)
    return try await checks(force: false)
  }

  /// Checks of a document without news, of one with a new item and other texts, of one with other ids, and of a server's
  /// failure.
  private func documents() async throws -> [JSONValue] {
    var others = Self.items(3)
    for (index, guid) in ["other", "r2", "r3"].enumerated() { others[index].guid = guid }
    var plans: [JSONValue] = []
    for (items, etag) in [(Self.items(3), "2"), (Self.items(4, text: "new"), "3"), (others, "4"), ([], "5")] {
      let situation = situation
      world.web.change {
        if situation == .moved { situation.change(&$0) }
        if items.isEmpty { $0.status = 500 }
      }
      world.serve(items, etag: "\"\(etag)\"")
      plans += try await checks(force: true)
    }
    return plans
  }

  /// What is printed about feeds, and the addresses that are proposed for them.
  private func status() async throws -> [JSONValue] {
    let report = try await StatusReport(
      of: world.container, mapping: profile.feeds, at: world.clock.time,
      options: CatalogReport.Options(subject: "x"), drift: nil, since: nil, failLevel: nil, mirrors: [])
    return [report.json, .string("\(report.rendered(as: .html, .plain))")]
  }

  /// What editors do: plans, pulls, verifications.
  private func editorial() async throws -> [JSONValue] {
    guard let seeds else { return [] }
    let now = world.clock.time
    do {
      let plan = try await SeedPlanner(container: world.container, schema: schema).plan(seeds, at: now)
      var workspace = try SeedWorkspace(folder: folder)
      var pull = SeedPull(since: AppliedSeeds(seeds), preference: .container)
      pull.pull(try await SeedPull.records(in: world.container), into: &workspace)
      let found = try await CatalogVerifier(container: world.container, schema: schema, now: now)
        .verify(correcting: true)
      return [
        .object(plan.result(requests: RequestCounts())),
        .array(workspace.edits().map { .string(String(decoding: $0.after, as: UTF8.self)) }),
        .array(found.findings.map { .string($0.message) }), JSONValue(found.fixes.count),
      ]
    } catch let failure as CommandFailure { return [.string(failure.message)] }
  }

  /// What is deleted, listed, found and foreseen of stored articles.
  private func articles() async throws -> [JSONValue] {
    let (container, mapping) = (world.container, profile.articles)
    let purge = ArticlePurge(
      container: container, mapping: mapping, options: ArticlePurge.Options(lifetime: mapping.lifetime))
    let listing = ArticleListing(container: container, mapping: mapping)
    var conditions = ArticleListing.Conditions()
    conditions.feed = "a"
    var inLanguage = ArticleListing.Conditions()
    inLanguage.language = "other"
    let forecast = try await ArticleForecast.measure(
      profile.feeds, mapping, in: container, at: world.clock.time)
    // The schema of celestra-cloud has no indexes for these.
    let found =
      seeds == nil
      ? []
      : [
        try await listing.search(["text"], .init(), limit: 10).json,
        try await listing.list(inLanguage, limit: 10).json,
      ]
    return [
      try await purge.run(through: nil, limit: nil).json, try await listing.list(conditions, limit: 10).json,
      .array(found), .string("\(forecast)"),
    ]
  }

  private func checks(force: Bool) async throws -> [JSONValue] {
    let former = world.web.requests.count
    let run = try await world.run(ArticleOptions(mapping: profile.articles), dryRun: true) {
      $0.mapping = profile.feeds
      $0.force = force
    }
    let requests = world.web.requests[former...].map { request in
      [request.url, request.headers["If-None-Match"], request.headers["If-Modified-Since"]]
        .map { $0 ?? "-" }.joined(separator: " ")
    }
    return [run.json, .array(requests.map(JSONValue.string))]
  }

  private func recounts() async throws -> [JSONValue] {
    var explained = RecountOptions()
    explained.explains = true
    let scores = try #require(FeedRecordMapping.scored(in: schema, feeds: profile.feeds))
    let readers = AggregateDeclaration.builtIn(for: schema, feeds: profile.feeds)
    #expect(!readers.isEmpty)
    var plans: [JSONValue] = []
    for (subject, options) in [
      (Recount.Subject.quality(scores, QualityProfile(.celestra)), explained),
      (.quality(scores, QualityProfile(.signals)), explained),
    ] + readers.map({ (.count($0), RecountOptions()) }) {
      let recount = Recount(
        subject, schema: schema, container: world.container, options: options, now: { world.clock.time },
        clock: StandingClock())
      plans.append(try await recount.run().json)
    }
    return plans
  }

  /// A plan without what it does with the fields themselves, by record name, and in no order, which may be by chance;
  /// `nil` for a change of nothing else.
  private static func stripped(_ json: JSONValue, of own: [String: Set<String>]) -> JSONValue? {
    switch json {
    case .array(let values):
      let kept = values.compactMap { stripped($0, of: own) }
      return .array(kept.map { ($0.text(), $0) }.sorted { $0.0 < $1.0 }.map(\.1))
    case .object(var object):
      if let names = object["recordName"]?.string.flatMap({ own[$0] }),
        case .object(var fields)? = object["fields"]
      {
        for name in names { fields[name] = nil }
        if fields.members.isEmpty { return nil }
        object["fields"] = .object(fields)
      }
      // What counts the changes, and shows some of them.
      for key in ["update", "changed", "preview", "movers"] { object[key] = nil }
      return .object(
        JSONObject(
          object.members.compactMap { key, value in
            stripped(value, of: own).map { (key: key, value: $0) }
          }))
    default: return json
    }
  }
}

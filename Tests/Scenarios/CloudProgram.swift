import DemoFeeds
import Foundation
import Synchronization

/// A feed whose items a test changes. It has an ETag, and answers 304 to a request that knows it.
final class ChangingFeed: Sendable {
  let slug: String
  private let guids: Mutex<[String]>

  init(_ slug: String, _ guids: [String]) {
    self.slug = slug
    self.guids = Mutex(guids)
  }

  func add(_ guid: String) { guids.withLock { $0.insert(guid, at: 0) } }

  var items: [String] { guids.withLock(\.self) }
  var etag: String { "\"\(items.count)\"" }

  var feed: DemoFeed {
    DemoFeed(
      slug: slug,
      behavior: .response(slug, "changes") { request in
        guard request.ifNoneMatch != self.etag else {
          return DemoResponse("304 Not Modified", [("ETag", self.etag)])
        }
        let items = self.items.map {
          "<item><guid isPermaLink='false'>\($0)</guid><title>Title \($0)</title><link>\(request.site)\($0)</link>"
            + "<description>Text \($0)</description></item>"
        }
        return DemoResponse(
          "200 OK", [("ETag", self.etag), ("Content-Type", "application/rss+xml")],
          "<rss version='2.0'><channel><title>\(self.slug) by its document</title><link>\(request.site)</link>"
            + "<description>d</description>\(items.joined())</channel></rss>")
      })
  }
}

/// The versions of celestra-cloud's schema.
enum CloudVersion: String, CaseIterable {
  case december2025, may2026

  /// The names of May 2026, and those of December 2025.
  private static let names = [
    ("attemptedTimestamp", "lastAttempted"), ("publishedTimestamp", "publishedDate"),
    ("fetchedTimestamp", "fetchedAt"), ("expiresTimestamp", "expiresAt"),
  ]
  private static let onlyMay2026 = ["isActive", "language", "tags", "verifiedTimestamp", "imageURL"]

  /// A text about the schema of May 2026, for this version.
  func named(_ text: String) -> String {
    guard self == .december2025 else { return text }
    return Self.names.reduce(text) { $0.replacing($1.0, with: $1.1) }
  }

  func has(_ field: String) -> Bool { self == .may2026 || !Self.onlyMay2026.contains(field) }

  /// As that program's own schema: no type for leases, and no index of the time of creation.
  var schema: String {
    let lines = """
      DEFINE SCHEMA
      RECORD TYPE Feed ( "___recordID" REFERENCE QUERYABLE,
      feedURL STRING QUERYABLE SORTABLE,
      title STRING SEARCHABLE,
      description STRING,
      category STRING QUERYABLE,
      imageURL STRING,
      siteURL STRING,
      language STRING QUERYABLE,
      tags LIST<STRING>,
      isFeatured INT64 QUERYABLE,
      isVerified INT64 QUERYABLE,
      qualityScore INT64 QUERYABLE SORTABLE,
      subscriberCount INT64 QUERYABLE SORTABLE,
      verifiedTimestamp TIMESTAMP QUERYABLE SORTABLE,
      attemptedTimestamp TIMESTAMP QUERYABLE SORTABLE,
      updateFrequency DOUBLE,
      minUpdateInterval DOUBLE,
      totalAttempts INT64,
      successfulAttempts INT64,
      failureCount INT64,
      lastFailureReason STRING,
      isActive INT64 QUERYABLE,
      etag STRING,
      lastModified STRING,
      GRANT READ TO "_world", GRANT CREATE TO "_creator", GRANT CREATE, WRITE TO "_icloud" );
      RECORD TYPE Article ( "___recordID" REFERENCE QUERYABLE,
      feedRecordName STRING QUERYABLE SORTABLE,
      guid STRING QUERYABLE SORTABLE,
      title STRING SEARCHABLE,
      excerpt STRING,
      content STRING SEARCHABLE,
      contentText STRING SEARCHABLE,
      author STRING QUERYABLE,
      url STRING,
      imageURL STRING,
      publishedTimestamp TIMESTAMP QUERYABLE SORTABLE,
      fetchedTimestamp TIMESTAMP QUERYABLE SORTABLE,
      expiresTimestamp TIMESTAMP QUERYABLE SORTABLE,
      contentHash STRING QUERYABLE,
      wordCount INT64,
      estimatedReadingTime INT64,
      language STRING QUERYABLE,
      tags LIST<STRING>,
      GRANT READ TO "_world", GRANT CREATE TO "_creator", GRANT CREATE, WRITE TO "_icloud" );
      RECORD TYPE FeedSubscription ( "___recordID" REFERENCE QUERYABLE,
      feedRecordName STRING QUERYABLE SORTABLE,
      GRANT READ TO "_world", GRANT CREATE, WRITE TO "_creator" );
      """
    let kept = lines.split(separator: "\n").filter { line in
      has("imageURL") || !Self.onlyMay2026.contains(String(line.prefix { $0 != " " }))
    }
    return named(kept.joined(separator: "\n"))
  }
}

/// Stands in for celestra-cloud: writes what that program writes, as it decides it.
struct CloudProgram {
  let tool: Tool
  let version: CloudVersion
  let feeds: [ChangingFeed]
  let port: Int

  private func url(_ feed: ChangingFeed) -> String { "http://\(feed.slug).localhost:\(port)/feed.xml" }

  /// `add-feed`: a record with a random name, whether the address is known or not.
  func add(_ feed: ChangingFeed) async throws {
    var fields = counts(attempts: 0, successes: 0)
    fields["feedURL"] = url(feed)
    fields["title"] = "\(feed.slug) by its document"
    fields["description"] = "d"
    fields["etag"] = feed.etag
    try await create("Feed", fields)
  }

  /// `update`: the first 100 feeds by address. A 304 ends the work on a feed.
  func update() async throws {
    for record in try await query("Feed", "--sort", "feedURL", "--limit", "100") {
      guard let url = record.fields["feedURL"] as? String,
        let feed = feeds.first(where: { self.url($0) == url })
      else { continue }
      if record.fields["etag"] as? String != feed.etag { try await store(feed, of: record.name) }
      let attempts = (record.fields["totalAttempts"] as? Int ?? 0) + 1
      var fields = counts(
        attempts: attempts, successes: (record.fields["successfulAttempts"] as? Int ?? 0) + 1)
      for field in ["feedURL", "isFeatured", "isVerified", "isActive", "subscriberCount"] {
        // As it was read.
        if let value = record.fields[field] { fields[field] = value }
      }
      fields["title"] = "\(feed.slug) by its document"
      fields["description"] = "d"
      fields["etag"] = feed.etag
      fields[version.named("attemptedTimestamp")] = now
      try await write(fields, "records", "update", "Feed", record.name)
    }
  }

  private var now: String { tool.environment["CELESTRA_ADMIN_CLOCK"] ?? Tool.clock }

  private func counts(attempts: Int, successes: Int) -> [String: Any] {
    var fields: [String: Any] = [
      "isFeatured": 0, "isVerified": 0, "qualityScore": 50, "subscriberCount": 0, "totalAttempts": attempts,
      "successfulAttempts": successes, "failureCount": 0,
    ]
    if version.has("isActive") { fields["isActive"] = 1 }
    return fields
  }

  /// Creates the articles whose guids the feed does not have yet.
  private func store(_ feed: ChangingFeed, of name: String) async throws {
    let stored = try await query("Article", "--filter", "feedRecordName == \(name)").compactMap {
      $0.fields["guid"] as? String
    }
    for guid in feed.items where !stored.contains(guid) {
      let link = "http://\(feed.slug).localhost:\(port)/\(guid)"
      let expires = try Date(now, strategy: .iso8601).addingTimeInterval(30 * 86_400).ISO8601Format()
      try await create(
        "Article",
        [
          "feedRecordName": name, "guid": guid, "title": "Title \(guid)", "excerpt": "Text \(guid)",
          "content": "Text \(guid)", "contentText": "Text \(guid)", "url": link,
          "contentHash": "Title \(guid)|\(link)|\(guid)", version.named("fetchedTimestamp"): now,
          version.named("publishedTimestamp"): now, version.named("expiresTimestamp"): expires,
        ])
    }
  }

  private func create(_ type: String, _ fields: [String: Any]) async throws {
    try await write(fields, "records", "create", type, "--record-name", UUID().uuidString)
  }

  private func write(_ fields: [String: Any], _ words: String...) async throws {
    let path = "\(tool.directory)/fields-\(UUID().uuidString).json"
    try JSONSerialization.data(withJSONObject: fields).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let outcome = try await tool.run(words + ["--fields-file", path, "--yes"])
    guard outcome.status == 0 else { throw Tool.Failed(words: words, outcome: outcome) }
  }

  /// The records that a query finds, with plain values.
  func query(_ type: String, _ words: String...) async throws -> [(name: String, fields: [String: Any])] {
    let result = try await tool.json(["records", "query", type, "--format", "json"] + words)
    return try (result["records"] as? [[String: Any]] ?? []).map { record in
      let fields = record["fields"] as? [String: [String: Any]] ?? [:]
      guard let name = record["recordName"] as? String else { throw CocoaError(.coderReadCorrupt) }
      return (name, fields.compactMapValues { $0["value"] })
    }
  }
}

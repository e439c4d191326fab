import Articles
import CloudKitModel
import FeedFetching
import FeedHealth
import FeedState
import Foundation
import LocalContainer
import RecordChanges
import SchemaLanguage
import Synchronization

@testable import HTTPTransport

/// A web of documents. Each has an ETag, and a request that knows it gets 304.
final class DocumentWeb: HTTPTransport {
  private let documents = Mutex<[String: (body: String, etag: String?)]>([:])
  private let log = Mutex<[HTTPRequest]>([])
  private let changes = Mutex<@Sendable (inout HTTPResponse) -> Void>({ _ in })

  /// - Parameter etag: `nil` for a server that only knows 200.
  func serve(_ body: String, at url: String, etag: String?) {
    documents.withLock { $0[url] = (body, etag) }
  }

  /// Leaves an address without a server.
  func remove(_ url: String) { documents.withLock { $0[url] = nil } }

  /// Changes every document that is sent from now on.
  func change(_ change: @escaping @Sendable (inout HTTPResponse) -> Void) { changes.withLock { $0 = change } }

  var requests: [HTTPRequest] { log.withLock(\.self) }

  func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
    log.withLock { $0.append(request) }
    guard let (body, etag) = documents.withLock({ $0[request.url] }) else {
      throw HTTPFailure(.dns, "no such host")
    }
    if let etag, request.headers["If-None-Match"] == etag {
      return HTTPResponse(status: 304, headers: ["ETag": etag], body: [], finalURL: request.url)
    }
    var response = HTTPResponse(
      status: 200, headers: etag.map { ["ETag": $0] } ?? [], body: Array(body.utf8), finalURL: request.url)
    changes.withLock(\.self)(&response)
    return response
  }
}

/// A container with feeds, a web that serves them, and a clock.
final class ArticleWorld: Sendable {
  let container: LocalContainer
  let web = DocumentWeb()
  static let start = Timestamp(milliseconds: 1_772_452_800_000)
  /// The time of day of ``start``, in days.
  static let fractionOfDay = Double(start.milliseconds % 86_400_000) / 86_400_000

  /// - Parameters:
  ///   - feeds: record names; the feed `a` is at `http://a.example/feed`.
  ///   - schema: changes the bundled one.
  init(
    feeds: [String] = ["a"], file: String = "schema/celestra.ckdb", type: String = "PublicFeed",
    schema change: (String) -> String = { $0 }
  ) async throws {
    let now = ArticleClock()
    clock = now
    container = try LocalContainer.open(.memory, settings: LocalContainerSettings(now: { now.time }))
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
    let text = try String(contentsOf: root.appending(path: file), encoding: .utf8)
    try await container.importSchema(change(text))
    let operations = feeds.map { name in
      RecordOperation(
        .create, recordType: type, recordName: name,
        fields: ["feedURL": .string("http://\(name).example/feed"), "title": .string(name)])
    }
    for start in stride(from: 0, to: operations.count, by: 200) {
      for outcome in try await container.modify(Array(operations[start...].prefix(200))) {
        if let error = outcome.error { throw error }
      }
    }
  }

  let clock: ArticleClock

  @discardableResult
  func run(
    on target: (any Container)? = nil, _ articles: ArticleOptions? = ArticleOptions(),
    hasLease: Bool = false, dryRun: Bool = false,
    _ change: (inout HealthOptions) -> Void = { _ in }
  ) async throws -> HealthRunResult {
    var options = HealthOptions()
    options.policy.fullFetchDays = nil
    options.force = true
    options.secondLookDelay = .zero
    options.articles = articles
    change(&options)
    let target = target ?? container
    let clock = clock
    let run = HealthRunClock(now: { clock.time }, wait: { _ in })
    let session = WriteSession(
      WritingJob("health check", kind: .job, lease: hasLease ? .health : nil), container: target,
      dependencies: WriteSessionDependencies(now: { clock.time }, runID: "run", wait: { _ in }))
    let check = HealthCheck(container: target, transport: web, clock: run, options: options)
    if dryRun { return try await check.run(through: nil) }
    return try await session.run { try await check.run(through: $0) }
  }

  func articles(_ type: String = "PublicArticle") async throws -> [Record] {
    try await container.allRecords(Query(type)).sorted { $0.recordName < $1.recordName }
  }

  func guids() async throws -> [String] {
    try await articles().compactMap { $0["guid"]?.string }.sorted()
  }

  func metadata(_ feed: String = "a") async throws -> FeedMetadata {
    let outcomes = try await container.allRecords(Query("FeedMetadata"))
    return FeedMetadata(
      feed: feed, record: outcomes.first { $0["feedReference"]?.reference?.recordName == feed })
  }
}

/// A clock that a test moves.
final class ArticleClock: Sendable {
  private let now = Mutex(ArticleWorld.start)

  var time: Timestamp { now.withLock(\.self) }

  func advance(days: Double) { now.withLock { $0.milliseconds += Int64(days * 86_400_000) } }
}

/// An item of a test's document.
struct TestItem {
  var guid: String? = nil
  var title: String? = nil
  var link: String? = nil
  var text = "text"
  /// Days before the start of the test.
  var age: Double? = 1

  var xml: String {
    let milliseconds = ArticleWorld.start.milliseconds - Int64((age ?? 0) * 86_400_000)
    let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000).formatted(.iso8601)
    return "<item>" + (guid.map { "<guid isPermaLink='false'>\($0)</guid>" } ?? "")
      + (title.map { "<title>\($0)</title>" } ?? "") + (link.map { "<link>\($0)</link>" } ?? "")
      + (age == nil ? "" : "<dc:date>\(date)</dc:date>") + "<description>\(text)</description></item>"
  }

  static func document(_ items: [TestItem]) -> String {
    """
    <rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>A</title>
    <link>http://a.example/</link><description>d</description>\(items.map(\.xml).joined())</channel></rss>
    """
  }

  static func list(_ guids: [String], text: String = "text") -> [TestItem] {
    guids.map { TestItem(guid: $0, title: "Title \($0)", link: "http://a.example/\($0)", text: text) }
  }
}

extension ArticleWorld {
  func serve(_ items: [TestItem], at feed: String = "a", etag: String?) {
    web.serve(TestItem.document(items), at: "http://\(feed).example/feed", etag: etag)
  }
}

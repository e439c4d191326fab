import DemoFeeds
import Foundation

/// Runs `body` with a tool on a container of feeds `feed-0`, `feed-1` and so on, which a server on loopback serves.
func withLoopbackFeeds(
  _ count: Int, _ behavior: DemoBehavior = .rss20, _ body: (Tool, ContainerFile) async throws -> Void
) async throws {
  try await withProjectFolder { tool in
    let slugs = (0..<count).map { "feed-\($0)" }
    let table = DemoFeedTable(slugs.map { DemoFeed(slug: $0, behavior: behavior) })
    let now = try Date(Tool.clock, strategy: .iso8601).timeIntervalSince1970
    let server = try await DemoFeedServer.start(
      table: table, now: Int64(now), slowDelay: .milliseconds(100))
    do {
      let container = try await tool.makeContainer("container.sqlite")
      let tool = tool.on(file: "container.sqlite")
      try await tool.importFeeds(slugs.map { ($0, server.url(of: $0)) })
      try await body(tool, container)
      try await server.stop()
    } catch {
      try await server.stop()
      throw error
    }
  }
}

extension Tool {
  /// The result of a command that ends well.
  func json(_ words: [String]) async throws -> [String: Any] {
    let outcome = try await run(words)
    guard outcome.status == 0 else { throw Failed(words: words, outcome: outcome) }
    return try outcome.result()
  }
}

extension Tool.Outcome {
  /// The result in the envelope that a command printed.
  func result() throws -> [String: Any] {
    let envelope = try JSONSerialization.jsonObject(with: Data(out.utf8)) as? [String: Any]
    return envelope?["result"] as? [String: Any] ?? [:]
  }
}

func withServedFeeds(_ feeds: [ChangingFeed], _ body: (Tool) async throws -> Void) async throws {
  try await withDemoFeeds(feeds.map(\.feed), body)
}

/// Runs `body` with a tool on a container of feeds that a server on loopback serves.
func withDemoFeeds(_ feeds: [DemoFeed], _ body: (Tool) async throws -> Void) async throws {
  try await withProjectFolder { tool in
    let now = try Date(Tool.clock, strategy: .iso8601).timeIntervalSince1970
    let server = try await DemoFeedServer.start(
      table: DemoFeedTable(feeds), now: Int64(now))
    do {
      _ = try await tool.makeContainer("container.sqlite")
      let tool = tool.on(file: "container.sqlite")
      try await tool.importFeeds(feeds.map { ($0.slug, server.url(of: $0.slug)) })
      try await body(tool)
      try await server.stop()
    } catch {
      try await server.stop()
      throw error
    }
  }
}

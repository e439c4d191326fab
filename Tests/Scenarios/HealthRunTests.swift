import DemoFeeds
import Foundation
import Testing

/// `health check` run twice: one after the other was killed, and both at the same time.
@Suite(.serialized) struct HealthRunTests {
  private static let check = ["health", "check", "--allow-private-addresses", "--format", "json"]
  private static let feeds = 300

  @Test("a run that is killed half-way keeps what it recorded, and the next one checks what is left")
  func killed() async throws {
    // One host after the other and each a little late, so that there is a middle to be killed in.
    try await withFeeds(.slow) { tool, container in
      let status = try await tool.run(Self.check + ["--concurrency", "1"]) { run in
        while try container.attempts().isEmpty {
          try #require(!run.hasEnded, "the run ended without a verdict on the disk")
          try await Task.sleep(for: .milliseconds(5))
        }
        run.send(SIGKILL)
      }
      #expect(status == 128 + SIGKILL)
      let kept = try container.attempts().count
      #expect(kept < Self.feeds)
      let result = try await tool.check(Self.check)
      #expect(result["skipped"] as? Int == kept)
      #expect(result["checked"] as? Int == Self.feeds - kept)
      #expect(try container.attempts() == Array(repeating: 1, count: Self.feeds))
    }
  }

  @Test("of two runs at the same time one waits for the other, and each feed is checked once")
  func together() async throws {
    // Each a little late, so that the two would meet if they could.
    try await withFeeds(.slow) { tool, container in
      let words = Self.check + ["--wait", "10m"]
      async let first = tool.check(words)
      async let second = tool.check(words)
      let results = try await [first, second]
      for result in results {
        let seen = (result["checked"] as? Int ?? 0) + (result["skipped"] as? Int ?? 0)
        #expect(seen == Self.feeds)
        #expect(result["checked"] as? Int == result["healthy"] as? Int)
      }
      #expect(results.reduce(0) { $0 + ($1["checked"] as? Int ?? 0) } == Self.feeds)
      #expect(try container.attempts() == Array(repeating: 1, count: Self.feeds))
      #expect(try await tool.run(["container", "verify"]).status == 0)
    }
  }

  @Test("verdicts by the line go to the file that was asked for, and nowhere else")
  func linesInFile() async throws {
    try await withFeeds { tool, _ in
      let run = try await tool.run(
        ["health", "check", "--allow-private-addresses", "--format", "jsonl", "--output", "verdicts.jsonl"])
      #expect(run.status == 0, "\(run.err)")
      #expect(run.out.isEmpty)
      let text = try String(contentsOfFile: "\(tool.directory)/verdicts.jsonl", encoding: .utf8)
      let lines = text.split(separator: "\n")
      #expect(lines.count == Self.feeds)
      #expect(lines.allSatisfy { $0.contains(#""status":"healthy""#) })
    }
  }

  private func withFeeds(
    _ behavior: DemoBehavior = .rss20, _ body: (Tool, ContainerFile) async throws -> Void
  ) async throws {
    try await withProjectFolder { tool in
      let slugs = (0..<Self.feeds).map { "feed-\($0)" }
      let table = DemoFeedTable(slugs.map { DemoFeed(slug: $0, behavior: behavior) })
      let now = try Date(Tool.clock, strategy: .iso8601).timeIntervalSince1970
      let server = try await DemoFeedServer.start(
        table: table, options: .init(now: Int64(now), slowDelay: .milliseconds(100)))
      do {
        let records = slugs.map { slug in
          #"{"recordType":"PublicFeed","recordName":"\#(slug)","fields":{"#
            + #""feedURL":{"type":"STRING","value":"\#(server.url(of: slug))"}}}"#
        }
        try records.joined(separator: "\n").write(
          toFile: "\(tool.directory)/feeds.jsonl", atomically: true, encoding: .utf8)
        let container = try await tool.makeContainer("container.sqlite")
        let tool = tool.on(file: "container.sqlite")
        try await tool.succeed("records", "import", "feeds.jsonl", "--yes")
        try await body(tool, container)
        try await server.stop()
      } catch {
        try await server.stop()
        throw error
      }
    }
  }
}

extension Tool {
  /// The result of a check that ends well.
  fileprivate func check(_ words: [String]) async throws -> [String: Any] {
    let outcome = try await run(words)
    guard outcome.status == 0 else { throw Failed(words: words, outcome: outcome) }
    let envelope = try JSONSerialization.jsonObject(with: Data(outcome.out.utf8)) as? [String: Any]
    return envelope?["result"] as? [String: Any] ?? [:]
  }
}

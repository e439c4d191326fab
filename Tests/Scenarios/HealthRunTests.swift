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
    try await withLoopbackFeeds(Self.feeds, .slow) { tool, container in
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
      let result = try await tool.json(Self.check)
      #expect(result["skippedCount"] as? Int == kept)
      #expect(result["checked"] as? Int == Self.feeds - kept)
      #expect(try container.attempts() == Array(repeating: 1, count: Self.feeds))
    }
  }

  @Test("of two runs at the same time one waits for the other, and each feed is checked once")
  func together() async throws {
    // Each a little late, so that the two would meet if they could.
    try await withLoopbackFeeds(Self.feeds, .slow) { tool, container in
      let words = Self.check + ["--wait", "10m"]
      async let first = tool.json(words)
      async let second = tool.json(words)
      let results = try await [first, second]
      for result in results { #expect(result["checked"] as? Int == result["healthy"] as? Int) }
      // The second one finds nothing due.
      #expect(results.filter { $0["readOnlyDue"] as? Bool == true }.count == 1)
      #expect(results.reduce(0) { $0 + ($1["checked"] as? Int ?? 0) } == Self.feeds)
      #expect(try container.attempts() == Array(repeating: 1, count: Self.feeds))
      #expect(try await tool.run(["container", "verify"]).status == 0)
    }
  }

  @Test("verdicts by the line go to the file that was asked for, and nowhere else")
  func linesInFile() async throws {
    try await withLoopbackFeeds(Self.feeds) { tool, _ in
      let run = try await tool.run(
        ["health", "check", "--allow-private-addresses", "--format", "jsonl", "--output", "verdicts.jsonl"])
      #expect(run.status == 0, "\(run.err)")
      #expect(run.out.isEmpty)
      let text = try String(contentsOfFile: "\(tool.directory)/verdicts.jsonl", encoding: .utf8)
      let lines = text.split(separator: "\n")
      #expect(lines.count == Self.feeds + 1)
      #expect(lines.dropLast().allSatisfy { $0.contains(#""status":"healthy""#) })
      let last = try #require(lines.last)
      #expect(
        last.contains(#""healthy":300"#) && last.contains(#""newlyDown":[]"#) && !last.contains("recordName"))
    }
  }
}

import Foundation
import Testing

/// Runs that meet: each other, or somebody else's writes.
@Suite struct FaultsOverlapTests {
  private static let recount = ["recount", "subscribers", "--format", "json"]

  @Test("of two recounts at once one counts and the other says that it is locked")
  func twoRecounts() async throws {
    try await withProjectFolder { tool in
      let container = try await tool.makeSubscriptions("container.sqlite", count: 4000)
      // Slow answers keep both runs reading until each has looked at the lease.
      try await withEmulator(for: tool, file: "container.sqlite", options: ["--latency", "50"]) { tool in
        async let first = tool.run(Self.recount)
        async let second = tool.run(Self.recount)
        let outcomes = try await [first, second]
        #expect(outcomes.map(\.status).sorted() == [0, 6], "\(outcomes.map(\.err))")
        #expect(outcomes.contains { $0.status == 6 && $0.out.contains(#""locked""#) })
      }
      #expect(try container.wrongCounts() == [])
    }
  }

  @Test(
    "a recount that finds every value as it was writes nothing but its lease, and counts no request for it")
  func nothingToWrite() async throws {
    try await withProjectFolder { tool in
      let container = try await tool.makeSubscriptions("container.sqlite", count: 4000)
      try await tool.on(file: "container.sqlite").succeed("recount", "subscribers", "-q")
      let words = Self.recount + ["--strategy", "by-target"]
      func modifies(_ log: String) -> Int { log.components(separatedBy: "records/modify").count - 1 }
      let (quiet, quietLog) = try await withEmulator(for: tool, file: "container.sqlite", options: ["-v"]) {
        try await $0.run(words)
      }
      #expect(quiet.status == 0, "\(quiet.err)")
      #expect(quiet.out.contains(#""modify": 0"#), "\(quiet.out)")
      #expect(quietLog.contains("records/query"))
      #expect(modifies(quietLog) == 2)
      try container.spoilCounts()
      let (_, log) = try await withEmulator(for: tool, file: "container.sqlite", options: ["-v"]) {
        try await $0.run(words)
      }
      // The lease, 400 counts in requests of 200, and the release.
      #expect(modifies(log) == 4)
    }
  }

  @Test("a fall beyond --max-drop stops a recount before it writes")
  func maximumDrop() async throws {
    try await withProjectFolder { tool in
      let container = try await tool.makeSubscriptions("container.sqlite", count: 2000)
      try await withEmulator(for: tool, file: "container.sqlite") { tool in
        try await tool.succeed("recount", "subscribers", "-q")
        try container.execute("DELETE FROM FeedSubscription WHERE _id % 4 != 0")
        let before = try await tool.export()
        let stopped = try await tool.run(["recount", "subscribers"])
        #expect(stopped.status == 1)
        #expect(stopped.err.contains("--max-drop"))
        #expect(try await tool.export() == before)
        try await tool.succeed("recount", "subscribers", "-q", "--max-drop", "100")
        #expect(try container.wrongCounts() == [])
      }
    }
  }

  @Test("a write of somebody else's between reading and writing costs one more round, and only that")
  func conflictOnEveryWrite() async throws {
    try await withProjectFolder { tool in
      let container = try await tool.makeSubscriptions("container.sqlite", count: 2000)
      try container.touchAfterFirstLease()
      try await withEmulator(for: tool, file: "container.sqlite") { tool in
        let outcome = try await tool.run(Self.recount)
        #expect(outcome.status == 0, "\(outcome.err)")
        #expect(outcome.out.contains(#""conflicts": 0"#), "\(outcome.out)")
      }
      #expect(try container.wrongCounts() == [])
    }
  }
}

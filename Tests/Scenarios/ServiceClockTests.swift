import Foundation
import Testing

/// What the built binary does on a service whose clock is hours from this machine's: whatever depends on a time goes by
/// the service's.
@Suite struct ServiceClockTests {
  private static let purge = [
    "articles", "purge", "--yes", "--accept-risk", "data-loss", "--format", "json",
  ]
  private static let hour = 3600.0

  private func withClock(
    _ lead: TimeInterval, of tool: Tool, schema: String = "schema/celestra.ckdb",
    _ body: @Sendable (_ tool: Tool, _ service: Date) async throws -> Void
  ) async throws {
    let service = Date(timeIntervalSince1970: (Date.now.timeIntervalSince1970 + lead).rounded(.down))
    try await withEmulator(
      for: tool, file: "container.sqlite", schema: schema, options: ["--clock", service.formatted(.iso8601)]
    ) { try await body($0, service) }
  }

  /// Imports records with one time each.
  private func store(
    _ records: [(name: String, time: Date)], as type: String, _ field: String, with more: String = "",
    _ tool: Tool
  ) async throws {
    let lines = records.map { record in
      #"{"recordType":"\#(type)","recordName":"\#(record.name)","fields":{"\#(field)":{"type":"TIMESTAMP","value":"#
        + #"\#(Int64(record.time.timeIntervalSince1970 * 1000))}\#(more)}}"#
    }
    let path = "\(tool.directory)/records.jsonl"
    try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
    try await tool.succeed("records", "import", "records.jsonl", "--yes")
  }

  @Test(
    "a purge deletes what has expired by the service's clock and nothing that has time left",
    arguments: [-12.0, 12])
  func purges(hours: Double) async throws {
    try await withScratchFolder { folder in
      try await withClock(hours * Self.hour, of: Tool(directory: folder)) { tool, service in
        let over = (0..<3).map { ("over-\($0)", service - Self.hour) }
        let left = (0..<20).map { ("left-\($0)", service + 6 * Self.hour) }
        try await store(over + left, as: "PublicArticle", "expiresAt", tool)

        let early = try await tool.run(Self.purge + ["--before", (service + Self.hour).formatted(.iso8601)])
        #expect(early.status == 64)
        #expect(
          early.out.contains(
            "is in the future: by the service's clock it is \(service.formatted(.iso8601).prefix(16))"))
        #expect(try await tool.json(Self.purge)["deleted"] as? Int == 3)
        #expect(try await tool.json(Self.purge)["expired"] as? Int == 0)
        #expect(try await tool.succeed("records", "count", "PublicArticle").out.contains("20"))
      }
    }
  }

  @Test("a session that goes on by the service's clock is not closed", arguments: [-20.0, 20])
  func sessions(minutes: Double) async throws {
    try await withScratchFolder { folder in
      try await withClock(minutes * 60, of: Tool(directory: folder), schema: "schema/live-sessions.ckdb") {
        tool, service in
        try await store(
          [("over", service - 60), ("running", service + 600)], as: "LiveSession", "endTime",
          with: #","isActive":{"type":"INT64","value":1}"#, tool)
        let result = try await tool.json(["sessions", "close", "--yes", "--format", "json"])
        #expect(result["active"] as? Int == 2 && result["closed"] as? Int == 1)
        #expect(
          try await tool.json(["sessions", "close", "--yes", "--format", "json"])["closed"] as? Int == 0)
      }
    }
  }

  @Test("where the service does not state its time, what cannot be undone is refused, and counts go on")
  func undated() async throws {
    try await withScratchFolder { folder in
      _ = try await withEmulator(
        for: Tool(directory: folder), file: "container.sqlite", options: ["--fault", "no-date"]
      ) { tool in
        try await store([("over", Date.now - Self.hour)], as: "PublicArticle", "expiresAt", tool)
        let refused = try await tool.run(Self.purge)
        #expect(refused.status == 1 && refused.out.contains("the service does not state its time"))
        #expect(try await tool.succeed("records", "count", "PublicArticle").out.contains("1"))
        #expect(
          try await tool.json(["recount", "subscribers", "--yes", "--format", "json"])["complete"] as? Bool
            == true)
      }
    }
  }

  @Test("what a run stores and publishes is dated by the service", arguments: [-12.0, 12])
  func dates(hours: Double) async throws {
    try await withScratchFolder { folder in
      try await withClock(hours * Self.hour, of: Tool(directory: folder)) { tool, service in
        let result = try await tool.json(["recount", "subscribers", "--yes", "--format", "json"])
        let asOf = try Date(#require(result["asOf"] as? String), strategy: .iso8601)
        // The emulator's clock stands, and the client's goes on for as long as a Date does not contradict it.
        #expect(abs(asOf.timeIntervalSince(service - 120)) < 60)
        let lease = try await tool.json(["records", "get", "lease-recount-subscribers", "--format", "json"])
        let fields = (lease["records"] as? [[String: Any]])?.first?["fields"] as? [String: [String: Any]]
        let finished = try #require(fields?["finishedAt"]?["value"] as? Double) / 1000
        #expect(abs(finished - service.timeIntervalSince1970) < 60)
      }
    }
  }

  @Test("a lease that was written ten minutes ago by the service's clock is free, wherever its holder is")
  func lease() async throws {
    try await withScratchFolder { folder in
      let tool = Tool(directory: folder)
      try await withClock(-12 * Self.hour - 660, of: tool) { tool, service in
        try await store(
          [("lease-recount-subscribers", service + 120)], as: "AdminLease", "expiresAt",
          with: #","holder":{"type":"STRING","value":"dead"},"purpose":{"type":"STRING","value":"recount"}"#,
          tool)
      }
      try await withClock(-12 * Self.hour, of: tool) { tool, _ in
        let outcome = try await tool.succeed("recount", "subscribers", "--yes")
        #expect(!outcome.err.contains("holds the lease"))
      }
    }
  }

  @Test("a feed that the index does not show yet when a check begins is checked by a later one")
  func lateIndex() async throws {
    try await withLoopbackFeeds(3) { tool, _ in
      var tool = tool
      tool.environment["CELESTRA_ADMIN_CLOCK"] = nil
      try await tool.succeed("records", "delete", "feed-2", "--yes")
      let lines = try String(contentsOfFile: "\(tool.directory)/feeds.jsonl", encoding: .utf8)
      try lines.split(separator: "\n").filter { $0.contains(#""feed-2""#) }.joined()
        .write(toFile: "\(tool.directory)/new.jsonl", atomically: true, encoding: .utf8)
      let check = ["health", "check", "--allow-private-addresses", "--yes", "--format", "json"]
      try await withEmulator(for: tool, file: "container.sqlite", options: ["--index-delay", "6000"]) {
        tool in
        #expect(try await tool.json(check)["checked"] as? Int == 2)
        try await tool.succeed("records", "import", "new.jsonl", "--yes")
        let deadline = ContinuousClock.now + .seconds(60)
        var checked = 0
        while checked == 0, ContinuousClock.now < deadline {
          checked += try #require(try await tool.json(check)["checked"] as? Int)
        }
        #expect(checked == 1)
      }
    }
  }
}

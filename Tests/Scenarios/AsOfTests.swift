import Foundation
import Testing

/// What a recount says about the time for which its counts hold, when the index of the service lags behind its records.
@Suite struct AsOfTests {
  private static let recount = ["recount", "subscribers", "--yes", "--format", "json"]

  /// An emulator whose index knows a record only after ten minutes, with 3 subscriptions that were just made.
  private func withLag(_ body: @Sendable (_ tool: Tool, _ created: Date) async throws -> Void) async throws {
    try await withScratchFolder { folder in
      var local = Tool(directory: folder)
      // The feeds are old enough to be in the index.
      local.environment["CELESTRA_ADMIN_CLOCK"] = "2026-01-01T00:00:00Z"
      let made = try await local.shell(
        "celestra-admin container init --schema schema/celestra.ckdb -q && celestra-admin seed apply seeds --yes -q"
      )
      try #require(made.status == 0, "\(made.err)")
      local.environment["CELESTRA_ADMIN_CLOCK"] = nil
      try await withEmulator(
        for: local, file: ".celestra/container.sqlite", options: ["--index-delay", "600000"]
      ) { tool in
        let before = Date.now
        let simulated = try await tool.run([
          "container", "fill", "--users", "3", "--per-user", "1", "-q", "--yes",
        ])
        try #require(simulated.status == 0, "\(simulated.err)")
        try await body(tool, before)
      }
    }
  }

  @Test(
    "with the usual settle time the count does not claim to hold for records that the index does not know")
  func leavesRoom() async throws {
    try await withLag { tool, created in
      let result = try await tool.json(Self.recount)
      #expect(result["sources"] as? Int == 0 && result["complete"] as? Bool == true)
      #expect(result["settleSeconds"] as? Int == 120)
      let asOf = try date(result["asOf"])
      #expect(asOf < created && asOf > created.addingTimeInterval(-180))

      let lease = try await tool.run(["records", "get", "lease-recount-subscribers", "--format", "json"])
      #expect(lease.out.contains("\\\"asOf\\\":\\\"\(result["asOf"] as? String ?? "?")"))
      let status = try await tool.json(["status", "--format", "json"])
      #expect(try date(status["readersAsOf"]) == asOf)
      let text = try await tool.run(["recount", "subscribers", "--yes", "--metrics", "m.prom"])
      #expect(
        text.out.contains("; of the 120 s from then to the reading, what the index showed is counted, too"))
      let metrics = try String(contentsOfFile: "\(tool.directory)/m.prom", encoding: .utf8)
      let sample = try #require(
        metrics.split(separator: "\n").first { $0.contains("recount_as_of_timestamp_seconds{") })
      let seconds = try #require(sample.split(separator: " ").last.flatMap { Double($0) })
      #expect(abs(Date.now.timeIntervalSince1970 - 120 - seconds) < 60)
    }
  }

  @Test(
    "without a settle time the emulator shows the fault: a count that misses records from before its time")
  func showsTheFault() async throws {
    try await withLag { tool, created in
      var tool = tool
      tool.environment["CELESTRA_ADMIN_RECORDS_SETTLE"] = "0s"
      let result = try await tool.json(Self.recount)
      #expect(result["sources"] as? Int == 0 && result["settleSeconds"] as? Int == 0)
      // The Date header has whole seconds.
      #expect(try date(result["asOf"]) >= created.addingTimeInterval(-1))
    }
  }

  @Test("a local container has no lag, and another setting is refused by name")
  func local() async throws {
    try await withScratchFolder { folder in
      var tool = Tool(directory: folder)
      tool.environment["CELESTRA_ADMIN_CLOCK"] = "2026-01-01T00:00:00Z"
      #expect(try await tool.run(["container", "init", "--schema", "schema/celestra.ckdb"]).status == 0)
      let text = try await tool.run(["recount", "subscribers"])
      #expect(text.out.contains("  as of 2026-01-01T00:00:00Z\n"))
      for bad in ["-5s", "soon", "2d"] {
        tool.environment["CELESTRA_ADMIN_RECORDS_SETTLE"] = bad
        let refused = try await tool.run(["recount", "subscribers"])
        #expect(refused.status == 64)
        #expect(
          refused.err.contains("CELESTRA_ADMIN_RECORDS_SETTLE (from environment) must be a time such as 2m"))
      }
    }
  }

  private func date(_ value: Any?) throws -> Date {
    let text = try #require(value as? String)
    let hasFraction = text.contains(".")
    return try Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction))
  }
}

import Testing

/// Jobs through an emulator that makes trouble: what is in the container in the end is what a run without
/// trouble leaves there, and every record was written once.
@Suite struct FaultsTests {
  @Test(
    "seeding ends as without faults, and writes every record once",
    arguments: Trouble.alone.filter { !$0.needsPages })
  func seeding(_ trouble: Trouble) async throws { try await seed(trouble, records: FaultsSize.seeds / 2) }

  @Test("seeding ends as without faults when all of them come together")
  func seedingAllTogether() async throws { try await seed(.together, records: FaultsSize.seeds) }

  @Test("recounts end as without faults, and write every count once", arguments: Trouble.alone)
  func recounting(_ trouble: Trouble) async throws {
    try await recount(trouble, subscriptions: FaultsSize.subscriptions / 4)
  }

  @Test("recounts end as without faults when all of them come together")
  func recountingAllTogether() async throws {
    try await recount(.together, subscriptions: FaultsSize.subscriptions)
  }

  private func seed(_ trouble: Trouble, records: Int) async throws {
    try await withProjectFolder { tool in
      try tool.writeSeeds(records: records)
      _ = try await tool.makeContainer("wanted.sqlite")
      try await tool.on(file: "wanted.sqlite").succeed("seed", "apply", "made", "--yes", "-q")
      let container = try await tool.makeContainer("faulty.sqlite")
      try container.watchWrites()
      try await complete(["seed", "apply", "made", "--yes", "-q"], trouble, "faulty.sqlite", tool)
      #expect(try container.recordsWrittenTwice() == [])
      #expect(try container.writes() == records)
      try await expectSame("faulty.sqlite", "wanted.sqlite", tool)
    }
  }

  private func recount(_ trouble: Trouble, subscriptions: Int) async throws {
    try await withProjectFolder { tool in
      _ = try await tool.makeSubscriptions("wanted.sqlite", count: subscriptions)
      let container = try tool.copy("wanted.sqlite", to: "faulty.sqlite")
      try await tool.on(file: "wanted.sqlite").succeed("recount", "subscribers", "-q")
      try container.watchWrites()
      try await complete(["recount", "subscribers", "-q"], trouble, "faulty.sqlite", tool)
      #expect(try container.wrongCounts() == [])
      #expect(try container.recordsWrittenTwice() == [])
      try await expectSame("faulty.sqlite", "wanted.sqlite", tool)
    }
  }

  /// Runs the command until it succeeds, each time an hour later: what a killed or cut off run held has expired.
  private func complete(_ words: [String], _ trouble: Trouble, _ file: String, _ tool: Tool) async throws {
    let (statuses, log) = try await withEmulator(for: tool, file: file, options: trouble.options + ["-v"]) {
      tool in
      var statuses: [Int32] = []
      while statuses.last != 0, statuses.count < 10 {
        let outcome = try await tool.run(words)
        statuses.append(outcome.status)
        #expect([0, 5, 75].contains(outcome.status), "\(trouble.name): \(outcome.err)")
      }
      return statuses
    }
    #expect(statuses.last == 0, "\(trouble.name): \(statuses)")
    #expect(log.contains("fault rule"), "\(trouble.name) did not happen")
    print("\(words.prefix(2).joined(separator: " ")), \(trouble.name): ended with \(statuses)")
  }

  private func expectSame(_ file: String, _ wanted: String, _ tool: Tool) async throws {
    let found = try await tool.on(file: file).export()
    #expect(found == (try await tool.on(file: wanted).export()))
  }
}

import Foundation
import Testing

/// Jobs through an emulator that makes trouble: what is in the container in the end is what a run without
/// trouble leaves there, and every record was written once.
@Suite struct FaultsTests {
  @Test(
    "seeding ends as without faults, and writes every record once",
    arguments: Trouble.alone.filter { !$0.needsPages })
  func seeding(_ trouble: Trouble) async throws { try await seed(trouble, records: 300) }

  @Test("seeding ends as without faults when all of them come together")
  func seedingAllTogether() async throws { try await seed(.together, records: 600) }

  @Test("recounts end as without faults, and write every count once", arguments: Trouble.alone)
  func recounting(_ trouble: Trouble) async throws {
    try await recount(trouble, subscriptions: 2000)
  }

  @Test("recounts end as without faults when all of them come together")
  func recountingAllTogether() async throws {
    try await recount(.together, subscriptions: 8000)
  }

  private func seed(_ trouble: Trouble, records: Int) async throws {
    try await withProjectFolder { tool in
      try tool.writeSeeds(records: records)
      let container = try await tool.makeContainer("faulty.sqlite")
      try container.watchWrites()
      try await complete(Self.apply, trouble, "faulty.sqlite", tool)
      #expect(try container.recordsWrittenTwice() == [])
      #expect(try container.writes() == records)
      try await expectSame("faulty.sqlite", tool, as: "\(records) seeds") { tool in
        try tool.writeSeeds(records: records)
        _ = try await tool.makeContainer("wanted.sqlite")
        return Self.apply
      }
    }
  }

  private func recount(_ trouble: Trouble, subscriptions: Int) async throws {
    try await withProjectFolder { tool in
      let container = try await tool.makeSubscriptions("faulty.sqlite", count: subscriptions)
      try container.watchWrites()
      try await complete(Self.recount, trouble, "faulty.sqlite", tool)
      #expect(try container.wrongCounts() == [])
      #expect(try container.recordsWrittenTwice() == [])
      try await expectSame("faulty.sqlite", tool, as: "\(subscriptions) counted") { tool in
        _ = try await tool.makeSubscriptions("wanted.sqlite", count: subscriptions)
        return Self.recount
      }
    }
  }

  private static let apply = ["seed", "apply", "made", "--yes", "-q"]
  private static let recount = ["recount", "subscribers", "-q"]

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

  /// Compares with what a command without faults leaves in `wanted.sqlite`.
  private func expectSame(
    _ file: String, _ tool: Tool, as name: String,
    _ prepare: @escaping @Sendable (Tool) async throws -> [String]
  ) async throws {
    let wanted = try await MadeOnce.shared.bytes(name) { tool in
      let words = try await prepare(tool)
      let tool = tool.on(file: "wanted.sqlite")
      #expect(try await tool.run(words).status == 0)
      return Data(try await tool.export().joined(separator: "\n").utf8)
    }
    let found = try await tool.on(file: file).export().joined(separator: "\n")
    #expect(found == String(decoding: wanted, as: UTF8.self))
  }
}

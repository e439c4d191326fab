import Foundation
import Testing

/// `seed apply` can be cut off anywhere, and the next run finishes its work.
@Suite(.serialized) struct KillTests {
  private static let kills = 24
  private static let killsPerRound = 4

  @Test(
    "killed at 24 random moments, a run is completed by the next one, with nothing lost, doubled or half-written"
  )
  func killed() async throws {
    try await withScratchFolder { folder in
      try LargeSeeds.write(to: "\(folder)/large")
      let (expected, duration) = try await uninterrupted(folder)
      var random = SplitMix64(seed: 20_261_121)
      var kills = 0
      // A run that ends before its kill proves nothing and is not counted; the rounds bound the time.
      for round in 0..<KillTests.kills where kills < KillTests.kills {
        let tool = try await freshContainer("\(folder)/round-\(round)", seeds: "\(folder)/large")
        for _ in 0..<KillTests.killsPerRound {
          kills += try await kill(tool, after: duration * Double.random(in: 0...1, using: &random)) ? 1 : 0
        }
        try await finish(tool, expected)
      }
      #expect(kills >= KillTests.kills)
    }
  }

  private func finish(_ tool: Tool, _ expected: ExportedRecords) async throws {
    let rerun = try await tool.run(["seed", "apply", "large", "--yes"])
    #expect(rerun.status == 0, "\(rerun.err)")
    let found = try await ExportedRecords(of: tool)
    #expect(found == expected, "\(tool.directory)")
    let info = try await tool.run(["container", "info"])
    #expect(info.status == 0, "\(info.out)")
  }

  @Test(
    "a signal ends the run with its own status, and what was not written is left to the next run",
    arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143))])
  func signalled(_ signal: Int32, _ status: Int32) async throws {
    try await withScratchFolder { folder in
      try LargeSeeds.write(to: "\(folder)/large")
      let tool = try await freshContainer("\(folder)/run", seeds: "\(folder)/large")
      let run = try RunningTool(tool, ["seed", "apply", "large", "--yes"])
      try await journalAppears(in: tool.directory, while: run)
      run.send(signal)
      #expect(await run.wait() == status)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: "\(tool.directory)/.celestra/journal") != [])
      let rerun = try await tool.run(["seed", "apply", "large", "--yes"])
      #expect(rerun.status == 0, "\(rerun.err)")
      let found = try await ExportedRecords(of: tool)
      #expect(found.records.count == LargeSeeds.records)
      #expect(found.lines == LargeSeeds.records)
    }
  }

  private func uninterrupted(_ folder: String) async throws -> (ExportedRecords, Duration) {
    let tool = try await freshContainer("\(folder)/uninterrupted", seeds: "\(folder)/large")
    let clock = ContinuousClock()
    let duration = try await clock.measure {
      let run = try RunningTool(tool, ["seed", "apply", "large", "--yes"])
      #expect(await run.wait() == 0)
    }
    let records = try await ExportedRecords(of: tool)
    try #require(records.lines == LargeSeeds.records)
    return (records, duration)
  }

  private func freshContainer(_ folder: String, seeds: String) async throws -> Tool {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: "\(folder)/large", withDestinationPath: seeds)
    let tool = Tool(directory: folder)
    let schema = projectRoot.appending(path: "schema/celestra.ckdb").path
    let made = try await tool.run(["container", "init", "--schema", schema])
    try #require(made.status == 0, "\(made.err)")
    return tool
  }

  /// Returns whether the run was still going. The moment itself is what is tested, so here a test does sleep.
  private func kill(_ tool: Tool, after delay: Duration) async throws -> Bool {
    let run = try RunningTool(tool, ["seed", "apply", "large", "--yes"])
    try await Task.sleep(for: delay)
    run.send(SIGKILL)
    return await run.wait() == 128 + SIGKILL
  }

  /// The journal is on the disk before anything is sent.
  private func journalAppears(in folder: String, while run: RunningTool) async throws {
    let journal = "\(folder)/.celestra/journal"
    while try !FileManager.default.fileExists(atPath: journal)
      || FileManager.default.contentsOfDirectory(atPath: journal).isEmpty
    {
      guard run.isRunning else { throw RunningTool.NeverHappened(what: "a journal") }
      try await Task.sleep(for: .milliseconds(1))
    }
  }
}

/// The same numbers on every run (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

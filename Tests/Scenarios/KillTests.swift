import Foundation
import Testing

/// `seed apply` can be cut off anywhere, and the next run finishes its work.
@Suite(.serialized) struct KillTests {
  private static let command = ["seed", "apply", "large", "--yes"]
  private static let kills = 12
  private static let killsPerRound = 4

  @Test(
    "killed at 12 random moments, a run is completed by the next one, with nothing lost, doubled or half-written"
  )
  func killed() async throws {
    try await withScratchFolder { folder in
      try LargeSeeds.write(to: "\(folder)/large")
      let (expected, duration) = try await uninterrupted(folder)
      var moments = KillMoments(seed: 20_261_121, longest: duration)
      // A run that ends before its kill proves nothing and is not counted; the rounds bound the time.
      for round in 0..<KillTests.kills where moments.cut < KillTests.kills {
        let tool = try await freshContainer("\(folder)/round-\(round)", seeds: "\(folder)/large")
        for _ in 0..<KillTests.killsPerRound {
          guard try await moments.kill(tool, KillTests.command) else { break }
        }
        try await finish(tool, expected)
      }
      #expect(moments.cut >= KillTests.kills)
    }
  }

  private func finish(_ tool: Tool, _ expected: ExportedRecords) async throws {
    let rerun = try await tool.run(KillTests.command)
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
      let ended = try await tool.run(KillTests.command) { run in
        try await historyAppears(in: tool.directory, while: run)
        run.send(signal)
      }
      #expect(ended == status)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: "\(tool.directory)/.celestra/history") != [])
      let rerun = try await tool.run(KillTests.command)
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
      let run = try await tool.run(KillTests.command)
      #expect(run.status == 0)
    }
    let records = try await ExportedRecords(of: tool)
    try #require(records.lines == LargeSeeds.records)
    return (records, duration)
  }

  private func freshContainer(_ folder: String, seeds: String) async throws -> Tool {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: "\(folder)/large", withDestinationPath: seeds)
    let tool = Tool(directory: folder)
    _ = try await tool.makeContainer(".celestra/container.sqlite")
    return tool
  }

  /// What a run is about to send is on the disk before it is sent.
  private func historyAppears(in folder: String, while run: RunningProcess) async throws {
    let history = "\(folder)/.celestra/history"
    while try !FileManager.default.fileExists(atPath: history)
      || FileManager.default.contentsOfDirectory(atPath: history).isEmpty
    {
      try #require(!run.hasEnded, "the run ended without a history")
      try await Task.sleep(for: .milliseconds(1))
    }
  }
}

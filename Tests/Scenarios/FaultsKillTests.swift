import Testing

/// Runs that end without warning at any moment, as a runner's machine may.
@Suite(.serialized) struct FaultsKillTests {
  @Test("after any number of killed recounts, one that ends makes every count exact")
  func killedRecounts() async throws {
    try await withProjectFolder { tool in
      let container = try await tool.makeSubscriptions("container.sqlite", count: 4000)
      var moments = KillMoments(seed: 11)
      try await withEmulator(for: tool, file: "container.sqlite") { tool in
        for round in 1...FaultsSize.kills * 4 where moments.wantMore(after: round) {
          try container.spoilCounts()
          // A killed run's lease keeps the next run out until it expires, an hour on at the latest.
          let words = ["recount", "subscribers", "-q", "--max-drop", "100"]
          let wasCut = try await moments.kill(tool, words)
          let outcome = try await tool.later.run(words)
          #expect(outcome.status == 0, "round \(round), cut off: \(wasCut)\n\(outcome.err)")
          #expect(try container.wrongCounts() == [], "round \(round), cut off: \(wasCut)")
        }
      }
      print("killed \(moments.cut) of \(FaultsSize.kills) recounts")
      #expect(moments.cut * 2 > FaultsSize.kills)
    }
  }

  @Test("after any number of killed seedings, one that ends leaves what an undisturbed one does")
  func killedSeedings() async throws {
    try await withProjectFolder { tool in
      try tool.writeSeeds(records: 800)
      _ = try await tool.makeContainer("wanted.sqlite")
      let words = ["seed", "apply", "made", "--yes", "-q"]
      try await tool.on(file: "wanted.sqlite").succeed("seed", "apply", "made", "--yes", "-q")
      let wanted = try await tool.on(file: "wanted.sqlite").export()
      var moments = KillMoments(seed: 12)
      for round in 1...FaultsSize.kills * 4 where moments.wantMore(after: round) {
        let container = try await tool.makeContainer("container-\(round).sqlite")
        try container.watchWrites()
        try await withEmulator(for: tool, file: "container-\(round).sqlite") { tool in
          let wasCut = try await moments.kill(tool, words)
          let outcome = try await tool.run(words)
          #expect(outcome.status == 0, "round \(round), cut off: \(wasCut)\n\(outcome.err)")
          #expect(try await tool.export() == wanted, "round \(round), cut off: \(wasCut)")
        }
        #expect(try container.recordsWrittenTwice() == [])
      }
      print("killed \(moments.cut) of \(FaultsSize.kills) seedings")
      #expect(moments.cut * 2 > FaultsSize.kills)
    }
  }
}

/// Random moments between a run's start and a little after its end. The same seed gives the same shares of the run.
private struct KillMoments {
  private var generator: SplitMix
  private var longest: Duration?
  /// Runs that were ended before they ended themselves.
  private(set) var cut = 0

  init(seed: UInt64) { generator = SplitMix(state: seed) }

  /// A kill may come after the run has ended by itself: then there are more rounds, until most did cut one off.
  func wantMore(after round: Int) -> Bool { round <= FaultsSize.kills || cut * 2 <= FaultsSize.kills }

  /// Ends the command at a random moment of the time that it last took when it was left alone.
  mutating func kill(_ tool: Tool, _ words: [String]) async throws -> Bool {
    let share = Double.random(in: 0.05...0.9, using: &generator)
    let limit = longest ?? .milliseconds(400)
    let start = ContinuousClock.now
    let wasCut = try await tool.runAndKill(words, after: limit * share)
    if wasCut {
      cut += 1
      // Nothing was learned about the whole run's time: the next one is given a little more.
      longest = limit * 1.1
    } else {
      longest = (ContinuousClock.now - start) * 0.8
    }
    return wasCut
  }
}

/// A small generator with a known start (SplitMix64).
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

import Foundation
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

  @Test(
    "a recount that is asked to stop ends its lease: the next one begins at once",
    arguments: [(SIGTERM, Int32(143)), (SIGINT, Int32(130))])
  func stoppedRecount(_ signal: Int32, _ status: Int32) async throws {
    try await withProjectFolder { tool in
      let container = try await tool.makeSubscriptions("container.sqlite", count: 2000)
      // Slow answers: the counts are still to be written when the lease appears.
      try await withEmulator(for: tool, file: "container.sqlite", options: ["--latency", "200"]) { tool in
        let words = ["recount", "subscribers", "-q"]
        let ended = try await tool.run(words) { run in
          while try container.heldLeases() == 0 {
            try #require(!run.hasEnded, "the run ended without a lease")
            try await Task.sleep(for: .milliseconds(1))
          }
          run.send(signal)
        }
        #expect(ended == status)
        #expect(try container.heldLeases() == 0)
        #expect(try container.wrongCounts() != [])
        // By the same clock: nothing has expired.
        let next = try await tool.run(words)
        #expect(next.status == 0, "\(next.err)")
      }
      #expect(try container.wrongCounts() == [])
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

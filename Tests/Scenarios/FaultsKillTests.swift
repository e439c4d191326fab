import DemoFeeds
import Foundation
import Platform
import Testing

/// Runs that end without warning at any moment, as a runner's machine may.
@Suite struct FaultsKillTests {
  @Test("after any number of killed recounts, one that ends makes every count exact")
  func killedRecounts() async throws {
    try await withProjectFolder { tool in
      let container = try await tool.makeSubscriptions("container.sqlite", count: 2000)
      var moments = KillMoments(seed: 11)
      try await withEmulator(for: tool, file: "container.sqlite") { tool in
        for round in 1...KillMoments.wanted * 4 where moments.wantMore(after: round) {
          try container.spoilCounts()
          // A killed run's lease keeps the next run out until it expires, an hour on at the latest.
          let words = ["recount", "subscribers", "-q", "--max-drop", "100"]
          let wasCut = try await moments.kill(tool, words)
          let outcome = try await tool.later.run(words)
          #expect(outcome.status == 0, "round \(round), cut off: \(wasCut)\n\(outcome.err)")
          #expect(try container.wrongCounts() == [], "round \(round), cut off: \(wasCut)")
        }
      }
      print("killed \(moments.cut) of \(KillMoments.wanted) recounts")
      #expect(moments.cut * 2 > KillMoments.wanted)
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

  @Test(
    "a health check that is asked to stop at any moment ends its lease: the next one begins at once and finishes",
    arguments: [(SIGTERM, Int32(143)), (SIGINT, Int32(130))])
  func stoppedHealthChecks(_ signal: Int32, _ status: Int32) async throws {
    try await withProjectFolder { tool in
      let feeds = (0..<40).map { DemoFeed(slug: "feed-\($0)", behavior: .slow) }
      let now = try Date(Tool.clock, strategy: .iso8601).timeIntervalSince1970
      let server = try await DemoFeedServer.start(
        table: DemoFeedTable(feeds), now: Int64(now), slowDelay: .milliseconds(20))
      let check = ["health", "check", "--allow-private-addresses", "-q", "--concurrency", "1", "--force"]
      var random = SeededGenerator(seed: 13)
      var stopped = 0
      for round in 1...5 {
        let container = try await tool.makeContainer("container-\(round).sqlite")
        try await tool.on(file: "container-\(round).sqlite").importFeeds(
          feeds.map { ($0.slug, server.url(of: $0.slug)) })
        try await withEmulator(for: tool, file: "container-\(round).sqlite") { tool in
          let moment = Duration.milliseconds(Int.random(in: 50...1200, using: &random))
          let ended = try await tool.run(check) { run in
            let end = ContinuousClock.now + moment
            while ContinuousClock.now < end, !run.hasEnded { try await Task.sleep(for: .milliseconds(1)) }
            if !run.hasEnded { run.send(signal) }
          }
          // A signal that comes before the program handles it ends it as any program.
          #expect([status, 128 + signal, 0].contains(ended), "round \(round), after \(moment)")
          if ended != 0 { stopped += 1 }
          #expect(try container.heldLeases() == 0, "round \(round), after \(moment)")
          let next = try await tool.run(check)
          #expect(next.status == 0, "round \(round), after \(moment)\n\(next.err)")
        }
        #expect(try container.attempts().count == feeds.count)
      }
      #expect(stopped >= 2)
      try await server.stop()
    }
  }

  @Test("after any number of killed seedings, one that ends leaves what an undisturbed one does")
  func killedSeedings() async throws {
    try await withProjectFolder { tool in
      try tool.writeSeeds(records: 401)
      _ = try await tool.makeContainer("wanted.sqlite")
      let words = ["seed", "apply", "made", "--yes", "-q"]
      try await tool.on(file: "wanted.sqlite").succeed("seed", "apply", "made", "--yes", "-q")
      let wanted = try await tool.on(file: "wanted.sqlite").export()
      var moments = KillMoments(seed: 12)
      for round in 1...KillMoments.wanted * 4 where moments.wantMore(after: round) {
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
      print("killed \(moments.cut) of \(KillMoments.wanted) seedings")
      #expect(moments.cut * 2 > KillMoments.wanted)
    }
  }

  @Test(
    "after a run that was killed with the lease, and one that was killed before it had it, the next starts at once"
  )
  func killedTwice() async throws {
    try await withProjectFolder { tool in
      try tool.writeSeeds(records: 300)
      _ = try await tool.makeContainer("container.sqlite")
      let words = ["seed", "apply", "made", "--yes"]
      let state = "\(tool.directory)/.celestra"
      func runsInLock() -> Int {
        let text = (try? String(contentsOfFile: "\(state)/lock", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").dropFirst().count
      }
      try await withEmulator(for: tool, file: "container.sqlite", options: ["--latency", "200"]) { tool in
        for isReady in [
          { FileManager.default.fileExists(atPath: "\(state)/history") && runsInLock() == 1 },
          { runsInLock() == 2 }, { runsInLock() == 3 },
        ] {
          let status = try await tool.run(words) { process in
            while !isReady(), !process.hasEnded { try await Task.sleep(for: .milliseconds(1)) }
            process.send(SIGKILL)
          }
          #expect(status == 128 + SIGKILL)
        }
        let last = try await tool.run(words)
        #expect(last.status == 0 && !last.err.contains("Another run holds the lease"), "\(last.err)")
      }
    }
  }

  @Test(
    "a shard and a whole run, or shards of two numbers, keep each other out while they live, and not once killed",
    arguments: [("1/1", "1/2"), ("1/2", "1/1"), ("1/2", "1/3")])
  func killedShards(_ killed: String, _ next: String) async throws {
    func words(_ part: String) -> [String] {
      ["recount", "quality"] + (part == "1/1" ? [] : ["--shard", part])
    }
    try await withProjectFolder { tool in
      let container = try await tool.makeSubscriptions("container.sqlite", count: 2000)
      try await withEmulator(for: tool, file: "container.sqlite", options: ["--latency", "200"]) { tool in
        let ended = try await tool.run(words(killed)) { run in
          defer { run.send(SIGKILL) }
          while try !container.isLeaseHeld("recount quality \(killed)") {
            try #require(!run.hasEnded, "the run ended without a lease")
            try await Task.sleep(for: .milliseconds(1))
          }
          // It lives, and renews nothing.
          run.send(SIGSTOP)
          let early = try await tool.run(words(next) + ["--wait", "1s"])
          #expect(early.status == 6, "\(early.err)")
        }
        #expect(ended == 128 + SIGKILL)
        let outcome = try await tool.run(words(next))
        #expect(
          outcome.status == 0 && !outcome.err.contains("Another run holds the lease"), "\(outcome.err)")
      }
    }
  }
}

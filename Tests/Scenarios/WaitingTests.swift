import Foundation
import Testing

/// What a person sees at a terminal, and what a log has, while the tool waits.
@Suite("Waiting for a service that refuses") struct WaitingTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path
  /// Asks for two pauses of three seconds.
  private static let query = [
    "emulator", "exec", "--schema", "\(root)/schema/celestra.ckdb", "--fault",
    "status,status=503,retryAfter=3,endpoint=records/query,count=2", "--", Tool.path, "records", "query",
    "FeedCategory",
  ]

  @Test(
    "the line says what is waited for and until when, counts down each second, and fits the window",
    arguments: [
      (
        40,
        #"^service unavailable( for [0-9]+s)?, giving up in [0-9ms]+$|^service unavailable [0-9]+s, [0-9ms]+ left$"#
      ),
      (80, #"^service unavailable( for [0-9]+s)?(, trying again in [0-9]+s)?, giving up in [0-9ms]+$"#),
      (
        130,
        #"^service unavailable \(records/query: .*\)( for [0-9]+s)?(, trying again in [0-9]+s)?, giving up in [0-9ms]+$"#
      ),
    ])
  func terminal(_ columns: UInt16, _ pattern: String) async throws {
    try await withScratchFolder { folder in
      let terminal = try Terminal(columns: columns)
      let status = try await terminal.run(Tool(directory: folder), Self.query) { _ in }
      #expect(status == 0, "\(terminal.shown)")
      let lines = terminal.statusLines.filter { $0.hasPrefix("service") }
      #expect(lines.allSatisfy { $0.count < columns }, "\(lines)")
      let regex = try Regex(pattern)
      #expect(lines.allSatisfy { $0.contains(regex) }, "\(lines)")
      // A pause that is over says so until a busy machine sends the request.
      #expect(lines.contains { $0.contains(", trying again in ") } == (columns > 40), "\(lines)")
      // Six seconds of waiting, of which a busy machine may miss some.
      let ends = lines.compactMap { $0.firstMatch(of: /(?:giving up in (\S+)|, (\S+) left)$/)?.output }
      #expect(Set(ends.map { String($0.1 ?? $0.2 ?? "") }).count >= 4, "\(lines)")
    }
  }

  @Test(
    "a monitoring service that does not answer is named after the result, and a signal ends only the wait")
  func monitoring() async throws {
    try await withScratchFolder { folder in
      let end = DispatchSemaphore(value: 0)
      let silent = try Listener(beforeAnswer: { end.wait() })
      defer { end.signal() }
      let schema = "\(Self.root)/schema/celestra.ckdb"
      let made = try await Tool(directory: folder).run([
        "container", "init", "--schema", schema, "--container", "local:c",
      ])
      #expect(made.status == 0, "\(made.err)")
      let terminal = try Terminal(columns: 80)
      let status = try await terminal.run(
        Tool(directory: folder),
        ["container", "verify", "--container", "local:c", "--ping", "http://127.0.0.1:\(silent.port)/id"]
      ) { process in
        try await terminal.waitFor("reporting the start of this run for ")
        try await terminal.waitFor("s, giving up in ")
        // Of a group of processes, the script that passes a signal on sends it again.
        process.send(SIGINT)
        process.send(SIGTERM)
      }
      #expect(status == 0, "\(terminal.shown)")
    }
  }

  @Test("a window that becomes narrower while the tool waits gets a line that fits it")
  func resize() async throws {
    try await withScratchFolder { folder in
      let terminal = try Terminal(columns: 130)
      let status = try await terminal.run(Tool(directory: folder), Self.query) { _ in
        try await terminal.waitFor("trying again in 3s")
        terminal.resize(columns: 40)
        try await terminal.waitFor("\u{1B}[2A\u{1B}[Jservice")
      }
      #expect(status == 0)
      let narrow = terminal.statusLines.drop { $0.count >= 40 }
      #expect(!narrow.isEmpty && narrow.allSatisfy { $0.count < 40 }, "\(terminal.statusLines)")
    }
  }

  @Test("a log has one line for each pause, with its real length")
  func log() async throws {
    try await withScratchFolder { folder in
      let outcome = try await Tool(directory: folder).run(Self.query)
      #expect(outcome.status == 0)
      let lines = outcome.err.split(separator: "\n").filter { $0.hasPrefix("service") }
      #expect(lines.count == 2, "\(outcome.err)")
      #expect(lines.allSatisfy { $0.contains(", trying again in 3s, giving up in ") })
      #expect(lines.last?.contains(#/\) for [3-5]s, /#) == true, "\(lines)")
    }
  }

  @Test(
    "while a site does not answer, the page that is fetched is named after a second",
    arguments: [["feed", "find"], ["seed", "add", "--category", "design"]])
  func fetching(_ words: [String]) async throws {
    try await withScratchFolder { folder in
      let end = DispatchSemaphore(value: 0)
      let silent = try Listener(beforeAnswer: { end.wait() })
      defer { end.signal() }
      let terminal = try Terminal(columns: 80)
      let status = try await terminal.run(
        Tool(directory: folder),
        words + ["http://127.0.0.1:\(silent.port)/feed?key=secret", "--allow-private-addresses"]
      ) { process in
        // A busy machine may miss single seconds.
        try await terminal.waitFor("fetching 127.0.0.1/feed for ")
        try await terminal.waitFor("s, giving up in ")
        process.send(SIGINT)
      }
      #expect(status == 130)
      #expect(!terminal.statusLines.contains { $0.contains("secret") })
    }
  }
}

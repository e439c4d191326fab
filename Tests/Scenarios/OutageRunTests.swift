import Foundation
import SiteServer
import Testing

/// `health check` on a machine whose network stands between it and the feeds, with servers on loopback.
@Suite struct OutageRunTests {
  private static let count = 8
  /// The tool's clock.
  private static let now = (try? Date(Tool.clock, strategy: .iso8601)) ?? .distantPast

  private static func sites(_ document: (String) -> String) -> String {
    "##### all\n" + (0..<count).map { document("http://h\($0).localhost/feed") }.joined(separator: "\n")
      + "\n"
  }

  private static let working = sites { "=== \($0) @rss | Notes | http://notes.example/ | en | 1 | n" }

  /// What a guest network, or a broken proxy, answers for every address.
  private static let portals = [
    ("no-answer", sites { "=== \($0) 0" }),
    (
      "foreign-page",
      sites { url in
        """
        === \(url)
        <html><head><title>Guest network</title></head><body><p>Accept the terms to go on.</p>
        <form action="/accept?to=\(url)"><button>Accept</button></form></body></html>
        """
      }
    ),
    // The filter of an office or a school.
    (
      "foreign-page",
      sites { "=== \($0)\n<html><title>Web Page Blocked!</title><p>Attack ID: \($0.utf8.count)</html>" }
    ),
    ("foreign-page", sites { "=== \($0) 511 text/html\n<p>Sign in for \($0)</p>" }),
    (
      "foreign-host",
      sites { "=== \($0) 302 -> http://portal.localhost/login?from=\($0)" }
        + "=== http://portal.localhost/*\n<html><title>Sign in</title><input type=\"password\"></html>\n"
    ),
  ]

  private func withFeeds(stops: Bool = true, _ body: (Tool, SiteServer) async throws -> Void) async throws {
    let server = try await SiteServer.start(Site.all(in: Self.working, now: Self.now))
    try await withProjectFolder { tool in
      _ = try await tool.makeContainer("container.sqlite")
      let tool = tool.on(file: "container.sqlite")
      try await tool.importFeeds(
        (0..<Self.count).map { ("f\($0)", server.address("http://h\($0).localhost/feed")) })
      try await body(tool, server)
    }
    if stops { try await server.stop() }
  }

  private func check(_ tool: Tool, _ words: String...) async throws -> (
    run: Tool.Outcome, result: [String: Any]
  ) {
    let run = try await tool.run(
      ["health", "check", "--allow-private-addresses", "--force", "--format", "json", "--metrics", "h.prom"]
        + words)
    return (run, try run.result())
  }

  private func states(_ tool: Tool) async throws -> String {
    try await tool.run(["records", "query", "FeedMetadata", "--format", "csv"]).out
  }

  @Test("a portal that answers for all hosts ends the run with 1, records nothing, and is named")
  func portal() async throws {
    try await withFeeds { tool, server in
      let first = try await check(tool)
      #expect(first.run.status == 0 && first.result["checked"] as? Int == Self.count, "\(first.run.err)")
      let before = try await states(tool)
      for (signature, sites) in Self.portals {
        server.serve(Site.all(in: sites, now: Self.now))
        let found = try await check(tool)
        #expect(found.run.status == 1, "\(found.run.out)")
        let outage = try #require(found.result["outage"] as? [String: Any], "\(found.run.out)")
        #expect(outage["signature"] as? String == signature && outage["hosts"] as? Int == Self.count)
        #expect(found.result["checked"] as? Int == 0 && found.result["healthy"] as? Int == 0)
        let feeds = found.result["feeds"] as? [[String: Any]] ?? []
        #expect(feeds.count == Self.count && feeds.allSatisfy { $0["cause"] as? String == "ours" })
        #expect(found.run.out.contains("\(Self.count) hosts"), "\(found.run.out)")
        let metrics = try String(contentsOfFile: "\(tool.directory)/h.prom", encoding: .utf8)
        #expect(metrics.contains("health_local_outage") && !metrics.contains("status=\"healthy\"} 8"))
        #expect(try await states(tool) == before)
        let markdown = try await tool.run(
          ["health", "check", "--allow-private-addresses", "--force", "--format", "markdown"])
        #expect(markdown.status == 1 && markdown.out.contains("0 checked: 0 healthy"), "\(markdown.out)")
      }
    }
  }

  @Test("an error page from all hosts is theirs, and the report says that it is the same, with -q too")
  func errorPage() async throws {
    try await withFeeds { tool, server in
      #expect(try await check(tool).run.status == 0)
      let page = Self.sites { "=== \($0) 404 text/html\n<html><title>Blocked</title><p>\($0)</html>" }
      server.serve(Site.all(in: page, now: Self.now))
      let run = try await tool.run(["health", "check", "--allow-private-addresses", "--force", "-q"])
      #expect(
        run.status == 0
          && run.out.contains(
            "8 of 8 hosts answered with the same page (HTTP 404, 'Blocked'), which counts as their own;")
      )
      #expect(try await states(tool).contains("FH0201"))
    }
  }

  @Test("a port that is refused for all is ours; for one of several hosts it is the host's, and recorded")
  func refusedPort() async throws {
    try await withFeeds(stops: false) { tool, server in
      #expect(try await check(tool).run.status == 0)
      try await server.stop()
      let found = try await check(tool)
      #expect(found.run.status == 1 && found.run.out.contains("no connection to 8 hosts"), "\(found.run.out)")
      let alone = try await check(tool, "--only", "f3")
      #expect(alone.run.status == 0 && alone.result["outage"] == nil)
      #expect((alone.result["feeds"] as? [[String: Any]])?.first?["cause"] as? String == "host")
    }
  }

  @Test("status 3 counts as a run that ended, so that the alert for late jobs does not fire")
  func findings() async throws {
    try await withFeeds { tool, server in
      server.serve(
        Site.all(in: "##### gone\n=== http://h2.localhost/feed 410 text/plain\ngone\n", now: Self.now))
      let found = try await check(tool, "--fail-on", "newly-down")
      #expect(found.run.status == 3, "\(found.run.err)")
      let metrics = try String(contentsOfFile: "\(tool.directory)/h.prom", encoding: .utf8)
      let samples = metrics.split(separator: "\n")
      #expect(samples.contains { $0.contains("run_last_success_timestamp_seconds{") && !$0.hasSuffix(" 0") })
      #expect(samples.contains { $0.contains("run_exit_code{") && $0.hasSuffix(" 3") })
    }
  }
}

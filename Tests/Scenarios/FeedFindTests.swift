import DemoFeeds
import Foundation
import HostileFeeds
import Testing

/// `feed find` and `seed add` against sites served on loopback.
@Suite struct FeedFindTests {
  private static let allow = "--allow-private-addresses"

  @Test("a page's feed is found, shown the same way twice, and written into the seed files")
  func site() async throws {
    try await withSites { tool, server in
      let page = server.url(of: .htmlPage)
      let found = try await tool.run(["feed", "find", page, Self.allow, "--format", "json"])
      #expect(found.status == 0, "\(found.err)")
      let result = try #require(Self.inputs(found.out).first)
      #expect(result["requests"] as? Int ?? 99 <= 5)
      let candidate = try #require((result["candidates"] as? [[String: Any]])?.first)
      #expect(candidate["foundBy"] as? String == "linkElement")
      #expect((result["seed"] as? [String: Any])?["feedURL"] as? String == candidate["feedURL"] as? String)
      let again = try await tool.run(["feed", "find", page, Self.allow, "--format", "json"])
      #expect(again.out == found.out)
      let text = try await tool.run(["feed", "find", page, Self.allow, "--explain"])
      #expect(text.out.contains("Tried:") && text.out.contains("Seed entry of the first:"))

      let add = ["seed", "add", page, "--category", "news", "--tag", "daily", Self.allow]
      let dry = try await tool.run(add + ["--dry-run"])
      #expect(dry.status == 0 && dry.out.contains("Nothing was written."), "\(dry.err)")
      #expect(!FileManager.default.fileExists(atPath: "\(tool.directory)/seeds/feeds/news.json"))
      let added = try await tool.run(add)
      #expect(added.status == 0, "\(added.err)")
      let file = try String(contentsOfFile: "\(tool.directory)/seeds/feeds/news.json", encoding: .utf8)
      #expect(file.contains("\"daily\"") && file.contains("\"category\": \"news\""))
      #expect(try await tool.run(["seed", "validate"]).status == 0)
      let known = try await tool.run(add)
      #expect(known.status == 1 && known.err.contains("in the catalog already"))
      let shown = try await tool.run(["feed", "find", page, Self.allow])
      #expect(shown.out.contains("in the catalog already"))
    }
  }

  @Test("seed add takes several sites and the seed folder after them, and adds each of them once, or none")
  func several() async throws {
    try await withSites { tool, server in
      let sites = [DemoBehavior.rss20, .atom].map { server.url(of: $0) }
      let more = ["seeds", "--category", "news", Self.allow, "--format", "json"]
      let path = "\(tool.directory)/seeds/feeds/news.json"
      for bad in [server.url(of: .notFound), sites[0]] {
        let refused = try await tool.run(["seed", "add"] + sites + [bad] + more)
        #expect(refused.status == 1 && refused.out.contains(bad), "\(refused.out)")
        #expect(!FileManager.default.fileExists(atPath: path))
      }
      let added = try await tool.run(["seed", "add"] + sites + more)
      #expect(added.status == 0, "\(added.out)")
      let file = try String(contentsOfFile: path, encoding: .utf8)
      #expect(sites.allSatisfy { file.contains($0) }, "\(file)")
    }
  }

  @Test("an input that is not a site, one without a feed, and a private one end with status 1 and says why")
  func nothing() async throws {
    try await withSites { tool, server in
      let missing = try await tool.run(["feed", "find", server.url(of: .notFound), Self.allow])
      #expect(missing.status == 1 && missing.err.contains("--explain"))
      let refused = try await tool.run(["feed", "find", server.url(of: .rss20)])
      #expect(refused.status == 1 && refused.err.contains("--allow-private-addresses"))
      let words = try await tool.run(["feed", "find", "no address"])
      #expect(words.status == 1)
      let feed = try await tool.run(["feed", "find", server.url(of: .rss20), Self.allow])
      #expect(feed.status == 0)
      for hostile in [DemoBehavior.gzipBomb, .redirectLoop, .reset, .endlessBody, .notHTTP] {
        let run = try await tool.run([
          "feed", "find", server.url(of: hostile), Self.allow, "--format", "json",
        ])
        let result = try #require(Self.inputs(run.out).first, "\(hostile)")
        #expect(result["requests"] as? Int ?? 99 <= 20, "\(hostile)")
      }
    }
  }

  private static func inputs(_ text: String) throws -> [[String: Any]] {
    let document = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    return (document?["result"] as? [String: Any])?["inputs"] as? [[String: Any]] ?? []
  }

  private func withSites(_ body: (Tool, DemoFeedServer) async throws -> Void) async throws {
    try await withScratchFolder { folder in
      try Scenario.File(
        path: "nest/seeds/categories.json",
        text: "{\"categories\": [{\"slug\": \"news\", \"name\": \"News\"}]}\n"
      ).write(in: folder)
      let server = try await DemoFeedServer.start(now: 1_795_000_000)
      do {
        try await body(Tool(directory: "\(folder)/nest"), server)
      } catch {
        try await server.stop()
        throw error
      }
      try await server.stop()
    }
  }
}

import Foundation
import SiteServer
import Testing

/// Feeds that are gone, from the check to the seed files, with sites on loopback.
@Suite struct GoneFeedScenarioTests {
  private static let sites = """
    ##### moved
    === http://harbor.localhost/
    <html lang="en"><head><link rel="alternate" type="application/rss+xml" href="/notes/index.xml"></head></html>
    === http://harbor.localhost/notes/index.xml @rss | Harbor Notes | http://harbor.localhost/ | en | 1 | n
    ##### replaced-by-a-page
    === http://tea.localhost/*
    <html lang="en"><head><title>Tea</title></head><body><a href="/journal.xml">RSS</a></body></html>
    === http://tea.localhost/journal.xml @atom | The tea journal | http://tea.localhost/ | en | 1 | t
    ##### parked
    === http://parked.localhost/
    <html><head><title>parked.localhost is for sale</title>
    <link rel="alternate" type="application/rss+xml" href="/offers.xml"></head></html>
    === http://parked.localhost/offers.xml @rss | Domains for sale | http://parked.localhost/ | en | 0 | d
    ##### two-logs-of-one-publisher
    === http://logs.localhost/
    <html lang="en"><head><link rel="alternate" type="application/rss+xml" href="/harbor.xml">
    <link rel="alternate" type="application/rss+xml" href="/bridge.xml"></head></html>
    === http://logs.localhost/harbor.xml @rss | Harbor Log | http://logs.localhost/ | en | 1 | h
    === http://logs.localhost/bridge.xml @rss | Bridge Log | http://logs.localhost/ | en | 1 | b

    """

  @Test("what feed find finds on the site of a gone feed goes into the record, and from there into the seeds")
  func moves() async throws {
    let server = try await SiteServer.start(Site.all(in: Self.sites, now: Date()))
    try await withScratchFolder { folder in
      let feeds = [
        ("harbor-notes", "Harbor Notes", "harbor.localhost/old/feed"),
        ("tea", "Tea Journal", "tea.localhost/old/feed"),
        ("old", "Old Ships", "parked.localhost/old/feed"), ("log", "Harbor Log", "logs.localhost/harbor.xml"),
        ("gone-log", "Gone Log", "logs.localhost/gone.xml"),
        ("twin-log", "Harbor Log", "logs.localhost/twin.xml"),
      ]
      let list = feeds.map { slug, title, address in
        server.address(
          #"{"slug": "\#(slug)", "title": "\#(title)", "feedURL": "http://\#(address)"}"#)
      }
      try Scenario.File(
        path: "nest/seeds/categories.json",
        text: "{\"categories\": [{\"slug\": \"news\", \"name\": \"News\"}]}\n"
      ).write(in: folder)
      try Scenario.File(
        path: "nest/seeds/feeds/news.json",
        text: "{\"category\": \"news\", \"feeds\": [\(list.joined(separator: ","))]}\n"
      ).write(in: folder)
      let tool = Tool(directory: "\(folder)/nest")
      let on = tool.on(file: "c.sqlite")
      try await on.succeed("container", "init", "--schema", "../schema/celestra.ckdb")
      try await on.succeed("seed", "apply", "seeds", "--yes")
      let check = ["health", "check", "--allow-private-addresses", "--force"]
      let lines = try await on.run(check + ["--format", "jsonl"])
      #expect(lines.status == 0, "\(lines.err)")
      #expect(
        lines.out.contains(server.address("\"suggestedURL\":\"http://harbor.localhost/notes/index.xml\"")))
      #expect(lines.out.contains("which is not proposed: its title differs"))
      // A word or a title that feeds of one publisher share is no right to call them one feed.
      for feed in ["/gone.xml", "/twin.xml"] {
        let line = try #require(lines.out.split(separator: "\n").first { $0.contains(feed) })
        #expect(line.contains("which is not proposed") && !line.contains("suggestedURL"), "\(line)")
      }
      #expect(lines.out.contains("it is the address of 'log', another feed of the catalog"))
      let status = try await on.run(["status"])
      for text in [lines.out, status.out] { #expect(!text.contains("replacedBy"), "\(text)") }
      let last = try #require(lines.out.split(separator: "\n").last)
      #expect(last.contains("\"newlyDown\":[") && last.contains("\"flapping\":[]"), "\(last)")

      let shown = try await on.run(["seed", "moves"])
      #expect(shown.out.contains(server.address("→ http://harbor.localhost/notes/index.xml")), "\(shown.out)")
      #expect(shown.out.contains(server.address("→ http://tea.localhost/journal.xml")))
      #expect(!shown.out.contains("parked") && !shown.out.contains("log"), "\(shown.out)")
      let accepted = try await on.run(["seed", "moves", "--accept-all"])
      #expect(!accepted.out.contains("recordName"), "\(accepted.out)")
      let file = try String(contentsOfFile: "\(tool.directory)/seeds/feeds/news.json", encoding: .utf8)
      #expect(file.contains(server.address("http://harbor.localhost/notes/index.xml")))
      #expect(file.contains(server.address("http://tea.localhost/journal.xml")))
      #expect(file.contains(server.address("http://parked.localhost/old/feed")))
      // The slug finds the record in every container; a record's name would not.
      #expect(!file.contains("recordName"))
      try await on.succeed("seed", "apply", "seeds", "--yes")
      let after = try await on.run(check + ["--format", "json"])
      #expect(after.out.contains("\"healthy\": 3"), "\(after.out)")
    }
    try await server.stop()
  }
}

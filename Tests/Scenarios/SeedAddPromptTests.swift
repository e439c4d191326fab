import Foundation
import SiteServer
import Testing

/// What `seed add` asks a person at a terminal.
@Suite struct SeedAddPromptTests {
  private static let sites = """
    ##### two
    === http://twin.localhost/
    <html lang="en"><head><link rel="alternate" type="application/rss+xml" href="/a.xml">
    <link rel="alternate" type="application/rss+xml" href="/b.xml"></head></html>
    === http://twin.localhost/a.xml @rss | Alpha Letters | http://twin.localhost/ | en | 1 | a
    === http://twin.localhost/b.xml @rss | Beta Pictures | http://twin.localhost/ | en | 1 | b

    """

  /// Runs `seed add` at a terminal. The body types the answers.
  private func add(
    _ more: [String] = [], _ body: (Terminal) async throws -> Void
  ) async throws -> (status: Int32, shown: String, files: [String: String]) {
    let server = try await SiteServer.start(Site.all(in: Self.sites, now: Date()))
    var result: (Int32, String, [String: String]) = (0, "", [:])
    try await withScratchFolder { folder in
      try Scenario.File(
        path: "nest/seeds/categories.json",
        text:
          "{\"categories\": [{\"slug\": \"news\", \"name\": \"News\"}, {\"slug\": \"art\", \"name\": \"Art\"}]}\n"
      ).write(in: folder)
      let tool = Tool(directory: "\(folder)/nest")
      let terminal = try Terminal()
      let words =
        ["seed", "add", server.address("http://twin.localhost/"), "--allow-private-addresses"] + more
      let status = try await terminal.run(tool, words) { _ in try await body(terminal) }
      let seeds = "\(tool.directory)/seeds"
      let names = try FileManager.default.subpathsOfDirectory(atPath: seeds).filter { $0.hasSuffix(".json") }
      let files = try names.map { ($0, try String(contentsOfFile: "\(seeds)/\($0)", encoding: .utf8)) }
      result = (status, terminal.shown, Dictionary(uniqueKeysWithValues: files))
    }
    try await server.stop()
    return result
  }

  @Test("it asks for the category, a new collection's title and the feed, and asks again after a bad answer")
  func asks() async throws {
    let added = try await add(["--collection", "weekend"]) { terminal in
      // The site is read first: what cannot be added asks nothing.
      try await terminal.waitFor("Which feed?")
      terminal.type("2\n")
      try await terminal.waitFor("Which category?")
      try await terminal.waitFor("> ", times: 2)
      for bad in ["7", "0", "-1", "sports", "1.5"] {
        let before = terminal.shown.components(separatedBy: "Type a number from 1 to 2.").count
        terminal.type("\(bad)\n")
        try await terminal.waitFor("Type a number from 1 to 2.", times: before)
      }
      terminal.type("art\n")
      try await terminal.waitFor("There is no collection 'weekend'.")
      terminal.type("At the  weekend\n")
    }
    #expect(added.status == 0, "\(added.shown)")
    #expect(added.shown.contains("1. news") && added.shown.contains("2. art"))
    #expect(added.shown.contains("Alpha Letters") && added.shown.contains("Beta Pictures"))
    let feeds = try #require(added.files["feeds/art.json"])
    #expect(feeds.contains("b.xml") && !feeds.contains("a.xml"))
    let collection = try #require(added.files["collections/weekend.json"])
    #expect(collection.contains("\"At the weekend\"") && collection.contains("\"beta-pictures\""))
  }

  @Test(
    "nothing typed, and the end of input, stop it at each question, and nothing is written",
    arguments: ["\n", "\u{4}"])
  func stops(key: String) async throws {
    let atCategory = try await add(["--pick", "1"]) { terminal in
      try await terminal.waitFor("> ")
      terminal.type(key)
    }
    let atTitle = try await add(["--category", "news", "--collection", "weekend", "--pick", "1"]) {
      terminal in
      try await terminal.waitFor("to stop: ")
      terminal.type(key)
    }
    let atFeed = try await add(["--category", "news"]) { terminal in
      try await terminal.waitFor("> ")
      terminal.type(key)
    }
    for stopped in [atCategory, atTitle, atFeed] {
      #expect(stopped.status == 1, "\(stopped.shown)")
      #expect(stopped.files.keys.sorted() == ["categories.json"])
      #expect(stopped.shown.contains("Cancelled. Nothing was written."), "\(stopped.shown)")
    }
  }

  @Test("a wrong tag is refused before anything is asked, and a plain yes takes the proposed title")
  func proposal() async throws {
    let refused = try await add(["--collection", "best-weekends", "--tag", "Up"]) { _ in }
    #expect(refused.status == 64 && !refused.shown.contains("Which"), "\(refused.shown)")
    let added = try await add(["--category", "art", "--collection", "best-weekends", "--pick", "1"]) {
      terminal in
      try await terminal.waitFor("Make it as 'Best Weekends'?")
      terminal.type("y\n")
    }
    #expect(
      added.files["collections/best-weekends.json"]?.contains("\"Best Weekends\"") == true, "\(added.shown)")
  }

  @Test("with --no-input it asks nothing")
  func noInput() async throws {
    let refused = try await add(["--no-input"]) { _ in }
    #expect(refused.status == 64 && refused.shown.contains("the feed needs a category"))
    #expect(!refused.shown.contains("Which category?"))
  }
}

extension Terminal {
  /// Waits until a text was shown so many times.
  fileprivate func waitFor(_ text: String, times: Int) async throws {
    let end = ContinuousClock.now + .seconds(300)
    while shown.components(separatedBy: text).count <= times {
      guard ContinuousClock.now < end else { throw Unavailable() }
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}

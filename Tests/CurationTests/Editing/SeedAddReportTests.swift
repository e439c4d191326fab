import Catalog
import CloudKitModel
import Curation
import Diagnostics
import HTTPTransport
import Testing

/// What `seed add` says about the feed that it took.
@Suite struct SeedAddReportTests {
  /// 2026-11-23.
  private let now = Timestamp(milliseconds: 1_795_392_000_000)

  private func add(_ web: MemoryWeb, pick: Int? = nil) async throws -> PlainReport {
    let seeds = try ScratchSeeds()
    var workspace = try seeds.workspace()
    let finder = FeedFinder(transport: web, addresses: .any, catalog: workspace.catalog, now: now)
    let addition = FeedAddition(category: "arts", collections: [], tags: [], file: nil, pick: pick)
    try addition.check(workspace)
    let added = try addition.add(try await finder.find("site.example"), to: &workspace)
    return [added].report(workspace, isDryRun: false, now: now)
  }

  private func page(_ links: [(String, String)]) -> String {
    let head = links.map {
      "<link rel=\"alternate\" type=\"application/rss+xml\" href=\"\($0.0)\" title=\"\($0.1)\">"
    }.joined()
    return "<html lang=\"en\"><head><title>Site</title>\(head)</head><body></body></html>"
  }

  @Test("title, address, format, items, newest date and language are printed, and what else was found")
  func facts() async throws {
    var web = MemoryWeb()
    web.page(
      "https://site.example/", page([("/feed", "Articles"), ("/comments/feed", "Comments"), ("/rss", "")]))
    for path in ["feed", "rss"] {
      web.feed("https://site.example/\(path)", SampleFeed.rss(title: "Site News", language: "en"))
    }
    web.feed(
      "https://site.example/comments/feed",
      SampleFeed.rss(title: "Comments on Site News", items: ["x"], language: "en"))
    let report = try await add(web)
    let lines = report.text(.plain).description.split(separator: "\n")
    #expect(lines[0] == "Site News  rss2.0, 3 items, newest 2026-11-20, en")
    #expect(lines[1] == "  https://site.example/feed")
    #expect(
      lines[2].hasPrefix(
        "  also found: 2. Comments on Site News  rss2.0, 1 item, newest 2026-11-20, en, comments  "))
    #expect(lines[3].hasSuffix(", en, the same items  https://site.example/rss"))
    #expect(report.notes.isEmpty)
    let added = report.json["added"]?.array?.first
    #expect(added?["feed"]?["feedURL"] == "https://site.example/feed" && added?["others"]?.array?.count == 2)
  }

  @Test("comments, a year without news and an uncertain language are warned of")
  func warnings() async throws {
    var web = MemoryWeb()
    web.page("https://site.example/", page([("/comments/feed", "Comments")]))
    web.feed(
      "https://site.example/comments/feed",
      SampleFeed.rss(title: "Comments on Site", language: "en").replacing("2026", with: "2015"))
    #expect(try await add(web).notes.map(\.code) == ["CU0503", "CU0502"])
    #expect(try await !add(web).isConfirmation)
    var unspoken = MemoryWeb()
    unspoken.page("https://site.example/", page([("/feed", "")]).replacing(" lang=\"en\"", with: ""))
    unspoken.feed("https://site.example/feed", SampleFeed.rss(title: "Site"))
    #expect(try await add(unspoken).notes.map(\.code) == ["CU0504"])
  }

  @Test("an import names the feeds of a page that it did not take, and warns of comments as well")
  func imported() async throws {
    func findings(_ links: [(String, String)]) async throws -> [Diagnostic] {
      var web = MemoryWeb()
      web.page("https://site.example/", page(links))
      for (path, title) in links {
        let items = [String(path.dropFirst())]
        web.feed("https://site.example\(path)", SampleFeed.rss(title: title, items: items, language: "en"))
      }
      let seeds = try ScratchSeeds()
      var workspace = try seeds.workspace()
      let text =
        "<opml version=\"2.0\"><body><outline text=\"Site\" htmlUrl=\"https://site.example/\"/></body></opml>"
      let file = OPMLFile(name: "f.opml", Array(text.utf8))
      var run = OPMLImport(file, catalog: workspace.catalog, mapping: .auto, fallback: "arts")
      let finder = FeedFinder(transport: web, addresses: .any, catalog: workspace.catalog, now: now)
      try await run.add(file.entries, to: &workspace, finder: finder)
      #expect(run.counts.new == 1)
      return run.diagnostics
    }
    let several = try await findings([("/news", "News"), ("/photos", "Photos"), ("/links", "Links")])
    #expect(several.map(\.code) == ["CU0202"])
    let said = try #require(several.first)
    #expect(said.message.hasSuffix("https://site.example/news from https://site.example/, which has 3 feeds"))
    #expect(said.help?.contains("https://site.example/photos; Links  rss2.0, 1 item") == true)
    #expect(try await findings([("/news", "News")]).isEmpty)
    #expect(try await findings([("/comments/feed", "Comments")]).map(\.code) == ["CU0503"])
  }

  @Test("a slug that is made of the host is noted, also with the entry that feed find prints")
  func slugOfHost() async throws {
    var web = MemoryWeb()
    web.feed("https://site.example/", SampleFeed.rss(title: "новости", language: "ru"))
    let finder = FeedFinder(transport: web, addresses: .any, catalog: SeedCatalog(), now: now)
    let found = FeedSearchReport(
      [try await finder.find("site.example")], catalog: SeedCatalog(), explains: false)
    #expect(found.json["inputs"]?.array?.first?["seed"]?["slug"] == "site-example")
    #expect(found.notes.map(\.code) == ["CU0301"])
    #expect(try await add(web).notes == found.notes)
  }

  @Test("a category that does not exist is refused with the list of those that do")
  func categories() throws {
    let workspace = try ScratchSeeds().workspace()
    let addition = FeedAddition(category: "artz", collections: [], tags: [], file: nil, pick: nil)
    let failure = #expect(throws: CommandFailure.self) { try addition.check(workspace) }
    #expect(failure?.details == ["technology  Technology", "arts  Arts & Letters"])
    #expect(failure?.hint == "Did you mean 'arts'?")
  }

  @Test("a new collection is made when it has a title, and is an error without one")
  func collection() async throws {
    let seeds = try ScratchSeeds()
    var workspace = try seeds.workspace()
    var web = MemoryWeb()
    web.feed("https://site.example/", SampleFeed.rss(title: "Site", language: "en"))
    let finder = FeedFinder(transport: web, addresses: .any, catalog: workspace.catalog, now: now)
    let refused = FeedAddition(category: "arts", collections: ["daily"], tags: [], file: nil, pick: nil)
    #expect(throws: CommandFailure.self) { try refused.check(workspace) }
    let addition = FeedAddition(
      category: "arts", collections: ["daily"], newCollections: ["daily": "Daily"], tags: [], file: nil,
      pick: nil)
    try addition.check(workspace)
    try addition.add(try await finder.find("site.example"), to: &workspace)
    try workspace.write()
    let made = try #require(seeds.catalog?.collections.first { $0.slug == "daily" })
    #expect(made.title == "Daily" && made.feeds == ["site"])
  }
}

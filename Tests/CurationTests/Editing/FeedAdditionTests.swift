import Catalog
import Diagnostics
import FeedParsing
import Testing

@testable import Curation

@Suite("Adding found feeds") struct FeedAdditionTests {
  private func found(
    _ name: String, origin: FeedOrigin = .linkElement, _ change: (inout FoundFeed) -> Void = { _ in }
  ) -> FoundFeed {
    let url = "https://site.example/\(name)"
    var feed = FoundFeed(
      feedURL: url, trail: [url], origin: origin,
      feed: FeedParser.parse(Array(SampleFeed.rss(title: "Title \(name)", items: [name]).utf8)),
      linkTitle: nil, language: nil)
    change(&feed)
    return feed
  }

  private func result(_ feeds: [FoundFeed], problem: String? = nil) -> FeedSearchResult {
    var result = FeedSearchResult(input: "site.example")
    result.feeds = feeds
    result.problem = problem
    return result
  }

  private func addition(
    category: String = "arts", collections: [String] = [], new: [String: String] = [:], tags: [String] = [],
    file: String? = nil,
    pick: Int? = nil
  ) -> FeedAddition {
    FeedAddition(
      category: category, collections: collections, newCollections: new, tags: tags, file: file, pick: pick)
  }

  @Test(
    "the options are checked before anything is searched",
    arguments: [
      ("arts", ["best"], ["a"], nil, nil), ("artz", [], [], nil, "there is no category 'artz'"),
      ("arts", ["new"], [], nil, nil),
      ("arts", ["bets"], [], nil, "there is no collection 'bets'"),
      ("arts", [], ["A"], nil, "the tag 'A' is not in lower case"),
      ("arts", [], [], "feeds/x.json", nil), ("arts", [], [], "FOLDER/feeds/x.json", nil),
      ("arts", [], [], "x.json", "--file takes a file of the seed folder: feeds/NAME.json, not 'x.json'"),
      (
        "arts", [], [], "feeds/x.txt",
        "--file takes a file of the seed folder: feeds/NAME.json, not 'feeds/x.txt'"
      ),
      (
        "arts", [], [], "feeds/a/x.json",
        "--file takes a file of the seed folder: feeds/NAME.json, not 'feeds/a/x.json'"
      ),
      (
        "arts", [], [], "feeds/.x.json",
        "--file takes a file of the seed folder: feeds/NAME.json, not 'feeds/.x.json'"
      ),
    ] as [(String, [String], [String], String?, String?)])
  func options(
    _ category: String, _ collections: [String], _ tags: [String], _ file: String?, _ message: String?
  ) throws {
    let seeds = try ScratchSeeds()
    let workspace = try seeds.workspace()
    let addition = addition(
      category: category, collections: collections, new: ["new": "New"], tags: tags,
      file: file?.replacing("FOLDER", with: seeds.path))
    do throws(CommandFailure) {
      try addition.check(workspace)
      #expect(message == nil)
    } catch { #expect(error.message == message) }
  }

  @Test("one feed is added by itself, one of several needs its number, and copies are no choice")
  func choices() throws {
    func added(_ feeds: [FoundFeed], pick: Int? = nil) throws -> String {
      var workspace = try ScratchSeeds().workspace()
      do throws(CommandFailure) {
        return try addition(pick: pick).add(result(feeds), to: &workspace).entry.slug
      } catch { return error.message }
    }
    let twin = found("twin") { $0.twinOf = "https://site.example/a" }
    let comments = found("comments") { $0.isCommentsFeed = true }
    #expect(try added([found("a")]) == "title-a")
    #expect(try added([found("a"), twin, comments]) == "title-a")
    #expect(try added([found("a"), found("b")]) == "site.example has 2 feeds; nothing was written")
    #expect(try added([found("a"), found("b")], pick: 2) == "title-b")
    #expect(try added([found("a"), found("b")], pick: 1) == "title-a")
    #expect(try added([found("a"), found("b")], pick: 0) == "--pick takes a number from 1 to 2")
    #expect(try added([found("a"), found("b")], pick: 3) == "--pick takes a number from 1 to 2")
    #expect(try added([comments]) == "title-comments")
    #expect(try added([]) == "no feed was found at site.example; nothing was written")
  }

  @Test("a feed that the catalog has is refused, and a likely one unless it is picked")
  func known() throws {
    func isRefused(_ level: MatchingCatalogFeed.Level, pick: Int?) throws -> Bool {
      var workspace = try ScratchSeeds().workspace()
      let feed = found("a") { $0.known = MatchingCatalogFeed(slug: "six", level: level) }
      do throws(CommandFailure) {
        try addition(pick: pick).add(result([feed]), to: &workspace)
        return false
      } catch {
        #expect((error.hint != nil) == (level == .likely))
        return true
      }
    }
    #expect(try isRefused(.same, pick: 1))
    #expect(try isRefused(.proven, pick: 1))
    #expect(try isRefused(.likely, pick: nil))
    #expect(try !isRefused(.likely, pick: 1))
  }

  @Test("an entry has the feed's title, site, subtitle and language as the catalog takes them")
  func entries() {
    func entry(_ origin: FeedOrigin, site: String?, about: String?, language: String? = nil) -> SeedFeed {
      var feed = found("a", origin: origin)
      var parsed = feed.feed
      (parsed.siteURL, parsed.description) = (site, about)
      feed = FoundFeed(
        feedURL: feed.feedURL, trail: [], origin: origin, feed: parsed, linkTitle: nil, language: language)
      var result = result([feed])
      result.page = "https://page.example/"
      result.imageURL = "https://site.example/a b.png"
      return SeedFeed(feed, of: result, taken: ["title-a"])
    }
    let full = entry(.linkElement, site: "https://own.example/", about: "<b>About</b> it", language: "pt-BR")
    #expect(full.slug == "title-a-2" && full.title == "Title a" && full.siteURL == "https://own.example/")
    #expect(
      full.subtitle == "About it" && full.values["language"]?.string == "pt"
        && full.imageURL == "https://site.example/a%20b.png")
    #expect(entry(.anchor, site: nil, about: "Title a").siteURL == "https://page.example/")
    #expect(entry(.anchor, site: nil, about: "Title a").subtitle == nil)
    #expect(entry(.anchor, site: "mailto:x", about: "").subtitle == nil)
    #expect(entry(.input, site: nil, about: nil).siteURL == nil)
    #expect(entry(.siteRule, site: nil, about: nil).siteURL == nil)
    #expect(entry(.guess, site: nil, about: nil, language: "xx").values["language"] == nil)
    let long = entry(.guess, site: nil, about: String(repeating: "a", count: 201)).subtitle
    #expect(long == String(repeating: "a", count: 199) + "…")
    #expect(entry(.guess, site: nil, about: String(repeating: "a", count: 200)).subtitle?.count == 200)
  }

  @Test("tags are written once each, and collections get the feed")
  func collections() throws {
    let seeds = try ScratchSeeds()
    var workspace = try seeds.workspace()
    try addition(collections: ["best", "new"], new: ["new": "New"], tags: ["x", "y", "x"]).add(
      result([found("a")]), to: &workspace)
    try workspace.write()
    let catalog = try #require(seeds.catalog)
    #expect(catalog.feeds.first { $0.slug == "title-a" }?.tags == ["x", "y"])
    #expect(
      catalog.collections.map { [$0.slug] + $0.feeds } == [["best", "six", "title-a"], ["new", "title-a"]])
  }
}

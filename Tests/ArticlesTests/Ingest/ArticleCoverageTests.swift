import CloudKitModel
import FeedFetching
import FeedParsing
import FeedState
import Testing

@testable import Articles

@Suite struct ArticleCoverageTests {
  private let options = ArticleOptions()
  private let validators = FeedValidators(etag: "\"x\"", lastModified: "y")
  private static let digests = ["aaaaaaaaaa", "bbbbbbbbbb", "cccccccccc"].map(digest)

  private static func digest(_ text: String) -> ItemDigest { ItemDigest(whole: text, lasting: text) }

  private func coverage(_ items: String, body: String = "body") -> ArticleCoverage {
    ArticleCoverage(validators, items: items, counts: ArticleCounts(), body: body, facts: nil, options)
  }

  @Test(
    "a document is covered by its bytes, its validators or its items, under the same rules, level and lifetime"
  )
  func covering() {
    let items = Self.digests.map(\.whole).joined()
    for (text, isCurrent) in [
      ("2;excerpt;7776000", true), ("1;excerpt;7776000", false), ("2;full;7776000", false),
      ("0;excerpt;7776000", false), ("2;excerpt;7775999", false), ("2;excerpt;77760000", false),
      ("2;excerpt;777600", false), ("2;excerpt;", false),
    ] {
      let value = "\(text);bd22b4b6c96f5912;0,0,0,0;body;;\(items)"
      let stored = ArticleCoverage(value)
      #expect(stored?.covers(body: "body", options) == isCurrent)
      #expect(ArticleCoverage.covers(validators, options, in: value) == isCurrent)
      #expect(stored?.covers(Self.digests, options) == isCurrent)
      let isKnown = isCurrent || text.hasSuffix("2;excerpt;77760000")
      #expect(stored?.knownItems(options) == (isKnown ? Set(Self.digests.map { $0.whole[...] }) : []))
    }
    let stored = coverage(items)
    #expect(!stored.covers(body: "other", options))
    var explained = options
    explained.explains = true
    #expect(!stored.covers(body: "body", explained) && !stored.covers(Self.digests, explained))
    #expect(stored.knownItems(explained).count == 3)
    #expect(ArticleCoverage.covers(validators, explained, in: stored.text))
    #expect(!ArticleCoverage.covers(FeedValidators(etag: "\"x\""), options, in: stored.text))
    #expect(!ArticleCoverage.covers(FeedValidators(), options, in: stored.text))
    #expect(!ArticleCoverage.covers(validators, options, in: nil))
  }

  @Test(
    "items are covered when all of them are the same in the same order; a skipped one has lost its first digit"
  )
  func items() {
    let skipped = "aaaaaaaaaa-bbbbbbbbbcccccccccc"
    #expect(ArticleCoverage.joined(Self.digests, skipped: [false, true, false]) == skipped)
    #expect(ArticleCoverage.joined([], skipped: []) == "")
    #expect(coverage(skipped).covers(Self.digests, options))
    #expect(coverage("").covers([], options) && !coverage("").covers([Self.digests[0]], options))
    for other in [
      ["aaaaaaaaaa", "bbbbbbbbbb"], ["aaaaaaaaaa", "bbbbbbbbbb", "cccccccccc", "dddddddddd"],
      ["aaaaaaaaaa", "bbbbbbbbbx", "cccccccccc"],
      ["aaaaaaaaax", "bbbbbbbbbb", "cccccccccc"], ["bbbbbbbbbb", "aaaaaaaaaa", "cccccccccc"],
      ["xaaaaaaaaa", "bbbbbbbbbb", "cccccccccc"],
    ] {
      #expect(!coverage(skipped).covers(other.map(Self.digest), options), "\(other)")
    }
    #expect(
      coverage(skipped).covers(["aaaaaaaaaa", "xbbbbbbbbb", "cccccccccc"].map(Self.digest), options))
    #expect(coverage(skipped).knownItems(options) == ["aaaaaaaaaa", "-bbbbbbbbb", "cccccccccc"])
  }

  @Test("an uncovered document has a level, and nothing that a document could have")
  func uncovered() throws {
    #expect(ArticleCoverage.uncovered(content: "full") == "2;full;;;;;;")
    let text = ArticleCoverage.uncovered(content: "excerpt")
    let nothing = try #require(ArticleCoverage(text))
    #expect(!nothing.isOtherLevel(options) && nothing.isOtherLevel(ArticleOptions(content: .full)))
    #expect(!nothing.covers(body: "", options) && !nothing.covers([], options))
    #expect(nothing.knownItems(options).isEmpty)
    #expect(!ArticleCoverage.covers(FeedValidators(), options, in: text))
  }

  @Test("of more than 1,000 items one digest is kept for all")
  func manyItems() {
    let most = Array(repeating: Self.digest("0123456789"), count: 1000)
    let more = most + most.prefix(1)
    #expect(ArticleCoverage.joined(most, skipped: most.map { _ in false }).utf8.count == 10_000)
    let digest = ArticleCoverage.joined(more, skipped: more.map { _ in true })
    #expect(digest.utf8.count == 10)
    #expect(coverage(digest).covers(more, options) && !coverage(digest).covers(more + more, options))
    let all = coverage(String(repeating: "0123456789", count: 1000))
    #expect(all.covers(most, options) && !all.covers(more, options))
  }

  @Test("an item's digest changes with everything that an article is made of")
  func digest() {
    func digest(_ body: String) -> String {
      var limits = FeedLimits()
      limits.keepsArticles = true
      let names = "xmlns:content='http://purl.org/rss/1.0/modules/content/'"
      let items = FeedParser.parse(
        "<rss version='2.0' \(names)><channel><item>\(body)</item></channel></rss>".utf8, limits: limits
      )
      .items
      return items.first.map { ArticleCoverage.digest(of: $0) } ?? "none"
    }
    let bodies = [
      "<guid>1</guid>", "<guid>2</guid>", "<guid>1</guid><title>T</title>", "<guid>1</guid><link>T</link>",
      "<guid>1</guid><author>T</author>", "<guid>1</guid><description>T</description>",
      "<guid>1</guid><content:encoded>T</content:encoded>", "<guid>1</guid><pubDate>2026-01-01</pubDate>",
      "<guid>1</guid><pubDate>2026-01-02</pubDate>",
    ]
    #expect(Set(bodies.map(digest)).count == bodies.count)
    #expect(bodies.allSatisfy { digest($0).utf8.count == 10 && digest($0) == digest($0) })
    let dated = "<guid>1</guid><pubDate>2026-01-01</pubDate>"
    #expect(digest(dated) == digest("<guid>1</guid><updated>2026-01-01</updated>"))
    #expect(digest(dated) == digest(dated + "<updated>2026-01-05</updated>"))
  }

  private func state(_ change: (inout FeedMetadata) -> Void) -> FeedMetadata {
    var state = FeedMetadata(feed: "a")
    (state.etag, state.lastModified) = ("\"x\"", "y")
    change(&state)
    return state
  }

  @Test("a state names the document when it is complete; without the field the validators do")
  func recording() {
    let previous = state { $0.etag = "\"old\"" }
    for isComplete in [true, false] {
      let stored = StoredDocument(isComplete: isComplete, itemsDigest: "items", bodyDigest: "body")
      var next = state { $0.articlesValidator = "before" }
      stored.record(in: &next, after: previous, keepsCoverage: true, options)
      #expect(
        next.articlesValidator
          == (isComplete ? "2;excerpt;7776000;bd22b4b6c96f5912;0,0,0,0;body;;items" : "2;excerpt;;;;;;"))
      #expect(next.etag == "\"x\"")
      next = state { _ in }
      stored.record(in: &next, after: previous, keepsCoverage: false, options)
      #expect(next.articlesValidator == nil)
      #expect(next.etag == (isComplete ? "\"x\"" : "\"old\"") && next.lastModified == "y")
    }
  }

  @Test("a state keeps the level of its articles until all of them are written at another one")
  func level() {
    for (isComplete, isWritten, former, level) in [
      (true, true, "excerpt", "full"), (false, true, "excerpt", "full"), (false, false, "excerpt", "excerpt"),
      (false, false, "full", "full"), (false, false, nil, "full"),
    ] as [(Bool, Bool, String?, String)] {
      let stored = StoredDocument(
        isComplete: isComplete, isWritten: isWritten, itemsDigest: "", bodyDigest: "")
      let previous = state { $0.articlesValidator = former.map { "2;\($0);;;;;;" } }
      var next = previous
      stored.record(in: &next, after: previous, keepsCoverage: true, ArticleOptions(content: .full))
      #expect(next.articlesValidator?.hasPrefix("2;\(level);") == true)
    }
  }

  @Test("500 items without a date are remembered, the newest first and each once")
  func undated() {
    var stored = StoredDocument(isComplete: true, itemsDigest: "", bodyDigest: "")
    stored.undated = [1, 2]
    var next = state { $0.undatedItems = [2, 3] }
    stored.record(in: &next, after: next, keepsCoverage: true, options)
    #expect(next.undatedItems == [1, 2, 3])
    next.undatedItems = Array(3...501)
    stored.record(in: &next, after: next, keepsCoverage: true, options)
    #expect(next.undatedItems == [1, 2] + (3...500))
  }

  @Test("nothing is to be recorded of a complete document that is repeated with the same validators")
  func recorded() {
    for (isComplete, isRepeated, etag, expected) in [
      (true, true, "\"x\"", true), (false, true, "\"x\"", false), (true, false, "\"x\"", false),
      (true, true, "\"z\"", false),
    ] {
      let stored = StoredDocument(
        isComplete: isComplete, itemsDigest: "", bodyDigest: "", isRepeated: isRepeated)
      #expect(stored.isRecorded(in: state { $0.etag = etag }, after: state { _ in }) == expected)
    }
    #expect(!StoredDocument(isComplete: true, itemsDigest: "", bodyDigest: "").isRepeated)
  }

  @Test(
    "the validators of a covered document are sent; without the field, those that are shared with another program"
  )
  func sent() {
    let covered = "2;excerpt;7776000;bd22b4b6c96f5912;0,0,0,0;body;;items"
    for (coverage, keeps, mapping, isSent) in [
      (covered, true, .celestra, true), (nil, true, .celestra, false),
      (covered.replacing("excerpt", with: "full"), true, .celestra, false),
      (covered.replacing("bd", with: "cd"), true, .celestra, false), (nil, false, .celestra, false),
      (nil, false, .celestraCloud, true),
      (nil, true, .celestraCloud, false), (covered, false, .celestra, true),
    ] as [(String?, Bool, ArticleRecordMapping, Bool)] {
      let sent = ArticleOptions(mapping: mapping).validators(
        of: state { $0.articlesValidator = coverage }, keepsCoverage: keeps)
      #expect(sent == (isSent ? validators : FeedValidators()))
    }
  }

  @Test("a 304 with renewed validators keeps what is covered")
  func notModified() {
    let covered = "2;excerpt;7776000;bd22b4b6c96f5912;0,0,0,0;body;;items"
    func next(_ etag: String, _ coverage: String?) -> String? {
      var next = state {
        $0.etag = etag
        $0.articlesValidator = "as before"
      }
      options.recordNotModified(in: &next, after: state { $0.articlesValidator = coverage })
      return next.articlesValidator
    }
    let renewed = next("\"z\"", covered)
    #expect(
      renewed?.hasPrefix("2;excerpt;7776000;") == true && renewed?.hasSuffix(";0,0,0,0;body;;items") == true
        && renewed != covered)
    #expect(next("\"x\"", covered) == "as before" && next("\"z\"", nil) == "as before")
    #expect(next("\"z\"", covered.replacing("bd", with: "cd")) == "as before")
  }
}

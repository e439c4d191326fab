import Diagnostics
import Testing

@testable import FeedParsing

@Suite struct JSONFeedTests {
  private func parse(_ text: String, _ change: (inout FeedLimits) -> Void = { _ in }) -> ParsedFeed {
    var limits = FeedLimits()
    limits.keepsArticles = true
    change(&limits)
    return FeedParser.parse(text.utf8, baseURL: "http://e.org/feed", limits: limits)
  }

  private func feed(_ members: String, _ change: (inout FeedLimits) -> Void = { _ in }) -> ParsedFeed {
    parse("{\"version\":\"https://jsonfeed.org/version/1.1\",\(members)}", change)
  }

  private func item(_ members: String, _ change: (inout FeedLimits) -> Void = { _ in }) -> FeedItem? {
    feed("\"items\":[{\(members)}]", change).items.first
  }

  @Test(
    "the version is an address, or a bare number beside a list of items",
    arguments: [
      ("\"https://jsonfeed.org/version/1\"", "", .jsonFeed10, true),
      ("\"https://jsonfeed.org/version/1.1\"", "", .jsonFeed11, true),
      ("\"1.1\"", ",\"items\":[]", .jsonFeed11, false), ("\"1\"", ",\"items\":[]", .jsonFeed10, false),
      ("\"1\"", "", .unknown, false),
      ("\"2\"", ",\"items\":[]", .unknown, false), ("1", ",\"items\":[]", .unknown, false),
      ("\"https://jsonfeed.org/version/2\"", ",\"items\":[]", .unknown, false),
    ] as [(String, String, FeedFormat, Bool)])
  func versions(version: String, more: String, format: FeedFormat, isDeclared: Bool) {
    let feed = parse("{\"version\":\(version)\(more.isEmpty ? "" : more)}")
    #expect(feed.format == format)
    let hasItems = !more.isEmpty
    #expect(feed.wellFormed == (isDeclared && hasItems))
    #expect(feed.recovered == (format != .unknown && !(isDeclared && hasItems)))
  }

  @Test("what a feed says about itself")
  func members() {
    let whole = feed(
      """
      "title":" T ","home_page_url":"/h","feed_url":"/f","description":"D","language":"de","expired":true,"icon":"/i",
      "favicon":"/j","items":[]
      """)
    #expect(whole.title == "T" && whole.siteURL == "http://e.org/h" && whole.feedURL == "http://e.org/f")
    #expect(
      whole.description == "D" && whole.language == "de" && whole.isExpired
        && whole.imageURL == "http://e.org/i")
    #expect(whole.wellFormed && !whole.recovered && whole.diagnostics.isEmpty)
    #expect(feed("\"favicon\":\"/j\",\"items\":[]").imageURL == "http://e.org/j")
    #expect(
      !feed("\"expired\":false,\"items\":[]").isExpired && !feed("\"expired\":1,\"items\":[]").isExpired)
  }

  @Test("a feed without a list of items is reported, and so is an item that is none")
  func shapes() {
    for (members, words) in [
      ("\"title\":\"T\"", "'items' is missing, not a list"),
      ("\"items\":{}", "'items' is an object, not a list"),
      ("\"items\":[1]", "an item is a number, not an object"),
    ] {
      let feed = feed(members)
      #expect(feed.diagnostics.map(\.message) == [words])
      #expect(feed.items.isEmpty)
    }
  }

  @Test("items beyond the limit are counted")
  func itemLimit() {
    func items(_ count: Int) -> ParsedFeed {
      feed("\"items\":[\((1...count).map { "{\"id\":\"\($0)\"}" }.joined(separator: ","))]") { $0.items = 2 }
    }
    #expect(items(2).items.map(\.id) == ["1", "2"] && items(2).diagnostics.isEmpty)
    #expect(items(4).items.map(\.id) == ["1", "2"])
    #expect(items(3).diagnostics.map(\.message) == ["1 items after the first 2 were not kept"])
    #expect(items(4).diagnostics.map(\.message) == ["2 items after the first 2 were not kept"])
  }

  @Test(
    "an id is a text or a number, else the link, else a hash",
    arguments: [
      ("\"id\":\" a \"", "a", true), ("\"id\":5", "5", true), ("\"id\":1.5", "1.5", true),
      ("\"id\":18446744073709551615", "18446744073709551615", true),
      ("\"id\":18446744073709551614", "18446744073709551614", true), ("\"id\":1e3", "1e3", true),
      ("\"id\":\"\",\"url\":\"/u\"", "http://e.org/u", false),
      ("\"id\":true,\"url\":\"/u\"", "http://e.org/u", false), ("\"id\":\"a\",\"url\":\"/u\"", "a", true),
      ("\"external_url\":\"/x\"", "http://e.org/x", false),
    ])
  func ids(members: String, expected: String, isDeclared: Bool) {
    #expect(item(members)?.id == expected && item(members)?.idIsDeclared == isDeclared)
  }

  @Test("a hash depends on the title, the summary and the first file")
  func hashes() {
    let variants = [
      "\"title\":\"a\"", "\"title\":\"b\"", "\"summary\":\"a\"", "\"attachments\":[{\"url\":\"/a\"}]",
      "\"attachments\":[{\"url\":\"/b\"}]",
      "\"title\":\"a\",\"summary\":\"a\"",
    ]
    #expect(Set(variants.compactMap { item($0)?.id }).count == variants.count)
    #expect(item(variants[0])?.id == item(variants[0])?.id)
    #expect(
      item("\"attachments\":[{\"url\":\"/a\"},{\"url\":\"/b\"}]")?.id
        == item("\"attachments\":[{\"url\":\"/a\"}]")?.id)
  }

  @Test("the content is HTML, else text, else the summary")
  func contents() {
    for (members, length, content, isPlain) in [
      ("\"content_html\":\"abc\",\"content_text\":\"d\",\"summary\":\"ef\"", 3, "abc", false),
      ("\"content_text\":\"d\",\"summary\":\"ef\"", 1, "d", true), ("\"summary\":\"ef\"", 2, nil, true),
      ("\"title\":\"t\"", 0, nil, true),
      ("\"content_html\":\" \",\"content_text\":\"d\"", 0, "d", true),
    ] as [(String, Int, String?, Bool)] {
      let item = item(members)
      #expect(
        item?.contentLength == length && item?.content == content && item?.contentIsPlain == isPlain,
        "\(members)")
      #expect(item?.summaryIsPlain == true)
      let short = self.item(members) {
        $0.keepsArticles = false
        $0.keepsSummaries = false
      }
      #expect(short?.contentLength == length && short?.content == nil && short?.summary == nil)
    }
  }

  @Test("an item has its first file, and 64 tags at most; those without an address or a text do not count")
  func listLimits() {
    for (count, expected) in [(1, 1), (64, 64), (65, 64)] {
      let files = (1...count).map { "{\"url\":\"/\($0)\",\"mime_type\":\"t\"}" }
        .joined(separator: ",")
      let tags = (1...count).map { "\"\($0)\"" }.joined(separator: ",")
      let item = item("\"attachments\":[{},\(files)],\"tags\":[1,\" \",\(tags)]")
      #expect(item?.enclosure == "http://e.org/1")
      #expect(item?.categories == (1...expected).map { "\($0)" }, "\(count)")
    }
  }

  @Test(
    "authors are read in any shape; all but a list of objects, or one object as author, is a finding",
    arguments: [
      (#""authors":[{"name":"A"},{"name":"B"}]"#, "A, B", false), (#""author":{"name":"A"}"#, "A", false),
      (#""authors":{"name":"A"}"#, "A", true), (#""authors":"A""#, "A", true),
      (#""authors":["A","B"]"#, "A, B", true),
      (#""author":"A""#, "A", true), (#""author":[{"name":"A"},"B"]"#, "A, B", true),
      (#""authors":[{"author":{"name":"A"}}]"#, "A", true),
      (#""authors":[],"author":{"name":"A"}"#, "A", false),
      (#""authors":[{"name":"A"},{"url":"http://e"},{"name":"A"}]"#, "A", false),
      (#""authors":7"#, nil, true),
      (#""authors":[{"name":"a@s.example"}]"#, nil, false), (#""authors":[[["A"]]]"#, "A", true),
      (#""authors":{"1":{"name":["A","B"]}}"#, "A, B", true),
      (#""authors":[{"last_name":"L","first":"F"},{"givenName":"G"}]"#, "F L, G", true),
      (#""authors":{"name":{"first":"a@s.example","last":"L"}}"#, "L", true),
      (#""authors":null"#, "F", false), (#""authors":[]"#, "F", false), (#""title":"t""#, "F", false),
    ] as [(String, String?, Bool)])
  func authors(members: String, expected: String?, isOdd: Bool) {
    let feed = feed("\"authors\":[{\"name\":\"F\"}],\"items\":[{\"id\":\"1\",\(members)}]")
    #expect(feed.items.first?.author == expected)
    #expect(feed.diagnostics.map(\.code).contains(FeedRule.jsonShape.code) == isOdd)
  }

  @Test("a feed's authors of 256 bytes at most are inherited")
  func inheritedAuthors() {
    for (length, isInherited) in [(256, true), (257, false)] {
      let name = String(repeating: "a", count: length)
      let feed = feed("\"author\":\"\(name)\",\"items\":[{\"id\":\"1\"}]")
      #expect(feed.items.map(\.author) == [isInherited ? name : nil], "\(length)")
    }
  }

  @Test("pictures, dates and texts have their places and limits")
  func others() {
    #expect(item("\"image\":\"/i\",\"banner_image\":\"/b\"")?.imageURL == "http://e.org/i")
    #expect(item("\"banner_image\":\"/b\"")?.imageURL == "http://e.org/b")
    let dated = item("\"date_published\":\"2026-01-01\",\"date_modified\":\"2026-01-02\"")
    #expect(
      dated?.published?.iso8601 == "2026-01-01T00:00:00Z" && dated?.updated?.iso8601 == "2026-01-02T00:00:00Z"
    )
    #expect(
      feed("\"items\":[{\"id\":\"1\",\"date_published\":\"soon\"}]").diagnostics.map(\.message) == [
        "'soon' is not a date"
      ])
    for (title, isCut) in [
      (String(repeating: "a", count: 40), false), (String(repeating: "a", count: 41), true),
    ] {
      let feed = feed("\"items\":[{\"id\":\"1\",\"title\":\"\(title)\"}]") { $0.text = 40 }
      #expect(feed.items.map(\.title) == [String(title.prefix(40))])
      #expect(feed.diagnostics.map(\.code) == (isCut ? [FeedRule.textTruncated.code] : []))
    }
  }

  @Test("arrays and objects are nested as deep as the limit")
  func depth() {
    for (depth, isWhole) in [(6, true), (5, false)] {
      let feed = feed("\"items\":[{\"id\":\"1\",\"x\":[[[1]]]}]") { $0.jsonDepth = depth }
      #expect(feed.wellFormed == isWhole, "\(depth)")
      #expect(feed.diagnostics.contains { $0.code == FeedRule.tooDeep.code } == !isWhole)
    }
  }

  @Test("the printed object has the items, separated, and the findings")
  func printed() {
    for (members, expected) in [
      ("\"items\":[]", "\"items\":[],\"diagnostics\":[]}"),
      ("\"items\":[{\"id\":\"1\"}]", "\"items\":[{\"id\":\"1\",\"contentLength\":0}],\"diagnostics\":[]}"),
      (
        "\"items\":[{\"id\":\"1\"},{\"id\":\"2\"}]",
        "\"items\":[{\"id\":\"1\",\"contentLength\":0},{\"id\":\"2\",\"contentLength\":0}],\"diagnostics\":[]}"
      ),
    ] {
      var text = ""
      feed(members).writeJSON(input: "i", beside: JSONObject()) { text += $0 }
      #expect(
        text.hasPrefix("{\"input\":\"i\",\"format\":\"jsonfeed1.1\",\"wellFormed\":true,\"recovered\":false,")
      )
      #expect(text.hasSuffix(expected) && !text.contains("expired"), "\(text)")
    }
    var text = ""
    feed("\"expired\":true,\"items\":[]").writeJSON(input: "i", beside: JSONObject()) { text += $0 }
    #expect(text.contains("\"expired\":true"))
  }
}

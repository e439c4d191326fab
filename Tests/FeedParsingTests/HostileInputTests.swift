import Diagnostics
import FeedParsing
import FuzzPromises
import Testing

@Suite struct HostileInputTests {
  private func parse(_ text: String) -> ParsedFeed { FeedParser.parse(Array(text.utf8)) }

  private func codes(_ text: String) -> Set<FeedRule> {
    Set(parse(text).diagnostics.compactMap { FeedRule(rawValue: $0.code) })
  }

  @Test("entities made of entities are never expanded")
  func billionLaughs() {
    let entities = (1..<10).map { level in
      "<!ENTITY l\(level) \"\(String(repeating: "&l\(level - 1);", count: 10))\">"
    }
    let feed = parse(
      "<!DOCTYPE rss [<!ENTITY l0 'lol'>\(entities.joined())]><rss><channel><title>&l9;</title></channel></rss>"
    )
    #expect(feed.diagnostics.contains { $0.code == FeedRule.entityExpansion.code })
    #expect((feed.title ?? "").utf8.count < 100)
  }

  @Test("plain entities expand to a limited amount of text")
  func quadraticEntities() {
    let item = "<item><title>\(String(repeating: "&a;", count: 4000))</title></item>"
    let feed = parse(
      "<!DOCTYPE rss [<!ENTITY a '\(String(repeating: "a", count: 250))'>]><rss><channel>"
        + String(repeating: item, count: 50) + "</channel></rss>")
    #expect(feed.items.compactMap(\.title).map(\.utf8.count).reduce(0, +) < 2 << 20)
    #expect(!feed.wellFormed)
  }

  @Test("external entities are reported and stay empty")
  func externalEntity() {
    let text =
      "<!DOCTYPE rss [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><rss><channel><title>a&x;b</title></channel></rss>"
    #expect(codes(text).contains(.externalDeclaration))
    #expect(parse(text).title?.contains("root") != true)
  }

  @Test("depth, tags, texts and items have limits")
  func bounds() {
    let channel = "<rss version='2.0'><channel>"
    #expect(codes(channel + String(repeating: "<a>", count: 20_000)).contains(.tooDeep))
    let attributes = (0..<20_000).map { "a\($0)='1'" }.joined(separator: " ")
    #expect(codes(channel + "<item \(attributes)/>").contains(.startTagTooLong))
    let long = String(repeating: "x", count: 11_000_000)
    #expect(codes(channel + "<link href='\(long)'/>").contains(.startTagTooLong))
    #expect(
      codes(channel + "<title>\(long.prefix(2_000_000))</title></channel></rss>").contains(.textTruncated))
    let items = String(repeating: "<item><guid>1</guid></item>", count: 30_000)
    let feed = parse(channel + items + "</channel></rss>")
    #expect(feed.items.count == FeedLimits().items)
    #expect(feed.diagnostics.contains { $0.code == FeedRule.tooManyItems.code })
  }

  @Test("an ill-formed feed is recovered and marked")
  func recovered() {
    let feed = parse(
      "<rss version='2.0'><channel><title>A & B\u{1} &nbsp;</title><item><description>x<br>y</description>"
        + "<link>http://e.org/?a=1&b=2</link></item><item><title>last</channel></rss>")
    #expect(!feed.wellFormed && feed.recovered)
    #expect(feed.title == "A & B \u{A0}")
    #expect(feed.items.map(\.url) == ["http://e.org/?a=1&b=2", nil])
    #expect(feed.items.last?.title == "last")
  }

  @Test("JSON of the wrong shape is reported")
  func json() {
    #expect(codes(#"{"version":"https://jsonfeed.org/version/1.1","items":{}}"#).contains(.jsonShape))
    #expect(codes("{\"version\":").contains(.illFormed))
    #expect(codes(String(repeating: "[", count: 200_000)).contains(.notAFeed))
    #expect(codes("").contains(.empty))
  }

  @Test("a thousand mutations of a feed neither crash nor depend on how the bytes arrive")
  func mutations() {
    let seed = Array(
      ("<?xml version='1.0' encoding='utf-8'?><rss version='2.0'><channel><title>T &amp; é</title><item>"
        + "<link href='a'>b</link><![CDATA[x]]><!-- c --><pubDate>Sat, 21 Nov 2026 05:04:03 GMT</pubDate>"
        + "</item></channel></rss>").utf8)
    var state: UInt64 = 20_261_121
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    for _ in 0..<1_000 {
      var bytes = seed
      for _ in 0...next(6) {
        switch next(3) {
        case 0: bytes[next(bytes.count)] = UInt8(next(256))
        case 1:
          bytes.insert(contentsOf: [60, 38, 62, 0, 0xC3, 93].shuffledPrefix(next(6)), at: next(bytes.count))
        default: bytes.removeSubrange(next(bytes.count)...)
        }
        if bytes.isEmpty { bytes = [60] }
      }
      #expect(FeedPromises.broken(by: bytes) == nil)
    }
  }
}

extension [UInt8] {
  /// One element, so that the sequence of mutations is the same in every run.
  fileprivate func shuffledPrefix(_ index: Int) -> [UInt8] { [self[index % count]] }
}

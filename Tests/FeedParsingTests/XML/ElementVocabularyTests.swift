import Testing

@testable import FeedParsing

/// Of several elements that give one value, the better one wins, wherever it stands.
@Suite struct ElementVocabularyTests {
  private static let names = [
    "dc": "http://purl.org/dc/elements/1.1/", "dcterms": "http://purl.org/dc/terms/",
    "itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd", "media": "http://search.yahoo.com/mrss/",
    "content": "http://purl.org/rss/1.0/modules/content/", "a": "http://www.w3.org/2005/Atom",
    "x": "http://www.w3.org/1999/xhtml",
  ].map { "xmlns:\($0)='\($1)'" }.joined(separator: " ")

  private func feed(_ body: String) -> ParsedFeed {
    var limits = FeedLimits()
    limits.keepsArticles = true
    return FeedParser.parse(
      "<rss version='2.0' \(Self.names)><channel>\(body)</channel></rss>".utf8, limits: limits)
  }

  private func item(_ body: String, attributes: String = "") -> FeedItem? {
    feed("<item \(attributes)>\(body)</item>").items.first
  }

  /// Takes two elements of a list at a time, in both orders. In a list the better element comes first, `V` stands for the
  /// value, and a name stands for the element that has the value as its text.
  private func compare(_ list: String, values: [String], _ read: (String) -> String?) {
    let elements = list.split(separator: "|").map { text in
      text.hasPrefix("<") ? String(text) : "<\(text)>V</\(text)>"
    }
    for (better, first) in elements.enumerated() {
      let best = first.replacing("V", with: values[better])
      #expect(read(best) == values[better], "\(best)")
      for (worse, second) in elements.enumerated().dropFirst(better + 1) {
        let other = second.replacing("V", with: values[worse])
        #expect(read(best + other) == values[better], "\(best)\(other)")
        #expect(read(other + best) == values[better], "\(other)\(best)")
      }
    }
  }

  private static let texts = (1...9).map { "http://e.org/\($0)" }
  private static let dates = [
    "01", "02", "03", "04", "05", "06", "07", "08", "09", "10",
  ].map { "2026-01-\($0)" }

  @Test("the elements of an item")
  func items() {
    compare("title|dc:title|media:title|itunes:title", values: Self.texts) { item($0)?.title }
    compare("title|dcterms:title|media:title", values: Self.texts) { item($0)?.title }
    for list in [
      "description|summary|info|dc:description|itunes:summary|itunes:subtitle|media:description",
      "description|subtitle|info|dcterms:abstract|itunes:description|itunes:subtitle", "tagline|info",
      "abstract|info",
    ] {
      compare(list, values: Self.texts) { item($0)?.summary }
    }
    for list in [
      "content:encoded|a:content|body|x:div", "a:content|fullitem|x:div", "a:content|x:body|x:div",
    ] {
      compare(list, values: Self.texts) { item($0)?.content }
    }
    for list in [
      "author|dc:creator|itunes:author|webMaster|dc:publisher",
      "managingEditor|dcterms:creator|itunes:author",
      "author|dc:author|itunes:author",
    ] {
      compare(list, values: Self.texts) { item($0)?.author }
    }
    compare("guid|id|dc:identifier", values: Self.texts) { item($0)?.id }
    compare("language|dc:language", values: Self.texts) { item("<title>t</title>" + $0)?.language }
    compare("language|dcterms:language", values: Self.texts) { item("<title>t</title>" + $0)?.language }
    compare(
      "link|<a:link rel='alternate' href='V'/>|<a:link rel='alternate' type='application/pdf' href='V'/>|itunes:link"
        + "|<a:content src='V'/>", values: Self.texts
    ) { item($0)?.url }
    compare(
      "<media:content medium='image' url='V'/>|<media:thumbnail url='V'/>|<itunes:image href='V'/>",
      values: Self.texts
    ) { item("<title>t</title>" + $0)?.imageURL }
  }

  @Test("the dates of an item")
  func dates() {
    for list in [
      "pubDate|published|dcterms:issued|dcterms:available|created|dc:date|date",
      "pubDate|issued|dcterms:issued|dcterms:available|dcterms:created|dcterms:date|date",
    ] {
      compare(list, values: Self.dates) { (item($0)?.published?.iso8601.prefix(10)).map(String.init) }
    }
    for list in ["lastBuildDate|updated|lastmod", "lastBuildDate|modified|dcterms:modified"] {
      compare(list, values: Self.dates) { (item($0)?.updated?.iso8601.prefix(10)).map(String.init) }
    }
  }

  @Test("the attributes of an item rank between elements")
  func attributes() {
    #expect(item("<title>t</title>", attributes: "about='A'")?.id == "A")
    #expect(item("<dc:identifier>B</dc:identifier>", attributes: "about='A'")?.id == "A")
    #expect(item("<title>t</title>", attributes: "href='A'")?.url == "A")
    #expect(item("<itunes:link>B</itunes:link>", attributes: "href='A'")?.url == "B")
    #expect(item("<a:content src='B'/>", attributes: "href='A'")?.url == "A")
    #expect(item("<title>t</title>", attributes: "xml:lang='A'")?.language == "A")
    #expect(item("<title>t</title><dc:language>B</dc:language>", attributes: "xml:lang='A'")?.language == "B")
    #expect(
      item("<title>t</title>", attributes: "lastmod='2026-01-01'")?.updated?.iso8601 == "2026-01-01T00:00:00Z"
    )
    #expect(
      item("<lastmod>2026-01-02</lastmod>", attributes: "lastmod='2026-01-01'")?.updated?.iso8601
        == "2026-01-02T00:00:00Z")
  }

  @Test("the elements of a feed")
  func feeds() {
    compare("title|dc:title|media:title|itunes:title", values: Self.texts) { feed($0).title }
    compare(
      "description|subtitle|info|dc:description|itunes:summary|itunes:subtitle|media:description",
      values: Self.texts
    ) { feed($0).description }
    compare("language|dc:language", values: Self.texts) { feed($0).language }
    compare(
      "link|<a:link rel='alternate' href='V'/>|<a:link rel='alternate' type='application/pdf' href='V'/>|itunes:link",
      values: Self.texts
    ) { feed($0).siteURL }
    for list in [
      "<image><url>V</url></image>|logo|<image href='V'/>|icon|<media:thumbnail url='V'/>",
      "logo|<itunes:image href='V'/>|icon|<media:content medium='image' url='V'/>",
      "logo|<itunes:image url='V'/>|icon",
      "logo|itunes:image|icon",
      "logo|<a:link rel='image' href='V'/>|icon|<media:content type='image/png' url='V'/>",
    ] {
      compare(list, values: Self.texts) { feed($0).imageURL }
    }
    compare(
      "lastBuildDate|updated|lastmod|pubDate|published|dcterms:issued|dcterms:available|created|dc:date|date",
      values: Self.dates
    ) { (feed($0).updated?.iso8601.prefix(10)).map(String.init) }
  }

  @Test("the attributes of a channel rank between elements")
  func channels() {
    func channel(_ attributes: String, _ body: String) -> ParsedFeed {
      FeedParser.parse("<rss version='2.0' \(Self.names)><channel \(attributes)>\(body)</channel></rss>".utf8)
    }
    #expect(channel("href='A'", "").siteURL == "A")
    #expect(channel("href='A'", "<itunes:link>B</itunes:link>").siteURL == "B")
    #expect(channel("xml:lang='A'", "").language == "A")
    #expect(channel("xml:lang='A'", "<dc:language>B</dc:language>").language == "B")
    for (element, expected) in [("lastmod", "2026-01-02T00:00:00Z"), ("pubDate", "2026-01-01T00:00:00Z")] {
      #expect(
        channel("lastmod='2026-01-01'", "<\(element)>2026-01-02</\(element)>").updated?.iso8601 == expected)
    }
  }

  @Test("of equal elements the first counts, but the last of links and dates")
  func repeated() {
    let twice = item(
      "<title>1</title><title>2</title><guid>3</guid><guid>4</guid><author>5</author><author>6</author>"
        + "<link>7</link><link>8</link><pubDate>2026-01-01</pubDate><pubDate>2026-01-02</pubDate>")
    #expect(twice?.title == "1" && twice?.id == "3" && twice?.author == "5" && twice?.url == "8")
    #expect(twice?.published?.iso8601 == "2026-01-02T00:00:00Z")
    let channel = feed("<title>1</title><title>2</title><link>3</link><link>4</link>")
    #expect(channel.title == "1" && channel.siteURL == "4")
  }

  @Test(
    "a namespace is known by its address, whatever its case, scheme and last marks",
    arguments: [
      ("http://www.w3.org/2005/Atom", nil, .core), ("HTTPS://WWW.W3.ORG/2005/ATOM/", "a", .core),
      (" http://purl.org/dc/elements/1.1/#\n", "x", .dublinCore), ("urn:made-up", nil, .core),
      ("urn:made-up", "x", .other),
      (nil, nil, .core), (nil, "DC", .dublinCore), (nil, "made-up", .other), ("", nil, .core),
      ("http://www.itunes.com/dtds/podcast-1.0.dtd", "x", .itunes),
    ] as [(String?, String?, FeedNamespace)])
  func namespaces(address: String?, prefix: String?, expected: FeedNamespace) {
    #expect(FeedNamespace(address: address, prefix: prefix) == expected)
  }

  @Test("a meaning is one number for the XML reader")
  func codes() {
    for rank: UInt8 in [0, 1, 255] {
      for meaning in [ElementMeaning(.unknown, rank), ElementMeaning(.rss, rank), ElementMeaning(.day, rank)]
      {
        #expect(ElementMeaning(code: meaning.code) == meaning)
      }
    }
    #expect(ElementMeaning.unknown.code == 0 && ElementMeaning(.html, 3).code == 259)
  }
}

import Foundation
import Testing

/// What the built binary takes from documents as real programs write them.
@Suite struct DocumentValueTests {
  @Test("plain texts of Atom keep their lines and signs, and HTML without a type is read as HTML")
  func plainTexts() async throws {
    let texts = [
      ("summary", "...FLOOD...\n* WHAT &lt;x&gt; AT&amp;T", "...FLOOD...\n* WHAT <x> AT&T"),
      ("content", "&lt;p&gt;one&lt;/p&gt;&lt;p&gt;two&lt;/p&gt;", "one\ntwo"),
      ("content", "caf&amp;eacute;", "café"),
      ("media:description", "Part one\nPart two", "Part one\nPart two"),
    ]
    let entries = texts.enumerated().map { index, text in
      "<entry><id>urn:\(index)</id><title>\(index)</title><link href='https://example.com/\(index)'/>"
        + "<updated>2026-03-01T00:00:00Z</updated>"
        + "<media:content width='140' url='https://example.com/\(index).JPG?width=140&amp;amp;fit=max'/><\(text.0)>\(text.1)</\(text.0)></entry>"
    }
    let document =
      "<feed xmlns='http://www.w3.org/2005/Atom' xmlns:media='http://search.yahoo.com/mrss/'><title>T</title>"
      + entries.joined() + "</feed>"
    try await withProjectFolder { tool in
      let server = try Listener(
        answering: ["HTTP/1.1 200 OK", "Content-Type: application/atom+xml"], body: document)
      _ = try await tool.makeContainer("container.sqlite")
      var local = tool.on(file: "container.sqlite")
      local.environment["CELESTRA_ADMIN_CLOCK"] = "2026-03-02T00:00:00Z"
      try await local.importFeeds([("plain", "\(server.url)/feed")])
      try await local.succeed(
        "articles", "fetch", "--content", "full", "--allow-private-addresses", "--format", "json", "--yes")
      var stored: [String: String] = [:]
      var pictures: Set<String> = []
      for line in try await local.export() where line.contains("\"PublicArticle\"") {
        let record = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        let fields = record?["fields"] as? [String: [String: Any]] ?? [:]
        let guid = try #require(fields["guid"]?["value"] as? String)
        stored[guid] = fields["contentText"]?["value"] as? String
        pictures.insert(try #require(fields["imageURL"]?["value"] as? String))
      }
      for (index, text) in texts.enumerated() { #expect(stored["urn:\(index)"] == text.2) }
      #expect(pictures == Set((0..<4).map { "https://example.com/\($0).JPG?width=140&fit=max" }))
    }
  }

  @Test(
    "weekdays of two words come before a date",
    arguments: ["quarta-feira, 18 de novembro de 2026 10:00", "thứ tư, 18 tháng 11 năm 2026 10:00"])
  func weekdays(date: String) async throws {
    try await withProjectFolder { tool in
      let document =
        "<rss version='2.0'><channel><item><guid>1</guid><pubDate>\(date)</pubDate></item></channel></rss>"
      try document.write(toFile: "\(tool.directory)/feed.xml", atomically: true, encoding: .utf8)
      #expect(try await tool.succeed("feed", "inspect", "feed.xml").out.contains("\"2026-11-18T10:00:00Z\""))
    }
  }

  @Test("characters written as two halves, entities with references, and addresses escaped twice are read")
  func references() async throws {
    let items = [
      "<title>&#55357;&#56832; &#xD83D;&#xde00;&#xD83D; x</title><link>https://example.com/1</link>",
      "<title>&co;</title><link>https://example.com/?a=1&amp;amp;b=2</link>",
      "<title>2</title><link><![CDATA[https://example.com/?a=1&#038;b=2&copy=3]]></link>",
    ]
    let document =
      "<!DOCTYPE rss [<!ENTITY co \"Acme &amp; Co &#169;\">]><rss version='2.0'><channel><title>&co;</title>"
      + "<link>https://example.com/?l=1&amp;amp;m=2</link>"
      + items.enumerated().map { "<item><guid isPermaLink='false'>\($0)</guid>\($1)</item>" }.joined()
      + "</channel></rss>"
    try await withProjectFolder { tool in
      try document.write(toFile: "\(tool.directory)/feed.xml", atomically: true, encoding: .utf8)
      let out = try await tool.succeed("feed", "inspect", "feed.xml").out
      let feed = try #require(try JSONSerialization.jsonObject(with: Data(out.utf8)) as? [String: Any])
      #expect(feed["title"] as? String == "Acme & Co ©")
      #expect(feed["siteURL"] as? String == "https://example.com/?l=1&m=2")
      let read = try #require(feed["items"] as? [[String: Any]])
      #expect(read.map { $0["title"] as? String } == ["😀 😀 x", "Acme & Co ©", "2"])
      #expect(
        read.map { $0["url"] as? String } == [
          "https://example.com/1", "https://example.com/?a=1&b=2", "https://example.com/?a=1&b=2&copy=3",
        ])
      let codes = (feed["diagnostics"] as? [[String: Any]])?.compactMap { $0["code"] as? String }
      #expect(codes == ["FP0101"])
    }
  }
}

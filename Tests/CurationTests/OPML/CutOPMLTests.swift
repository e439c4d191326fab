import Diagnostics
import Testing

@testable import Curation

@Suite struct CutOPMLTests {
  private func read(_ text: some StringProtocol) -> OPMLFile { OPMLFile(name: "f.opml", Array(text.utf8)) }

  @Test(
    "a file that is cut anywhere gives the feeds before that place in their folders, and says where it stops")
  func cut() throws {
    let whole = """
      <?xml version="1.0"?><opml version="2.0"><head><title>é</title></head><body>
      <outline text="A" type="rss" xmlUrl="https://a.example/feed"></outline><!-- a > b -->
      <outline text="Folder"><outline text="B &amp; b" type="rss" xmlUrl="https://b.example/feed"/>
      <outline text="Inner">
      <outline text="C" type="rss" xmlUrl="https://c.example/feed" htmlUrl="https://c.example/"/></outline></outline>
      <outline text="D" htmlUrl="https://d.example/"/></body></opml>
      """
    // A cut line ends sooner, so the ends of ranges are not compared.
    func entries(_ text: some StringProtocol) -> [String] {
      read(text).entries.map {
        "\($0.name ?? "") \($0.feedURL ?? "") \($0.folders) \($0.range.start) \($0.seed)"
      }
    }
    let all = entries(whole)
    #expect(read(whole).entries.map(\.folders) == [[], ["Folder"], ["Folder", "Inner"], []])
    let start = try #require(whole.firstRange(of: "<opml version=\"2.0\">")).upperBound
    for end in whole.indices[start...] {
      let file = read(whole[..<end])
      #expect(entries(whole[..<end]) == Array(all.prefix(file.entries.count)), "\(whole[..<end].suffix(60))")
      let line = whole[..<end].count { $0 == "\n" } + 1
      let column = whole[..<end].reversed().prefix { $0 != "\n" }.count + 1
      let finding = file.diagnostics.first { $0.severity == .error }
      #expect(finding?.code == "CU0104" && finding?.message.contains("\(line):\(column),") == true)
      let counted = file.entries.count + file.folders + file.skipped + file.unusable
      #expect(file.outlines == counted, "\(whole[..<end].suffix(60))")
    }
    let inner = try #require(whole.firstRange(of: "<outline text=\"Inner\">")).lowerBound
    #expect(entries(whole[..<inner]) == Array(all.prefix(2)))
    #expect(entries(whole + "<!-- ") == all)
  }

  /// The folders and collections around the feed after `outline`.
  private func around(_ outline: String) -> (next: [String]?, errors: [Int?]) {
    let file = read(
      """
      <opml version="2.0"><body><outline text="Folder">
      \(outline)
      <outline text="Next" type="rss" xmlUrl="https://next.example/feed"/></outline>
      <outline text="Last" type="rss" xmlUrl="https://last.example/feed"/></body></opml>
      """)
    if outline.hasSuffix("/>") { #expect(file.entries.last?.folders == [], "\(outline)") }
    let next = file.entries.first { $0.name == "Next" }
    let errors = file.diagnostics.filter { $0.code == "CU0223" && $0.severity == .error }
    return (next?.folders, errors.map { $0.range?.start.line })
  }

  @Test(
    "a tag that is broken off is an error at its line, and changes nothing about the outlines after it",
    arguments: [
      "text=\"A\" description=\"By <a href=\"https://b.example\">B</a>.\" type=\"rss\" xmlUrl=\"https://a.example/\"/>",
      "text=\"A\" type=\"rss\" xmlUrl=\"https://a.example/\" description=\"By <a href=\"https://b.example\">B</a>.\"/>",
      "text='A <b class='x'>b</b> <i id='y'>c' type='rss' xmlUrl='https://a.example/'/>",
      "text=\"A\" description=\"See <br class=\"x\"/> and <p>\" xmlUrl=\"https://a.example/\"></outline>",
      "text=\"Say \"A\" to\" xmlUrl=\"https://a.example/\"/>",
      "text=\"A xmlUrl=\"https://a.example/\"/>",
      "text=\"A\" xmlUrl=\"https://a.example/feed/>",
    ])
  func broken(attributes: String) {
    let (next, errors) = around("<outline \(attributes)")
    #expect(next == ["Folder"] && errors == [2])
    #expect(!feeds(in: attributes).contains("https://a.example/"))
  }

  private func feeds(in attributes: String) -> [String?] {
    read("<opml><body><outline \(attributes)</body></opml>").entries.map(\.feedURL)
  }

  @Test("an outline that a broken value makes is no feed of the file")
  func made() {
    let file = read(
      """
      <opml version="2.0"><body>
      <outline text="A" description="By <outline text="made" xmlUrl="https://made.example/"/>." xmlUrl="https://a.example/"/>
      <outline text="B" type="rss" xmlUrl="https://b.example/feed"/></body></opml>
      """)
    #expect(file.entries.map(\.name) == ["B"])
    #expect(file.diagnostics.filter { $0.code == "CU0223" }.map { $0.range?.start.line } == [2, 2])
  }

  @Test("a feed whose end tag is missing is an error, and no folder of the feeds after it")
  func missingEnd() {
    let (next, errors) = around("<outline text=\"A\" type=\"rss\" xmlUrl=\"https://a.example/\">")
    #expect(next == ["Folder"] && errors == [1])
  }
}

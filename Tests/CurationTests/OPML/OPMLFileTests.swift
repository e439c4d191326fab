import Catalog
import CloudKitModel
import Diagnostics
import FuzzPromises
import HTTPTransport
import Platform
import Testing

@testable import Curation

@Suite struct OPMLFileTests {
  private func read(_ body: String) -> OPMLFile {
    OPMLFile(name: "f.opml", Array("<opml version=\"2.0\"><body>\n\(body)\n</body></opml>".utf8))
  }

  @Test("versions 1.0 to 2.0 are read, with folders, names and addresses")
  func plain() {
    let text = """
      <?xml version="1.0"?>
      <!DOCTYPE opml [
        <!ENTITY x "y">
      ]>
      <opml version="1.0"><head><title> My feeds </title><dateCreated>x</dateCreated></head>
      <body>
        <outline text="Tech"><outline title="Sub">
          <outline type="RSS" text=" A &amp;amp; B " xmlUrl=" https://a.example/feed "
            htmlUrl="https://a.example/" description="About &lt;b&gt;a&lt;/b&gt;" language="pt-BR"
            category="/x/y, z ,, //Two Words// "/>
          <outline text="Page" htmlUrl="https://p.example/"/>
          <outline text="Lost" type="rss"/><outline text="Empty"/>
        </outline></outline>
        <outline text=" " title="" xmlUrl="https://b.example/feed"/>
      </body></opml>
      """
    let file = OPMLFile(name: "f.opml", Array(text.utf8))
    #expect(file.outlines == 7 && file.folders == 2 && file.skipped == 1 && file.entries.count == 3)
    let entry = file.entries[0]
    #expect(entry.name == "A & B" && entry.feedURL == "https://a.example/feed")
    #expect(entry.seed.siteURL == "https://a.example/" && entry.seed.values["subtitle"] == "About a")
    #expect(entry.seed.language == "pt")
    #expect(entry.folders == ["Tech", "Sub"] && entry.seed.tags == ["x", "y", "z", "two-words"])
    #expect(entry.range.start.line == 10)
    #expect(file.entries[1].feedURL == nil && file.entries[1].folders == ["Tech", "Sub"])
    #expect(file.entries[2].name == nil && file.entries[2].folders == [])
    #expect(file.diagnostics.map(\.code) == ["CU0202", "CU0209"] && file.unusable == 1)
  }

  @Test(
    "broken input is read as far as it goes, each fault with its line",
    arguments: [
      (
        "<outline text=\"A & B\" xmlUrl=\"https://a.example/?x=1&y=2\"/>", "CU0102",
        ["https://a.example/?x=1&y=2"]
      ),
      ("<outline text=\"a < b\" xmlUrl=\"https://a.example/\"/>", "CU0102", ["https://a.example/"]),
      (
        "<outline text=\"caf&eacute;&nbsp;x\" xmlUrl=\"https://a.example/\"/>", "CU0216",
        ["https://a.example/"]
      ),
      ("<outline text=\"A\" xmlurl=\"https://a.example/\"/>", "CU0201", ["https://a.example/"]),
      ("<outline text=\"A\" XMLURL=\"https://a.example/\"/>", "CU0201", ["https://a.example/"]),
      ("<outline type=\"rss\" url=\"https://a.example/\"/>", nil, ["https://a.example/"]),
      ("<outline type=\"link\" text=\"A\" url=\"https://a.example/\"/>", "CU0204", []),
      ("<outline type=\"include\" url=\"https://a.example/x.opml\"/>", "CU0208", []),
      ("<outline text=\"A\" htmlUrl=\"https://a.example/\"/>", nil, [nil]),
      ("<outline text=\"A\" xmlUrl=\"\"/>", "CU0203", []),
      ("<outline text=\"A\" xmlUrl=\"feed.xml\"/>", "CU0203", []),
      ("<outline text=\"A\" xmlUrl=\"javascript:alert(1)\"/>", "CU0203", []),
      ("<outline text=\"A\" xmlUrl=\"feed:https://a.example/\"/>", "CU0213", ["https://a.example/"]),
      ("<outline text=\"A\" xmlUrl=\" FEED://a.example/\"/>", "CU0213", ["http://a.example/"]),
      ("<outline text=\"A\" xmlUrl=\"https://a.example/é{}\"/>", nil, ["https://a.example/%c3%a9%7B%7D"]),
      ("<outline text=\"A\" xmlUrl=\"https://a.example/my feed.xml?q=a b\"/>", "CU0203", []),
      (
        "<outline text=\"A\" xmlUrl=\"\n https://a.ex&#10;ample/&#9;f&#13;&#10; \"/>", nil,
        ["https://a.example/f"]
      ),
      (
        "<outline text=\"Mine\" title=\"Theirs\" xmlUrl=\"https://a.example/\"/>", "CU0206",
        ["https://a.example/"]
      ),
      ("<outline text=\"A\" isComment=\"true\"><outline xmlUrl=\"https://a.example/\"/></outline>", nil, []),
      ("<outline/>", "CU0209", []),
      (
        "<outline text=\"A\" language=\"klingon\" xmlUrl=\"https://a.example/\"/>", "CU0210",
        ["https://a.example/"]
      ),
      (
        "<outline text=\"A\" xmlUrl=\"https://a.example/\"><outline xmlUrl=\"https://b.example/\"/></outline>",
        nil,
        ["https://a.example/", "https://b.example/"]
      ),
      ("<outline><outline text=\"A\" xmlUrl=\"https://a.example/\"/></outline>", nil, ["https://a.example/"]),
    ] as [(String, String?, [String?])])
  func broken(_ body: String, _ code: String?, _ urls: [String?]) {
    let file = read(body)
    #expect(file.entries.map { $0.feedURL?.lowercased() } == urls.map { $0?.lowercased() }, "\(body)")
    #expect(file.diagnostics.map(\.code) == (code.map { [$0] } ?? []), "\(body)")
    if let range = file.diagnostics.first?.range, code != "CU0102" { #expect(range.start.line == 2) }
    let counted = file.entries.count + file.folders + file.skipped + file.unusable
    let hidden = body.contains("isComment") ? 0 : file.outlines - counted
    #expect(hidden == 0, "every outline counts once: \(file.outlines) outlines, \(counted) counted")
  }

  @Test("encodings, marks, two documents and a cut-off file are read; other documents are refused")
  func documents() {
    let outline = "<outline text=\"Café\" xmlUrl=\"https://a.example/\"/>"
    let opml = "<opml><body>\(outline)</body></opml>"
    #expect(OPMLFile(name: "f", [0xEF, 0xBB, 0xBF] + Array(opml.utf8)).entries.map(\.name) == ["Café"])
    let wide = "\u{FEFF}\(opml)".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    #expect(OPMLFile(name: "f", wide).entries.map(\.name) == ["Café"])
    #expect(OPMLFile(name: "f", wide).diagnostics.isEmpty)
    let latin = Array(
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\(opml)".unicodeScalars.map { UInt8($0.value & 0xFF) })
    #expect(OPMLFile(name: "f", latin).entries.map(\.name) == ["Café"])
    #expect(OPMLFile(name: "f", Array("<opml><body>\(outline)<outline text=\"x".utf8)).entries.count == 1)
    #expect(OPMLFile(name: "f", Array("\(opml)\(opml)".utf8)).entries.count >= 1)
    #expect(OPMLFile(name: "f", Array("<opml><body/><head/>\(outline)</opml>".utf8)).entries.count == 1)
    for other in ["<rss version=\"2.0\"/>", "{}", "", "<html><body>x"] {
      #expect(OPMLFile(name: "f", Array(other.utf8)).diagnostics.map(\.code).contains("CU0101"), "\(other)")
    }
  }

  @Test(
    "outlines outside the body, and a file without them, are noted once",
    arguments: [
      ("<opml>\n<body/></opml>", "the file has no outlines", 1),
      ("<opml/>", "the file has no outlines", 1),
      ("<opml>\n<outline text='a'/>\n<outline/></opml>", "the file has no body around its outlines", 2),
      ("<opml>\n<body/>\n<outline text='a'/></opml>", "the outline is outside the body", 3),
      ("<opml>\n<body><x><outline text='a'/></x></body></opml>", nil, 0),
    ] as [(String, String?, Int)])
  func structure(_ text: String, _ message: String?, _ line: Int) {
    let found = OPMLFile(name: "f", Array(text.utf8)).diagnostics.filter { $0.code == "CU0214" }
    #expect(found.map(\.message) == (message.map { [$0] } ?? []))
    #expect(found.first?.range?.start.line ?? 0 == line)
  }

  @Test(
    "a wrong encoding is noted with the declared and the used one, and names are read right",
    arguments: [
      ("utf-8", false, "the encoding 'utf-8' and is read as 'windows-1252'"),
      (nil, false, "no encoding and is read as 'windows-1252'"),
      ("windows-1252", true, "the encoding 'windows-1252' and is read as 'utf-8'"),
      ("us-ascii", true, "the encoding 'us-ascii' and is read as 'utf-8'"),
      ("utf-16", true, "the encoding 'utf-16be' and is read as 'utf-8'"),
      ("utf-8", true, nil), (nil, true, nil), ("iso-8859-1", false, nil), ("windows-1252", false, nil),
    ] as [(String?, Bool, String?)])
  func encoding(_ declared: String?, _ isUTF8: Bool, _ message: String?) {
    let label = declared.map { " encoding=\"\($0)\"" } ?? ""
    let text =
      "<?xml version=\"1.0\"\(label)?><opml><body><outline text=\"Café\" xmlUrl=\"https://a.example/\"/></body></opml>"
    let file = OPMLFile(
      name: "f", isUTF8 ? Array(text.utf8) : text.unicodeScalars.map { UInt8($0.value & 0xFF) })
    #expect(file.entries.map(\.name) == ["Café"])
    #expect(file.diagnostics.map(\.code) == (message == nil ? [] : ["CU0215"]))
    #expect(file.diagnostics.map(\.message) == (message.map { ["the file declares \($0)"] } ?? []))
    #expect(file.diagnostics.allSatisfy { $0.range?.start.line == 1 })
  }

  @Test("depth, entities and size have limits")
  func limits() {
    let deep = String(repeating: "<outline text='a'>", count: 100)
    #expect(read(deep).diagnostics.map(\.code).contains("CU0103"))
    let bomb =
      "<!DOCTYPE opml [<!ENTITY a \"\(String(repeating: "x", count: 1000))\">]><opml><body><outline text=\"\(String(repeating: "&a;", count: 2000))\"/></body></opml>"
    #expect(OPMLFile(name: "f", Array(bomb.utf8)).entries.isEmpty)
    #expect(
      OPMLFile(name: "f", [UInt8](repeating: 0x20, count: OPMLFile.sizeLimit + 1)).diagnostics.map(\.code)
        == ["CU0103"])
    let many = read(String(repeating: "<outline text=\"A\" xmlUrl=\"x\"/>", count: 10_000))
    #expect(many.unusable == 10_000 && (1...50).contains(many.diagnostics.count))
  }

  @Test("damaged files never end the reading, and the counts always add up")
  func damage() {
    let sound = Array(
      """
      <?xml version="1.0" encoding="UTF-8"?><!DOCTYPE opml [<!ENTITY e "x">]><opml version="2.0"><head><title>T</title>
      </head><body><outline text="F &amp; G"><outline type="rss" text="&e;" xmlUrl="https://a.example/feed" category="a/b,c"/>
      <outline text="B" htmlUrl="https://b.example/"/><!-- c --><![CDATA[x]]></outline></body></opml>
      """.utf8)
    var random = SeededGenerator(seed: 17)
    for _ in 0..<800 {
      var bytes = sound
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(contentsOf: Array("<outline ".utf8), at: place)
        default: bytes.removeSubrange(place..<min(bytes.count, place + 20))
        }
        if bytes.isEmpty { bytes = [0x3C] }
      }
      #expect(OPMLPromises.broken(by: bytes) == nil)
    }
  }

  @Test(
    "an outline is a feed, a page, a folder or skipped",
    arguments: [
      ("<outline text='a'/>", "skipped"),
      ("<outline text='a'><outline text='b'/></outline>", "folder skipped"),
      ("<outline text='a' type='rss'/>", "unusable"),
      ("<outline text='a'><outline/></outline>", "folder skipped"), ("<outline/>", "skipped"),
      ("<outline text=' ' title=''/>", "skipped"),
      ("<outline isComment='TRUE' text='a' xmlUrl='https://a.example/'/>", "skipped"),
      ("<outline isComment='false' text='a' xmlUrl='https://a.example/'/>", "entry"),
      ("<outline type='ATOM' url='https://a.example/'/>", "entry"),
      ("<outline type='link' url='https://a.example/'/>", "skipped"),
      ("<outline type='link' url='https://a.example/x.OPML'/>", "skipped"),
      ("<outline url='https://a.example/'/>", "skipped"),
      ("<outline htmlUrl='https://a.example/'/>", "entry"),
      ("<outline type='include' htmlUrl='https://a.example/'/>", "skipped"),
      ("<outline htmlUrl='https://a.example/' url='x'/>", "entry"),
      ("<outline text='a' xmlUrl=''/>", "unusable"), ("<outline text='a' type='rss' url=' '/>", "unusable"),
      ("<outline text='a' xmlUrl=' feed://a.example/ '/>", "entry"),
    ])
  func kinds(_ body: String, _ expected: String) {
    let file = read(body)
    let counts = [
      ("entry", file.entries.count), ("folder", file.folders), ("skipped", file.skipped),
      ("unusable", file.unusable),
    ]
    #expect(counts.flatMap { Array(repeating: $0.0, count: $0.1) }.joined(separator: " ") == expected)
  }

  @Test("a feed's own words fill what the file leaves open")
  func completion() {
    func completed(_ attributes: String, _ answer: OPMLCheck.Answer) -> [String?] {
      var entry = read("<outline \(attributes) xmlUrl='https://a.example/f'/>").entries[0]
      entry.complete(with: answer)
      return [entry.name, entry.seed.values["language"]?.string, entry.seed.siteURL]
    }
    let answer = OPMLCheck.Answer(title: "<b>Own</b>", language: "de-AT", siteURL: "https://site.example/")
    #expect(completed("", answer) == ["Own", "de", "https://site.example/"])
    #expect(
      completed("text='Given' language='fr' htmlUrl='https://b.example/'", answer) == [
        "Given", "fr", "https://b.example/",
      ])
    #expect(
      completed("text='https://a.example/f' htmlUrl='HTTPS://A.example/f'", answer) == [
        "Own", "de", "https://site.example/",
      ])
    #expect(
      completed("text='Given'", OPMLCheck.Answer(title: "x", language: "xx", siteURL: "no")) == [
        "Given", nil, nil,
      ])
    #expect(completed("", OPMLCheck.Answer(title: " ")) == [nil, nil, nil])
  }

  @Test("a feed without news for 365 days is stale, and a page says what it is")
  func answers() async throws {
    // Items of 2026-11-20 10:00 UTC.
    let newest: Int64 = 1_795_168_800_000
    let year: Int64 = 365 * 86_400_000
    var web = MemoryWeb()
    web.feed("https://a.example/f", SampleFeed.rss(title: "A", language: "de"))
    web.page("https://b.example/", "<html><body>x</body></html>")
    web.documents["https://c.example/"] = .init(status: 410)
    web.unreachable = ["https://d.example"]
    func answers(_ now: Int64) async throws -> [OPMLCheck.Answer] {
      try await OPMLCheck(transport: web, addresses: .any, now: Timestamp(milliseconds: now)).answers(
        of: ["https://a.example/f", "https://b.example/", "https://c.example/", "https://d.example/"])
    }
    let fresh = try await answers(newest + year)
    #expect(
      fresh[0].problem == nil && !fresh[0].isStale && fresh[0].newestDay == "2026-11-20"
        && fresh[0].language == "de")
    #expect(fresh[1].problem?.isEmpty == false)
    #expect(fresh[2].problem == "HTTP 410")
    #expect(fresh[3].problem == "nothing listens there")
    #expect(try await answers(newest + year + 1)[0].isStale)
    let many = (0..<40).map { "https://a.example/\($0)" }
    let found = try await OPMLCheck(transport: web, addresses: .any, now: Timestamp(milliseconds: 0)).answers(
      of: many)
    #expect(found.map(\.problem) == Array(repeating: "HTTP 404", count: 40))
  }
}

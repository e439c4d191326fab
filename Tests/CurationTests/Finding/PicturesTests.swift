import FeedParsing
import Testing

@testable import Curation

@Suite("Pictures") struct PicturesTests {
  private func ascii(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test("the format and the size are read from the first bytes, each number in the order of its format")
  func headers() {
    func read(_ bytes: some Sequence<UInt8>) -> String? { PictureFileHeader(Array(bytes))?.description }
    let png: [UInt8] = SamplePicture.png(0, 0).prefix(16) + [0, 1, 2, 3, 0, 0, 1, 4]
    #expect(read(png) == "a picture: PNG, 66051 by 260")
    #expect(read(png.dropLast()) == "a picture: PNG")
    #expect(read(Array(png.prefix(7))) == nil)
    let gif = ascii("GIF89a") + [2, 1, 3, 0]
    #expect(read(gif) == "a picture: GIF, 258 by 3")
    #expect(read(gif.dropLast()) == "a picture: GIF")
    #expect(read(ascii("GIF7")) == nil)
    let ico: [UInt8] = [0, 0, 1, 0, 1, 0, 16, 32]
    #expect(read(ico) == "a picture: ICO, 16 by 32")
    #expect(read([0, 0, 1, 0, 0, 1, 0, 0]) == "a picture: ICO, 256 by 256")
    #expect(read([0, 0, 1, 0, 2, 0, 1, 0]) == "a picture: ICO, 1 by 256")
    #expect(read(ico.dropLast()) == "a picture: ICO")
    #expect(read([0, 0, 1, 0, 0, 0, 16, 16]) == nil)
    #expect(read([0, 0, 1, 0]) == nil)
    #expect(read([0, 0, 1, 0, 1]) == nil)
    #expect(read([]) == nil)
  }

  @Test("a vector graphic shows itself in the first 1024 bytes")
  func vectorGraphics() {
    func read(_ spaces: Int) -> String? {
      PictureFileHeader(Array(repeating: 0x20, count: spaces) + ascii("<svg>"))?.description
    }
    #expect(read(0) == "a picture: SVG")
    #expect(read(1020) == "a picture: SVG")
    #expect(read(1021) == nil)
  }

  @Test("the size of a JPEG is that of its first frame header")
  func jpeg() {
    func read(_ segments: some Sequence<UInt8>) -> String? {
      PictureFileHeader([0xFF, 0xD8] + segments)?.description
    }
    func frame(_ marker: UInt8) -> [UInt8] { [0xFF, marker, 0, 17, 8, 1, 4, 2, 3] }
    let size = "a picture: JPEG, 515 by 260"
    for marker: UInt8 in [0xC0, 0xC1, 0xC3, 0xC5, 0xC7, 0xC9, 0xCB, 0xCD, 0xCF] {
      #expect(read(frame(marker)) == size, "\(marker)")
    }
    // Tables, and segments of an application, come before the frame.
    for marker: UInt8 in [0xC4, 0xC8, 0xCC, 0xBF, 0xD0, 0xE0] {
      #expect(read([0xFF, marker, 0, 9, 8, 0, 7, 0, 7, 0, 7] + frame(0xC2)) == size, "\(marker)")
    }
    #expect(read([0xFF, 0xE0, 0, 2] + frame(0xC0)) == size)
    #expect(read([0xFF, 0xE0, 0, 1] + frame(0xC0)) == "a picture: JPEG")
    #expect(read([0xFF, 0xE0, 1, 0] + Array(repeating: 0, count: 254) + frame(0xC0)) == size)
    #expect(read([0xFF, 0xE0, 0, 2, 0xFE, 0xC0]) == "a picture: JPEG")
    #expect(read(frame(0xC0).dropLast()) == "a picture: JPEG")
    #expect(read([0xFF]) == "a picture: JPEG")
    #expect(PictureFileHeader([0xFF, 0xD8]) == nil)
  }

  @Test("the size of a WebP is where its kind of data has it")
  func webP() {
    func read(_ kind: String, _ data: some Sequence<UInt8>) -> String? {
      PictureFileHeader(ascii("RIFF") + [0, 0, 0, 0] + ascii("WEBP" + kind) + data)?.description
    }
    let extended: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 3, 0, 1]
    #expect(read("VP8X", extended) == "a picture: WebP, 514 by 65540")
    #expect(read("VP8X", extended.dropLast()) == "a picture: WebP")
    // 14 bits of each side less one: 0x0001 and 0x0002, then all bits.
    let lossless: [UInt8] = [0, 0, 0, 0, 0x2F, 0x01, 0x80, 0x00, 0x00] + Array(repeating: 0, count: 5)
    #expect(read("VP8L", lossless) == "a picture: WebP, 2 by 3")
    let largest: [UInt8] = [0, 0, 0, 0, 0x2F, 0xFF, 0xFF, 0xFF, 0xFF] + Array(repeating: 0, count: 5)
    #expect(read("VP8L", largest) == "a picture: WebP, 16384 by 16384")
    // The two highest bits are a scale.
    let lossy: [UInt8] = Array(repeating: 0, count: 10) + [0x02, 0x41, 0x03, 0xC0]
    #expect(read("VP8 ", lossy) == "a picture: WebP, 258 by 3")
    #expect(read("ALPH", extended) == "a picture: WebP")
    #expect(PictureFileHeader(ascii("RIFF0000WAVEVP8X") + extended) == nil)
  }

  @Test(
    "a picture is large enough and of a usable shape for what it was declared as",
    arguments: [
      (.feedImage, 16, 48, true), (.feedImage, 48, 16, true), (.feedImage, 15, 16, false),
      (.feedImage, 16, 49, false), (.touchIcon, 120, 120, true), (.touchIcon, 500, 119, false),
      (.touchIcon, 1000, 120, true), (.manifestIcon, 120, 121, true), (.manifestIcon, 119, 500, false),
      (.manifest, 500, 500, false), (.preview, 240, 120, true), (.preview, 120, 241, false),
      (.preview, 119, 119, false), (.icon, 64, 64, true), (.icon, 63, 64, false), (.icon, 640, 64, true),
    ] as [(PictureCandidate.Kind, Int, Int, Bool)])
  func acceptance(_ kind: PictureCandidate.Kind, _ width: Int, _ height: Int, _ isAccepted: Bool) throws {
    let sides = [width, height].flatMap { side -> [UInt8] in [0, 0, UInt8(side >> 8), UInt8(side & 0xFF)] }
    let picture = try #require(PictureFileHeader(SamplePicture.png(0, 0).prefix(16) + sides))
    #expect(PictureCandidate(url: "https://site.example/a", kind: kind).accepts(picture) == isAccepted)
  }

  @Test("a picture without a size is accepted, except as a preview")
  func unknownSize() throws {
    let picture = try #require(PictureFileHeader(ascii("<svg>")))
    for kind in [PictureCandidate.Kind.feedImage, .touchIcon, .manifestIcon, .icon] {
      #expect(PictureCandidate(url: "a", kind: kind).accepts(picture))
    }
    #expect(!PictureCandidate(url: "a", kind: .preview).accepts(picture))
  }

  private func candidates(_ head: String, image: String? = nil, page: String = "https://site.example/")
    -> [String]
  {
    let extra = image.map { "<image><url>\($0)</url></image>" } ?? ""
    let feed = FeedParser.parse(ascii(SampleFeed.rss(title: "Site", extra: extra)))
    let read = WebPage(ascii("<head>\(head)</head>"), contentType: "text/html; charset=utf-8", url: page)
    return PictureCandidate.list(feed: feed, page: read).map { "\($0.kind) \($0.url)" }
  }

  @Test("the likeliest picture comes first, and of each kind the first of the largest")
  func order() {
    #expect(
      candidates(
        """
        <link rel=icon sizes=64x64 href=/i64.png><link rel=icon sizes=96x96 href=/i96.png>
        <link rel=icon sizes=96x96 href=/i96b.png>
        <meta property=og:image content=/p1.png><meta property=og:image content=/p2.png>
        <link rel=manifest href=/app.json>
        <link rel=apple-touch-icon sizes=120x120 href=/t120.png><link rel=apple-touch-icon href=/t.png>
        <link rel=apple-touch-icon sizes=180x180 href=/t180.png>
        """, image: "https://site.example/feed.png") == [
          "feedImage https://site.example/feed.png", "touchIcon https://site.example/t.png",
          "manifest https://site.example/app.json", "preview https://site.example/p1.png",
          "icon https://site.example/i96.png",
        ])
    #expect(
      candidates(
        "<link rel=icon sizes=64x64 href=/a.png><link rel=apple-touch-icon sizes=120x120 href=/b.png>"
          + "<link rel=apple-touch-icon sizes=119x119 href=/c.png>") == [
          "touchIcon https://site.example/b.png", "icon https://site.example/a.png",
        ])
    #expect(
      candidates(
        "<link rel=icon sizes=63x63 href=/a.png><link rel=icon href=/b.png>"
          + "<link rel=apple-touch-icon sizes=119x119 href=/c.png>") == [])
    #expect(
      candidates(
        "<link rel=apple-touch-icon sizes=181x181 href=/a.png><link rel=apple-touch-icon href=/b.png>") == [
          "touchIcon https://site.example/a.png"
        ])
  }

  @Test("a picture is tried once, and over http only where the page is http too")
  func addresses() {
    let both = "<meta property=og:image content=/a.png><link rel=apple-touch-icon href=/a.png>"
    #expect(candidates(both) == ["touchIcon https://site.example/a.png"])
    let plain = "<meta property=og:image content=http://site.example/a.png>"
    #expect(candidates(plain) == [])
    #expect(candidates(plain, page: "http://site.example/") == ["preview http://site.example/a.png"])
    #expect(
      candidates("", image: "https://site.example/a.png", page: "http://site.example/") == [
        "feedImage https://site.example/a.png"
      ])
    let feed = FeedParser.parse(
      ascii(SampleFeed.rss(title: "Site", extra: "<image><url>http://site.example/a.png</url></image>")))
    #expect(PictureCandidate.list(feed: feed, page: nil).isEmpty)
  }

  @Test(
    "of a manifest's icons the first of the largest counts, from 180 pixels",
    arguments: [
      (#"{"src": "a", "sizes": "180x180"}"#, "a"), (#"{"src": "a", "sizes": "179x500"}"#, nil),
      (#"{"src": "a", "sizes": "180x180"}, {"src": "b", "sizes": "181x181"}"#, "b"),
      (#"{"src": "a", "sizes": "192x192"}, {"src": "b", "sizes": "192x192"}"#, "a"),
      (#"{"src": "a", "sizes": "192x192", "purpose": "Monochrome ANY"}"#, "a"),
      (#"{"src": "a", "sizes": "192x192", "purpose": "maskable"}"#, nil),
      (#"{"src": "a", "sizes": "192x192", "purpose": ""}"#, nil), (#"{"src": "a"}"#, nil),
      (#"{"sizes": "192x192"}"#, nil), ("", nil),
    ] as [(String, String?)])
  func manifest(_ icons: String, _ name: String?) {
    let found = WebAppManifest.icon(
      in: ascii("{\"icons\": [\(icons)]}"), url: "https://site.example/app/m.json")
    #expect(found == name.map { "https://site.example/app/\($0)" })
  }

  @Test(
    "the sizes of an icon are pairs, of which the largest of the shorter sides counts",
    arguments: [
      ("32x32 180x180", 180), ("180x180 32x32", 180), ("180x64", 64), ("64X180", 64), ("any", nil), ("", nil),
      ("32x", nil), ("x32", nil), ("1x2x3", nil), ("32", nil), ("any\t48x48", 48),
    ] as [(String, Int?)])
  func sizes(_ text: String, _ side: Int?) { #expect(IconSizes.max(in: text) == side) }
}

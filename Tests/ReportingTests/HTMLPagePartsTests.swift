import FeedHealth
import FeedState
import HTMLWriting
import Testing

@testable import Reporting

@Suite struct HTMLPagePartsTests {
  @Test("a link's address has at most 2000 bytes", arguments: [(1999, true), (2000, true), (2001, false)])
  func link(bytes: Int, isLink: Bool) {
    let url = "https://a.example/".padding("x", to: bytes)
    let html = HTMLPageParts.link(to: url, titled: "T").description
    #expect(html == (isLink ? "<a href=\"\(url)\"><bdi>T</bdi></a>" : "<bdi>T</bdi>"))
  }

  @Test("a list without items is nothing")
  func list() {
    #expect(HTMLPageParts.list([]).isEmpty)
    #expect(HTMLPageParts.list(["a", "b"] as [HTML]).description == "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n")
    #expect(
      HTMLPageParts.list(["a"] as [HTML], "tiles").description == "<ul class=\"tiles\">\n<li>a</li>\n</ul>\n")
  }

  @Test("a bar is at most 160 wide", arguments: [(-1, 0), (0, 0), (0.5, 80), (1, 160), (1.5, 160)])
  func bar(share: Double, width: Int) {
    #expect(
      HTMLPageParts.bar(share).description == """
        <svg width="160" height="10" aria-hidden="true"><rect fill="#0B6E99" width="\(width)" height="10"/></svg>
        """)
  }

  @Test(
    "a line is scaled to its smallest and largest number",
    arguments: [
      ([], nil), ([5], nil), ([5, 5], "1,29 161,29"), ([5, 6], "1,29 161,1"), ([0, 28], "1,29 161,1"),
      ([28, 0], "1,1 161,29"), ([100, 0, 50], "1,1 81,29 161,15"),
      ([-10, -20, -20, -10, -15], "1,1 41,29 81,29 121,1 161,15"),
    ] as [([Int64], String?)])
  func sparkline(values: [Int64], points: String?) {
    let html = HTMLPageParts.sparkline(values).description
    #expect(html.isEmpty == (points == nil))
    if let points { #expect(html.contains("\" points=\"\(points)\"/></svg>")) }
  }

  @Test("a state is colored when it needs attention, and says how long it lasts")
  func state() {
    let report = CatalogHealth([
      SampleFeed("down").with { $0.status = .down }, SampleFeed("good"),
      SampleFeed("new").with { $0.status = .unknown },
    ]).report()
    #expect(
      report.feeds.map { HTMLPageParts.state(of: $0, report).description } == [
        "<span class=\"down\">down</span> for 3 days", "not checked", "healthy for 3 days",
      ])
  }
}

extension String {
  fileprivate func padding(_ character: Character, to count: Int) -> String {
    self + String(repeating: character, count: count - self.count)
  }
}

import FeedState
import HTMLWriting
import Testing

@testable import FeedHealth
@testable import Reporting

@Suite struct StatusPageTests {
  private func page(_ health: CatalogHealth) -> String {
    StatusPage(CatalogHealthReport(health)).html.description
  }

  private func down(_ name: String, at url: String? = nil) -> SampleFeed {
    SampleFeed(name, url: url).with { $0.status = .down }
  }

  @Test("a feed that needs attention has its state, its reasons and what to do")
  func troubled() {
    let html = page(CatalogHealth([down("a"), SampleFeed("b")]))
    #expect(html.contains("<h1>Of 2 feeds: 1 down.</h1>"))
    #expect(
      html.contains(
        "<h2>Feeds that need attention</h2>\n<ol class=\"worst\">\n<li><a href=\"https://a.example/feed.xml\"><bdi>a</bdi></a>\n<p class=\"down\">down for 3 days</p>"
      ))
    #expect(html.contains("<p>FH0201 "))
    #expect(!page(CatalogHealth([SampleFeed("b")])).contains("Feeds that need attention"))
  }

  @Test("feeds of one host with one reason are one entry, which names them")
  func group() {
    let html = page(
      CatalogHealth([down("a", at: "https://h.example/a"), down("b", at: "https://h.example/b")]))
    #expect(
      html.contains("<bdi>2 feeds of h.example</bdi></a>\n<p>a, b</p><p class=\"down\">")
        || html.contains("<bdi>2 feeds of h.example</bdi></a>\n<p>a, b</p>\n<p class=\"down\">"))
    #expect(!page(CatalogHealth([down("a")])).contains("<p>https://a.example/feed.xml</p>"))
  }

  @Test(
    "20 feeds that were never checked are listed",
    arguments: [(0, 0, nil), (1, 1, nil), (20, 20, nil), (21, 20, 1), (23, 20, 3)] as [(Int, Int, Int?)])
  func unchecked(count: Int, listed: Int, more: Int?) {
    let feeds = (0..<count).map { SampleFeed("new\($0)").with { $0.status = .unknown } }
    let html = page(CatalogHealth(feeds + [SampleFeed("good")]))
    #expect(html.ranges(of: "<bdi>new").count == listed)
    #expect(html.contains("<h2>\(count) feed\(count == 1 ? "" : "s") not checked yet</h2>") == (count > 0))
    #expect(html.ranges(of: " more</li>").count == (more == nil ? 0 : 1))
    if let more { #expect(html.contains("<li>and \(more) more</li>")) }
  }

  @Test("a feed that was never checked is named by its title, its address or its record's name")
  func names() {
    let feeds = [
      SampleFeed("r1", title: "T"), SampleFeed("r2", title: "", url: "https://u.example/"),
      SampleFeed("r3", title: "", url: ""),
    ]
    let html = page(CatalogHealth(feeds.map { $0.with { $0.status = .unknown } }))
    for name in ["T", "https://u.example/", "r3"] { #expect(html.contains("<bdi>\(name)</bdi>")) }
    #expect(!html.contains("<bdi>r1</bdi>") && !html.contains("<bdi>r2</bdi>"))
  }

  @Test("categories have their counts, and several have a sum")
  func counts() {
    func row(_ name: String, _ numbers: Int...) -> String {
      "<tr><th scope=\"row\">\(name)</th>" + numbers.map { "<td class=\"number\">\($0)</td>" }.joined()
        + "</tr>\n"
    }
    var health = CatalogHealth([
      SampleFeed("a"), down("b"), SampleFeed("c").with { $0.status = .degraded },
      SampleFeed("d").with { $0.status = .unknown }, SampleFeed("e"),
    ])
    #expect(page(health).contains("<tbody>\n" + row("(none)", 5, 2, 1, 1, 1) + "</tbody>"))
    for index in 0..<3 { health.feeds[index].category = "news" }
    #expect(
      page(health).contains(
        "<tbody>\n" + row("news", 3, 1, 1, 1, 0) + row("(none)", 2, 1, 0, 0, 1) + row("all", 5, 2, 1, 1, 1)
          + "</tbody>"))
    #expect(!page(CatalogHealth([])).contains("By category"))
    #expect(page(CatalogHealth([])).contains("<h2>How old this is</h2>\n<ul>\n<li>oldest check: none</li>"))
  }
}

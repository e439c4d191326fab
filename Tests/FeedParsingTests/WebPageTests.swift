import FeedParsing
import Testing

@Suite struct WebPageTests {
  private let url = "https://e.org/blog/page"

  private func candidates(_ head: String, _ headers: [String] = []) -> [String] {
    WebPage("<html><head>\(head)</head><body></body></html>".utf8, linkHeaders: headers, url: url).candidates
  }

  @Test(
    "links to feeds are found in every way that pages write them",
    arguments: [
      ("<link rel=\"alternate\" type=\"application/rss+xml\" href=\"/f\">", "https://e.org/f"),
      (
        "<link rel=\"Alternate Home\" type=' Application/Atom+XML; charset=utf-8' href=f>",
        "https://e.org/blog/f"
      ),
      ("<LINK REL=alternate TYPE=application/feed+json HREF=//x.org/f>", "https://x.org/f"),
      (
        "<link title=\"a > b\" rel=\"alternate\" type=\"application/rss+xml\" href=\"?feed=rss2&amp;x=1\">",
        "https://e.org/blog/page?feed=rss2&x=1"
      ),
      ("<link rel=\"feed\" href=\"/f\">", "https://e.org/f"),
      ("<link rel=\"alternate\" type=\"text/xml\" href=\"/f.xml\">", "https://e.org/f.xml"),
      ("<link rel=\"alternate\" type=\"application/json\" href=\"/f.json\">", "https://e.org/f.json"),
      (
        "<link rel=\"alternate\" type=\"application/rss+xml\" href=\"f\"><base href=\"/base/\">",
        "https://e.org/base/f"
      ),
      ("<meta http-equiv=\"Refresh\" content=\"0; URL='/new.xml'\">", "https://e.org/new.xml"),
      (
        "<noscript><link rel=\"alternate\" type=\"application/rss+xml\" href=\"/f\"></noscript>",
        "https://e.org/f"
      ),
    ])
  func found(head: String, expected: String) { #expect(candidates(head) == [expected]) }

  @Test(
    "links that are not feeds are ignored",
    arguments: [
      "<!-- <link rel=\"alternate\" type=\"application/rss+xml\" href=\"/f\"> -->",
      "<script>'<link rel=\"alternate\" type=\"application/rss+xml\" href=\"/f\">'</script>",
      "<link rel=\"alternate\" type=\"application/rss+xml\" href=\"javascript:alert(1)\">",
      "<link rel=\"alternate\" type=\"application/rss+xml\" href=\"file:///etc/passwd\">",
      "<link rel=\"alternate\" type=\"application/rss+xml\" href=\"android-app://x/y\">",
      "<link rel=\"alternate\" type=\"application/rss+xml\" href=\"/blog/page#top\">",
      "<link rel=\"alternate\" type=\"application/rss+xml\" href=\"\">",
      "<link rel=\"alternate stylesheet\" type=\"application/rss+xml\" href=\"/f\">",
      "<link rel=\"disabled-alternate\" type=\"application/rss+xml\" href=\"/f\">",
      "<link rel=\"alternate\" type=\"application/json\" href=\"/wp-json/wp/v2/pages/1\">",
      "<link rel=\"alternate\" hreflang=\"de\" href=\"/de\">",
      "<meta http-equiv=\"refresh\" content=\"30\">",
    ])
  func refused(head: String) { #expect(candidates(head).isEmpty) }

  @Test("feeds come before documents of a common type, and feeds of comments last")
  func order() {
    let links = [
      ("application/rss+xml", "/comments/feed"), ("application/json", "/a.json"),
      ("application/atom+xml", "/feed"),
    ].map { "<link rel=\"alternate\" type=\"\($0)\" href=\"\($1)\">" }.joined()
    #expect(
      candidates(links) == ["https://e.org/feed", "https://e.org/a.json", "https://e.org/comments/feed"])
  }

  @Test("Link headers are read, with quotes and several links in one")
  func headers() {
    let header =
      "</style.css>; rel=preload, </f,1>; title=\"a, \\\"b\\\"\"; rel=\"alternate\"; type=\"application/rss+xml\", <g>; rel='feed'"
    #expect(candidates("", [header]) == ["https://e.org/f,1", "https://e.org/blog/g"])
  }

  @Test("a page has its title, and whether it asks for a password")
  func page() {
    let page = WebPage("<title> News &amp; more </title><title>x</title><input type=PASSWORD>".utf8, url: url)
    #expect(page.tags.title == "News & more")
    #expect(page.tags.asksForPassword)
    #expect(!WebPage("<p>x</p>".utf8, url: url).tags.asksForPassword)
  }
}

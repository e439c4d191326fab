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
      "</style.css>; rel=preload, </f,1>; title=\"a, \\\"b\\\"\"; rel=\"alternate\"; type=\"application/rss+xml\""
    #expect(candidates("", [header]) == ["https://e.org/f,1"])
  }

  @Test("a page has its title, and whether it asks for a password")
  func page() {
    let page = WebPage("<title> News &amp; more </title><title>x</title><input type=PASSWORD>".utf8, url: url)
    #expect(page.title == "News & more")
    #expect(page.asksForPassword)
    #expect(!WebPage("<p>x</p>".utf8, url: url).asksForPassword)
  }

  private func page(_ text: String) -> WebPage { WebPage(text.utf8, url: url) }

  @Test(
    "a page has links for people, and a text without its title and without what is for browsers without scripts"
  )
  func text() {
    let page = page(
      "<title>T</title><noscript>no</noscript><p>a <a href=x>b</a><a>c</a><script>s</script> d<title>U</title> e"
    )
    #expect(page.links == 2 && page.title == "T")
    #expect(page.visibleText == "a b c d U e ")
    #expect(
      self.page("").visibleText == "" && self.page("").title == nil
        && self.page("<title> </title>").title == nil)
  }

  @Test("the visible text ends with the text that passes 4 KiB")
  func visibleText() {
    // Each text is followed by a space.
    for (count, expected) in [(4094, 4097), (4095, 4096), (4096, 4097)] {
      let page = page("<p>\(String(repeating: "a", count: count))<p>b<p>c")
      #expect(page.visibleText.utf8.count == expected, "\(count)")
    }
  }

  @Test("100 link elements of a page are kept")
  func manyLinks() {
    for (before, isFound) in [(99, true), (100, false)] {
      let others = String(repeating: "<link rel=next href=x>", count: before)
      let feed = "<link rel=feed href=/f>"
      #expect(page(others + feed).feeds.map(\.url) == (isFound ? ["https://e.org/f"] : []), "\(before)")
      // A link without an address does not count.
      #expect(
        page("<link rel=next>" + String(others.dropFirst(22)) + feed).feeds.map(\.url) == ["https://e.org/f"])
    }
  }

  @Test("the first base, refresh and address count")
  func firsts() {
    #expect(
      candidates("<base href=''><base href='/a/'><base href='/b/'><link rel=feed href=f>") == [
        "https://e.org/a/f"
      ])
    let refresh = "<meta http-equiv=refresh content='5'><meta http-equiv=refresh content='0;url=/a'>"
    #expect(candidates(refresh + "<meta http-equiv=refresh content='0;url=/b'>") == ["https://e.org/a"])
    let twice =
      "<link rel=feed href=/f title=A><link rel=feed href=/f title=B><link rel=feed href=/g title=' '>"
    #expect(
      page(twice).feeds.map(\.title) == ["A", nil] && page(twice).feeds.map(\.hasFeedType) == [true, true])
    #expect(page("<link rel=feed type=text/xml href=/f>").feeds.map(\.hasFeedType) == [false])
  }

  @Test(
    "the address of a refresh stands after `url`, with or without quotes",
    arguments: [
      ("0; url=/x", "https://e.org/x"), ("0;URL = '/x'", "https://e.org/x"),
      ("0; url=\"/x\" ", "https://e.org/x"), ("url/x", "https://e.org/x"),
      ("0; url=", nil), ("0; url=''", nil), ("0", nil), ("0; url=/blog/page#a", nil),
      ("0; url=mailto:a@e", nil), ("0; url=/x\n/y", nil),
    ] as [(String, String?)])
  func refresh(content: String, expected: String?) {
    let quoted = content.replacing("\"", with: "&quot;")
    #expect(page("<meta http-equiv=Refresh content=\"\(quoted)\">").refreshURL == expected)
    #expect(page("<meta http-equiv=other content=\"\(quoted)\">").refreshURL == nil)
    #expect(page("<meta name=refresh content=\"\(quoted)\">").refreshURL == nil)
  }

  @Test("feeds rank before documents, both before comments, and the refresh is last")
  func ranks() {
    let links = [
      ("text/xml", "/1", "Comments"), ("text/rss", "/2", "comment"), ("text/xml", "/comments", ""),
      ("text/xml", "/4", ""), ("text/rss", "/5", ""),
      ("text/rss", "/6", ""),
    ].map { "<link rel=alternate type=\($0) href=\($1) title='\($2)'>" }.joined()
    #expect(
      candidates(links + "<meta http-equiv=refresh content='0;url=/7'>").map {
        $0.dropFirst("https://e.org/".count)
      }
        == ["5", "6", "4", "2", "1", "comments", "7"])
  }

  @Test("an input asks for a password, whatever comes after it")
  func passwords() {
    for (page, expected) in [
      ("<input type=password><input type=text>", true), ("<input type=text><input type=password>", true),
      ("<input>", false),
      ("<p type=password>", false),
    ] {
      #expect(self.page(page).asksForPassword == expected, "\(page)")
    }
  }
}

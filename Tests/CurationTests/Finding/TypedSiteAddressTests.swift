import HTTPTransport
import Testing

@testable import Curation

@Suite("Addresses as people type them") struct TypedSiteAddressTests {
  @Test(
    "a site is tried with https and then with http, and an address with its own scheme",
    arguments: [
      ("site.example", ["https://site.example/", "http://site.example/"]),
      ("Site.example/a?b#c", ["https://site.example/a?b", "http://site.example/a?b"]),
      ("site.example:8080", ["https://site.example:8080/", "http://site.example:8080/"]),
      ("localhost:8080/a", ["https://localhost:8080/a", "http://localhost:8080/a"]),
      ("[::1]/a", ["https://[::1]/a", "http://[::1]/a"]), ("https://a", ["https://a/"]),
      ("HTTP://a/b", ["http://a/b"]),
      ("http:/a.example", ["http://a.example/"]), ("https:a.example", ["https://a.example/"]),
      ("https//a.example", ["https://a.example/"]), ("https/a.example", []),
      ("httpbin.example", ["https://httpbin.example/", "http://httpbin.example/"]),
      ("http://", []), ("https:", []), ("feed:a.example", ["https://a.example/", "http://a.example/"]),
      ("feed://a.example", ["http://a.example/"]),
      ("<site.example>", ["https://site.example/", "http://site.example/"]),
      ("\"site.example\"", ["https://site.example/", "http://site.example/"]), ("\"", []),
      ("<site.example", []),
      ("  site.\n  example/a b \n", ["https://site.example/a%20b", "http://site.example/a%20b"]),
      ("", []), ("kottke", []), ("a/b.c", []), ("a?b.c", []), ("a#b.c", []), ("a:b.c", []),
      ("ann@site.example", []),
      ("site.example/@ann", ["https://site.example/@ann", "http://site.example/@ann"]),
      ("gopher://a.example", []), ("ftp://a.example", []),
    ])
  func candidates(_ typed: String, _ expected: [String]) {
    #expect(TypedSiteAddress.candidates(typed) == expected)
  }

  @Test(
    "guesses begin near the page, unless it is the home page",
    arguments: [
      ("https://a.example/", []), ("https://a.example", []),
      ("https://a.example/b/", ["https://a.example/b/feed/", "https://a.example/b/index.xml"]),
      ("https://a.example/b", ["https://a.example/b/feed/", "https://a.example/b/index.xml"]),
    ])
  func guesses(_ page: String, _ near: [String]) {
    let all = GuessedFeedURLs.all(around: page, root: "https://a.example/")
    #expect(all.count == (near.isEmpty ? 11 : 16))
    #expect(
      Array(all.prefix(2))
        == (near.isEmpty ? ["https://a.example/feed/", "https://a.example/index.xml"] : near))
    #expect(all.last == "https://a.example/feeds/posts/default")
  }

  @Test(
    "the program that made a page has a rule for its feed",
    arguments: [
      ("<meta name=generator content='WordPress 6'>", "https://a.example/b", [], ["https://a.example/feed/"]),
      (
        "<meta name=generator content=Squarespace>", "https://a.example/b", [],
        ["https://a.example/b?format=rss"]
      ),
      ("<meta name=generator content=x>", "https://a.example/b", [], []), ("", "https://a.example/b", [], []),
      ("", "https://a.example/@ann", [("Server", "Mastodon")], ["https://a.example/@ann.rss"]),
      ("", "https://a.example/@ann", [("Link", "</mastodon>; rel=x")], []),
      ("", "https://a.example/ann", [("Server", "Mastodon")], []),
      (
        "<meta name=generator content=Mastodon>", "https://a.example/@ann", [], ["https://a.example/@ann.rss"]
      ),
      (
        "<meta itemprop=identifier content=UCx>", "https://m.youtube.com/@ann", [],
        ["https://www.youtube.com/feeds/videos.xml?channel_id=UCx"]
      ),
      ("<meta itemprop=identifier content=x>", "https://m.youtube.com/@ann", [], []),
      ("<meta itemprop=identifier content=UCx>", "https://a.example/@ann", [], []),
    ] as [(String, String, [(String, String)], [String])])
  func programs(_ head: String, _ url: String, _ headers: [(String, String)], _ expected: [String]) {
    let page = WebPage(Array(head.utf8), contentType: "text/html", url: url)
    let fields = HTTPHeaders(headers.map { HTTPHeaders.Field($0.0, $0.1) })
    #expect(PlatformFeedURLs.feeds(of: page, headers: fields) == expected)
  }
}

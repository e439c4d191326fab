import Catalog
import Testing

@Suite("Feed URLs")
struct WebAddressTests {
  @Test(
    "spellings of one address have one normal form",
    arguments: [
      ("HTTPS://Example.COM/Feed.xml", "https://example.com/Feed.xml"),
      ("https://example.com", "https://example.com/"),
      ("https://example.com?format=rss", "https://example.com/?format=rss"),
      ("https://example.com:443/rss", "https://example.com/rss"),
      ("http://example.com:80/rss", "http://example.com/rss"),
      ("http://example.com:/rss", "http://example.com/rss"),
      ("https://example.com/rss#top", "https://example.com/rss"),
      ("  https://example.com/rss\n", "https://example.com/rss"),
      ("http://[2001:DB8::1]:80/rss", "http://[2001:db8::1]/rss"),
    ])
  func normalForm(text: String, expected: String) {
    #expect(WebAddress.normalized(text) == expected)
  }

  @Test(
    "what a server can tell apart stays apart",
    arguments: [
      "https://example.com:8443/rss", "https://example.com/rss/", "https://www.example.com/rss",
      "http://example.com:443/rss", "https://example.com/RSS?A=b%2F", "http://user@example.com/rss",
    ])
  func unchanged(text: String) {
    #expect(WebAddress.normalized(text) == text)
  }

  @Test("text that is not a web address is only trimmed")
  func notAnAddress() {
    #expect(WebAddress.normalized(" FTP://Example.com ") == "FTP://Example.com")
    #expect(WebAddress.normalized("   ") == "")
  }

  @Test(
    "an unusable URL is explained",
    arguments: [
      ("ftp://example.com/rss", "must start with http"), ("example.com/rss", "must start with http"),
      ("https://exa mple.com", "white space"), ("https:///rss", "no host"),
      ("https://me:secret@example.com/", "user name or password"), ("https://exämple.com/", "outside ASCII"),
      ("https://example..com/", "not a host name"), ("https://example.com:99999/", "not a port"),
      ("https://example.com/{id}", "percent-encoded"),
    ])
  func problems(text: String, expected: String) throws {
    #expect(try #require(WebAddress.problem(with: text)).contains(expected))
  }

  @Test(
    "a usable URL has no problem",
    arguments: [
      "https://example.com", "http://sub-domain.example.co.uk:8080/a/b.xml?x=1&y=%20#z", "http://[::1]/rss",
    ])
  func noProblem(text: String) {
    #expect(WebAddress.problem(with: text) == nil)
  }
}

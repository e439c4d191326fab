import Testing

@testable import Catalog

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
      ("https://Example.com.:443/%e4", "https://example.com/%E4"),
      ("http://example.com./", "http://example.com/"),
      ("http://[2001:DB8::1]:80/rss", "http://[2001:db8::1]/rss"),
      ("https://example.com:/rss", "https://example.com/rss"),
      ("http://example.com:80", "http://example.com/"),
      ("https://example.com?a/b", "https://example.com/?a/b"),
      ("https://example.com#a/b", "https://example.com/"),
      ("https://example.com/rss\u{1F}", "https://example.com/rss"),
      ("\u{1}https://example.com/", "https://example.com/"),
      ("https://EXAMPLE.com/", "https://example.com/"),
      ("http://example.com:8080", "http://example.com:8080/"),
      ("https://eXample.com/A", "https://example.com/A"), ("https://Zample.com/", "https://zample.com/"),
      ("http://Zample.com/", "http://zample.com/"),
      ("https://example.com/%d8%aE?q=%2f%zz%a", "https://example.com/%D8%AE?q=%2F%zz%a"),
    ])
  func normalForm(text: String, expected: String) {
    #expect(WebAddress.normalized(text) == expected)
  }

  @Test(
    "what a server can distinguish stays apart",
    arguments: [
      "https://example.com:8443/rss", "https://example.com/rss/", "https://www.example.com/rss",
      "http://example.com:443/rss", "https://example.com/RSS?A=b%2F", "http://user@example.com/rss",
      "https://example.com:80/rss", "https://example.com:4430/", "http://example.com:8/",
      "https://example.com/!",
      "https://example.com:8x/", "https:///rss", "https://example.com/a:b@c", "https://a_b-c.example9/",
    ])
  func unchanged(text: String) {
    #expect(WebAddress.normalized(text) == text)
  }

  @Test(
    "an unusable URL is explained",
    arguments: [
      ("ftp://example.com/rss", "the URL must start with http:// or https://"),
      ("example.com/rss", "the URL must start with http:// or https://"),
      ("https://exa mple.com", "the URL contains white space"),
      ("https://example.com/\u{7F}", "the URL contains white space"),
      ("https://example.com/\n", "the URL contains white space"), ("https:///rss", "the URL has no host"),
      ("https://:80/", "the URL has no host"),
      ("https://me:secret@example.com/", "the URL contains a user name or password"),
      ("https://@example.com/", "the URL contains a user name or password"),
      (
        "https://example.com/\u{80}",
        "the URL contains a letter outside ASCII: write it percent-encoded (or as punycode in the host)"
      ),
      ("https://example..com/", "'example..com' is not a host name"),
      ("https://.example.com/", "'.example.com' is not a host name"),
      ("https://exa!mple.com/", "'exa!mple.com' is not a host name"),
      ("https://[1]/", "'[1]' is not a host name"), ("https://[::g]/", "'[::g]' is not a host name"),
      ("https://[::1/", "'[:' is not a host name"), ("https://::1]/", "'::1]' is not a host name"),
      ("https://[::1..2]/", "'[::1..2]' is not a host name"),
      ("https://example.com:65536/", "'65536' is not a port"),
      ("https://example.com:0/", "'0' is not a port"),
      ("https://example.com:8a/", "'8a' is not a port"), ("https://example.com:+1/", "'+1' is not a port"),
      ("https://example.com:99999999999999999999/", "'99999999999999999999' is not a port"),
      ("https://example.com/%", "the URL contains '%', which is not a percent escape"),
      ("https://example.com/%4", "the URL contains '%4', which is not a percent escape"),
      ("https://example.com/%4g/", "the URL contains '%4g', which is not a percent escape"),
      ("https://example.com/%20%g4a", "the URL contains '%g4', which is not a percent escape"),
    ])
  func problems(text: String, expected: String) { #expect(WebAddress.problem(with: text) == expected) }
}

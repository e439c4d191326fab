import HTTPTransport
import Testing

@Suite("URL text")
struct URLPartsTests {
  @Test("a URL is normalized, without fragment and credentials")
  func normalized() throws {
    let url = try #require(URLParts("HTTP://user:secret@Example.ORG/a/../b#c"))
    #expect(url.text.lowercased() == "http://example.org/b")
    #expect(url.host == "example.org")
    #expect(url.port == 80)
    #expect(url.origin == "http://example.org:80")
  }

  @Test("a space in a query or a path is %20, not a plus sign; one around the address is dropped")
  func spaces() {
    #expect(URLParts("/x?a=b c", relativeTo: "https://a.example/")?.text == "https://a.example/x?a=b%20c")
    #expect(URLParts("https://a.example/my blog/?q=1+2")?.text == "https://a.example/my%20blog/?q=1+2")
    #expect(URLParts(" https://a.example/x ")?.text == "https://a.example/x")
  }

  @Test("a relative reference is resolved against its base")
  func relative() {
    #expect(URLParts("../x.xml", relativeTo: "https://a.example/b/c/d")?.text == "https://a.example/b/x.xml")
    #expect(URLParts("//b.example/x", relativeTo: "https://a.example/")?.text == "https://b.example/x")
  }

  @Test(
    "only an address of http or https with a host is one",
    arguments: [
      "", "x", "/x", "ftp://a.example/", "file:///x", "https://", "http://a.example:99999/",
      "https://a.example/\u{1F}",
      "https://a.example/\u{7F}", "https://a.example/\n", "mailto:a@b.example", "https://a b.example/",
    ])
  func refused(text: String) {
    #expect(URLParts(text) == nil)
  }

  @Test("a base that is no address resolves nothing")
  func wrongBase() {
    for base in ["http://", "x y"] { #expect(URLParts("https://a.example/", relativeTo: base) == nil) }
    #expect(URLParts("/x?\u{80}", relativeTo: "https://a.example/") != nil)
  }

  @Test(
    "each part of an address",
    arguments: [
      ("https://a.example", "https", "a.example", 443, "/", false),
      ("http://a.example?q=/x", "http", "a.example", 80, "/", false),
      ("https://a.example:8443/x/y?q#f", "https", "a.example", 8443, "/x/y", false),
      ("https://ann@a.example/", "https", "a.example", 443, "/", true),
      ("https://ann:b@a.example/x", "https", "a.example", 443, "/x", true),
      ("https://:b@a.example/", "https", "a.example", 443, "/", true),
      ("HTTPS://[::1]:1/?", "https", "::1", 1, "/", false),
      ("http://127.1/x#y", "http", "127.0.0.1", 80, "/x", false),
    ])
  func parts(text: String, scheme: String, host: String, port: Int, path: String, hasUserInfo: Bool) throws {
    let url = try #require(URLParts(text))
    #expect(url.scheme == scheme && url.host == host && url.port == port && url.path == path)
    #expect(url.hasUserInfo == hasUserInfo && url.origin == "\(scheme)://\(host):\(port)")
    #expect(!url.text.contains("@") && !url.text.contains("#"))
  }

  @Test(
    "this machine is localhost, ::1 and the network 127",
    arguments: [
      ("localhost", true), ("LOCALHOST", true), ("[::1]", true), ("127.0.0.1", true),
      ("127.255.255.255", true), ("2130706433", true),
      ("126.255.255.255", false), ("128.0.0.1", false), ("10.127.0.1", false), ("127.0.0.1.example", false),
      ("127.a.b.c", false),
      ("localhost.example", false), ("[::2]", false), ("127.0.0.x", false),
      ("a.localhost", false),
    ])
  func loopback(host: String, isLoopback: Bool) {
    #expect(URLParts("http://\(host)/")?.isLoopback == isLoopback)
  }
}

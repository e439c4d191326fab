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
    #expect(URLParts("http://a.example/é?خ=%d8#ü")?.text == "http://a.example/%C3%A9?%D8%AE=%d8")
    #expect(URLParts("é", relativeTo: "http://a.example/x/")?.text == "http://a.example/x/%C3%A9")
  }

  @Test("a relative reference is resolved against its base")
  func relative() {
    #expect(URLParts("../x.xml", relativeTo: "https://a.example/b/c/d")?.text == "https://a.example/b/x.xml")
    #expect(URLParts("//b.example/x", relativeTo: "https://a.example/")?.text == "https://b.example/x")
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

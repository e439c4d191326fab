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

  @Test("a relative reference is resolved against its base")
  func relative() {
    #expect(URLParts("../x.xml", relativeTo: "https://a.example/b/c/d")?.text == "https://a.example/b/x.xml")
    #expect(URLParts("//b.example/x", relativeTo: "https://a.example/")?.text == "https://b.example/x")
  }
}

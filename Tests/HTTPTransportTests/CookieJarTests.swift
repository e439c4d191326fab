import Testing

@testable import HTTPTransport

@Suite("Cookies of a chain of redirects")
struct CookieJarTests {
  @Test(
    "a cookie is sent where its domain, path and scheme allow it",
    arguments: [
      ("a=1", "https://www.a.example/x", "a=1"), ("a=1", "https://other.example/", nil),
      ("a=1", "https://a.example/", nil), ("a=1; Domain=a.example", "https://b.a.example/", "a=1"),
      ("a=1; Domain=.a.example", "https://a.example/", "a=1"),
      ("a=1; Domain=example", "https://b.example/", nil),
      ("a=1; Domain=other.example", "https://other.example/", nil),
      ("a=1; Path=/feed", "https://www.a.example/feed/x", "a=1"),
      ("a=1; Path=/feed", "https://www.a.example/feeds", nil), ("a=1; Secure", "http://www.a.example/", nil),
      ("a=1; Max-Age=0", "https://www.a.example/", nil), ("a=1; Max-Age=60", "https://www.a.example/", "a=1"),
      ("a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "https://www.a.example/", nil),
      ("a=1; Expires=Thu, 01 Jan 1970 00:00:01 GMT", "https://www.a.example/", "a=1"),
      ("a=1; Expires=x", "https://www.a.example/", "a=1"),
      ("a=1; Max-Age=-60", "https://www.a.example/", nil),
      ("a=1; Max-Age=1", "https://www.a.example/", "a=1"),
      ("a=1; Max-Age=0; Expires=Thu, 01 Jan 2970 00:00:00 GMT", "https://www.a.example/", nil),
      ("a=1; Secure", "https://www.a.example/", "a=1"), ("a=1", "http://www.a.example/", "a=1"),
      ("a=1; Path=/feed", "https://www.a.example/feed", "a=1"),
      ("a=1; Path=/feed/", "https://www.a.example/feed/x", "a=1"),
      ("a=1; Path=/feed/", "https://www.a.example/feed", nil),
      ("a=1; Path=feed", "https://www.a.example/x", "a=1"),
      ("a=1; Path=/x", "https://www.a.example/?/x", nil),
      ("a=1; Path=/feed", "https://www.a.example/feed?q", "a=1"),
      ("a=1=2", "https://www.a.example/", "a=1=2"), ("a", "https://www.a.example/", "a="),
      ("\ta\t=\t1 2\t", "https://www.a.example/", "a=1 2"),
      ("; a=1", "https://www.a.example/", nil), ("a=1;;Secure", "http://www.a.example/", nil),
      ("", "https://www.a.example/", nil),
      ("a=1; path=/x; PATH=/y", "https://www.a.example/y", "a=1"),
      ("a=1; Domain=WWW.A.example", "https://www.a.example/", "a=1"),
      ("a=1; Domain=a.example", "https://xa.example/", nil),
      ("a=1; Domain=.", "https://www.a.example/", "a=1"),
      (" a = 1 ;HttpOnly", "https://www.a.example/", "a=1"), ("=1", "https://www.a.example/", nil),
    ] as [(String, String, String?)])
  func sent(cookie: String, url: String, expected: String?) throws {
    var jar = CookieJar()
    let origin = try #require(URLParts("https://www.a.example/feed"))
    let target = try #require(URLParts(url))
    jar.take([.init("Set-Cookie", cookie)], from: origin)
    #expect(jar.header(for: target) == expected)
  }

  @Test("a server can set 50 cookies of at most 4,096 bytes, and no more")
  func limits() throws {
    let url = try #require(URLParts("https://a.example/"))
    var jar = CookieJar()
    jar.take([.init("Set-Cookie", "long=" + String(repeating: "x", count: 4092))], from: url)
    #expect(jar.header(for: url) == nil)
    jar.take([.init("Set-Cookie", "long=" + String(repeating: "x", count: 4091))], from: url)
    #expect(jar.header(for: url)?.utf8.count == 4096)
    for number in 0..<60 { jar.take([.init("Set-Cookie", "c\(number)=1")], from: url) }
    #expect(jar.header(for: url)?.split(separator: ";").count == 50)
  }
}

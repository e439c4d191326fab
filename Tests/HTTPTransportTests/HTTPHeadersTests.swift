import HTTPTransport
import Testing

@Suite("HTTP headers and dates")
struct HTTPHeadersTests {
  @Test("names match in any letter case, values keep their order")
  func lookup() {
    var headers: HTTPHeaders = ["Link": "a", "ETag": "x"]
    headers.append("LINK", "b")
    #expect(headers["link"] == "a")
    #expect(headers.values("link") == ["a", "b"])
    headers["Link"] = nil
    #expect(headers.fields.map(\.name) == ["ETag"])
    headers["etag"] = "y"
    #expect(headers.values("ETag") == ["y"])
  }

  @Test(
    "the three date formats of HTTP are parsed, other texts are refused",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777), ("0", nil), ("soon", nil), ("", nil),
    ] as [(String, Int64?)])
  func dates(_ text: String, _ seconds: Int64?) {
    #expect(HTTPDate.secondsSince1970(text) == seconds)
  }
}

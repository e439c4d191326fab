import Testing

@testable import HTTPTransport

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
    #expect(
      headers["ETa"] == nil && headers["ETag2"] == nil && headers["ETaf"] == nil && headers.values("") == [])
    headers["etag"] = "y"
    #expect(headers.values("ETag") == ["y"])
  }

  @Test(
    "the three date formats of HTTP are parsed, other texts are refused",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu, 01 Jan 1970 00:00:01 GMT", 1),
      ("Wed, 31 Dec 1969 23:59:58 GMT", -2),
      // libcurl keeps -1 for a text that is no date, and takes this second for the next one.
      ("Wed, 31 Dec 1969 23:59:59 GMT", 0),
      ("Sun Nov  6 08:49:37 1994", 784_111_777), ("0", nil), ("soon", nil), ("", nil),
    ] as [(String, Int64?)])
  func dates(_ text: String, _ seconds: Int64?) {
    #expect(HTTPDate.secondsSince1970(text) == seconds)
  }
}

@Suite struct RetryAfterTests {
  @Test(
    "a date is relative to the response's own date, or else to the given moment",
    arguments: [
      (Int64?.none, Duration?.none), (1_795_237_205, .seconds(2)), (1_795_237_300, .zero), (.min, nil),
    ])
  func dates(now: Int64?, expected: Duration?) {
    var headers: HTTPHeaders = ["Retry-After": "Sat, 21 Nov 2026 05:00:07 GMT"]
    #expect(headers.retryAfter(from: now) == expected)
    headers["Date"] = "Sat, 21 Nov 2026 05:00:00 GMT"
    #expect(headers.retryAfter(from: now) == .seconds(7))
  }

  @Test("seconds are limited to a century")
  func seconds() {
    let headers: HTTPHeaders = ["Retry-After": "\(Int64.max)"]
    #expect(headers.retryAfter() == .seconds(3_155_760_000))
    let longer: HTTPHeaders = ["Retry-After": "99999999999999999999"]
    #expect(longer.retryAfter() == .seconds(3_155_760_000))
    #expect((["Retry-After": "7"] as HTTPHeaders).retryAfter() == .seconds(7))
    #expect((["Retry-After": "-1"] as HTTPHeaders).retryAfter() == nil)
    #expect(([:] as HTTPHeaders).retryAfter() == nil)
    for (text, seconds) in [
      ("", nil), (" ", nil), ("0", 0), (" \t7 ", 7), ("7 7", nil), ("7s", nil), ("3155759999", 3_155_759_999),
      ("3155760001", 3_155_760_000), ("now", nil), ("tomorrow", nil),
    ] as [(String, Int64?)] {
      #expect(
        (["Retry-After": text] as HTTPHeaders).retryAfter(from: 0) == seconds.map { .seconds($0) }, "\(text)")
    }
    let later: HTTPHeaders = ["Retry-After": "Sun, 01 Jan 2090 00:00:00 GMT"]
    #expect(later.retryAfter(from: -60_000_000_000) == .seconds(3_155_760_000))
  }
}

@Suite("Validators")
struct ValidatorHeaderTests {
  @Test("a validator is sent back with the bytes it came with, in any encoding")
  func bytes() throws {
    for bytes: [UInt8] in [[0x22, 0xE9, 0x22], [0x22, 0xC3, 0xA9, 0x22]] {
      let text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
      let request = HTTPRequest(url: "http://a.example/", headers: ["If-None-Match": text, "X": "é"])
      let sent = try request.headerLines()
      let lines = sent.map { line in line.dropLast().map { UInt8(bitPattern: $0) } }
      #expect(lines.contains(Array("If-None-Match: ".utf8) + bytes))
      #expect(lines.contains(Array("X: é".utf8)))
    }
  }

  @Test("only validators are kept byte for byte")
  func names() {
    #expect(ValidatorHeader.isReceived("ETag") && ValidatorHeader.isReceived("last-modified"))
    #expect(!ValidatorHeader.isReceived("Location") && !ValidatorHeader.isReceived("If-None-Match"))
    #expect(ValidatorHeader.isSent("if-none-match") && ValidatorHeader.isSent("If-Modified-Since"))
    #expect(!ValidatorHeader.isSent("ETag") && !ValidatorHeader.isSent("If-Match"))
    #expect(ValidatorHeader.bytes("") == [] && ValidatorHeader.bytes("\u{0}\u{FF}") == [0, 255])
    #expect(ValidatorHeader.bytes("a\u{100}") == nil)
    #expect(ValidatorHeader.bytes("Ω") == nil)
  }
}

import HTTPTransport
import Testing

@testable import CloudKitModel
@testable import FeedFetching

@Suite struct CacheDirectivesTests {
  @Test(
    "Retry-After is seconds or a date",
    arguments: [
      ("120", Duration?.some(.seconds(120))), (" 0 ", .zero),
      ("Mon, 02 Mar 2026 12:10:00 GMT", .seconds(600)),
      ("Mon, 02 Mar 2026 11:00:00 GMT", .zero), ("-5", nil), ("soon", nil), ("", nil),
      ("9223372036854775807", .seconds(3_155_760_000)), ("Thu, 01 Jan 300000000 00:00:00 GMT", nil),
      ("Fri, 31 Dec 9999 23:59:59 GMT", .seconds(3_155_760_000)),
      ("99999999999999999999", .seconds(3_155_760_000)),
    ])
  func retryAfter(value: String, expected: Duration?) {
    #expect(CacheDirectives(["Retry-After": value], status: 200, at: .monday).retryAfter == expected)
  }

  @Test(
    "freshness comes from Cache-Control, then Expires",
    arguments: [
      (["Cache-Control": "public, max-age=3600"], Duration?.some(.seconds(3600))),
      (["Cache-Control": "max-age=\"60\""], .seconds(60)),
      (["Cache-Control": "max-age=3600", "Age": "600"], .seconds(3000)),
      (["Cache-Control": "max-age=60", "Age": "90"], nil),
      (["Cache-Control": "max-age=60", "Age": "60"], nil),
      (["Cache-Control": "max-age=60", "Age": "59"], .seconds(1)),
      (["Cache-Control": "max-age=60", "Age": "-9"], .seconds(60)), (["Cache-Control": "max-age=0"], nil),
      (["Cache-Control": "no-store, max-age=3600"], nil), (["Cache-Control": "max-age=60=1"], nil),
      (["Cache-Control": "max-age"], nil), (["Cache-Control": " , MAX-AGE = 60 ,x"], .seconds(60)),
      (["Cache-Control": "max-age=3155760001"], .seconds(3_155_760_000)),
      (["Expires": "Mon, 02 Mar 2026 12:00:00 GMT"], nil),
      (["Expires": "Mon, 02 Mar 2026 12:00:01 GMT"], .seconds(1)),
      (["Cache-Control": "no-cache, max-age=3600"], nil),
      (["Cache-Control": "max-age=oops"], nil),
      (["Cache-Control": "max-age=60", "Expires": "Mon, 02 Mar 2026 14:00:00 GMT"], .seconds(60)),
      (["Expires": "Mon, 02 Mar 2026 14:00:00 GMT"], .seconds(7200)),
      (
        ["Expires": "Mon, 02 Mar 2026 14:00:00 GMT", "Date": "Mon, 02 Mar 2026 13:00:00 GMT"], .seconds(3600)
      ),
      (["Expires": "0"], nil), (["Expires": "Thu, 01 Jan 300000000 00:00:00 GMT"], nil),
      (
        ["Expires": "Mon, 02 Mar 2026 14:00:00 GMT", "Date": "Thu, 01 Jan 300000000 00:00:00 GMT"],
        .seconds(7200)
      ),
      (
        ["Cache-Control": "max-age=9223372036854775807", "Age": "-9223372036854775808"],
        .seconds(3_155_760_000)
      ),
      (["Expires": "Mon, 02 Mar 2020 14:00:00 GMT"], nil), ([:], nil),
    ])
  func freshness(headers: [String: String], expected: Duration?) {
    let fields = headers.map { HTTPHeaders.Field($0.key, $0.value) }
    #expect(CacheDirectives(HTTPHeaders(fields), status: 200, at: .monday).freshFor == expected)
  }

  @Test(
    "the end of a quota counts where the answer asks for a pause and has no Retry-After",
    arguments: [
      ("42", 429, 42), ("41.2", 503, 42), ("42", 200, nil), ("-1", 429, nil), ("soon", 429, nil),
      ("nan", 429, nil),
      ("1000000000", 429, 1_000_000_000),
      // By the host's clock, which is a day ahead.
      ("1772539260", 429, 60), ("1772539260000", 429, 60), ("1772539000", 429, 0),
    ] as [(String, Int, Int64?)])
  func endOfQuota(value: String, status: Int, expected: Int64?) {
    for name in ["X-RateLimit-Reset", "ratelimit-reset"] {
      let headers: HTTPHeaders = [name: value, "Date": "Tue, 03 Mar 2026 12:00:00 GMT"]
      let found = CacheDirectives(headers, status: status, at: .monday).retryAfter
      #expect(found == expected.map { .seconds($0) })
    }
    let both: HTTPHeaders = ["X-RateLimit-Reset": value, "Retry-After": "7"]
    #expect(CacheDirectives(both, status: status, at: .monday).retryAfter == .seconds(7))
  }
}

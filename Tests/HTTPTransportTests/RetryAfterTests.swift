import HTTPTransport
import Testing

@Suite struct RetryAfterTests {
  private let date = "Sat, 21 Nov 2026 05:00:00 GMT"

  @Test(
    "a date is relative to the given moment, or else to the response's own date",
    arguments: [
      (Int64?.none, Duration?.some(.seconds(7))), (1_795_237_205, .seconds(2)), (1_795_237_300, .zero),
      (.min, nil),
    ])
  func dates(now: Int64?, expected: Duration?) {
    let headers: HTTPHeaders = ["Date": date, "Retry-After": "Sat, 21 Nov 2026 05:00:07 GMT"]
    #expect(headers.retryAfter(from: now) == expected)
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
  }

  @Test("dates outside the years 1 to 9999 are refused")
  func years() {
    #expect(HTTPDate.secondsSince1970("Thu, 01 Jan 300000000 00:00:00 GMT") == nil)
    #expect(HTTPDate.secondsSince1970(date) == 1_795_237_200)
  }

  @Test(
    "durations in milliseconds are clamped",
    arguments: [
      (Duration.milliseconds(-1500), Int64(-1500)), (.seconds(Int64.max), .max), (.seconds(Int64.min), .min),
      (.microseconds(1999), 1),
    ])
  func milliseconds(duration: Duration, expected: Int64) { #expect(duration.milliseconds == expected) }
}

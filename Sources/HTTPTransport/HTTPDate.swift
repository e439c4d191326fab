import CCurl

/// The date formats of RFC 9110, section 5.6.7, parsed by libcurl, which is lenient.
public enum HTTPDate {
  /// The years 1 to 9999. Dates outside are refused, so that sums of seconds cannot overflow.
  private static let range: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

  /// Seconds since 1970, in the years 1 to 9999; `nil` when the text is not a date.
  public static func secondsSince1970(_ text: String) -> Int64? {
    let seconds = Int64(curl_getdate(text, nil))
    return seconds == -1 || !range.contains(seconds) ? nil : seconds
  }
}

extension HTTPHeaders {
  /// A century, in seconds: longer than any wait that callers allow, and far from an overflow.
  private static let maxRetry: Int64 = 3_155_760_000

  /// How long to wait before the next request, from `Retry-After` in seconds or as a date (RFC 9110, section 10.2.3):
  /// whole seconds, at most a century; `nil` when the header is missing or unreadable.
  ///
  /// - Parameter now: seconds since 1970 that a date is relative to; `nil` uses the response's own `Date`.
  public func retryAfter(from now: Int64? = nil) -> Duration? {
    guard let words = self["Retry-After"]?.split(whereSeparator: { $0 == " " || $0 == "\t" }) else {
      return nil
    }
    let text = words.joined(separator: " ")
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // More digits than an Int64 holds are still a number.
      return .seconds(min(Int64(text) ?? .max, Self.maxRetry))
    }
    // libcurl also accepts some plain words as dates.
    guard text.contains(":"), let then = HTTPDate.secondsSince1970(text),
      let now = now ?? self["Date"].flatMap(HTTPDate.secondsSince1970)
    else { return nil }
    let (seconds, overflow) = then.subtractingReportingOverflow(now)
    return overflow ? nil : .seconds(min(max(0, seconds), Self.maxRetry))
  }
}

extension Duration {
  /// Whole milliseconds, rounded towards zero and clamped to the range of `Int64`.
  public var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    let (sum, isOver) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
    return overflow || isOver ? (seconds < 0 ? .min : .max) : sum
  }
}

import CCurl

/// The date forms of RFC 9110, section 5.6.7, read leniently as libcurl does.
public enum HTTPDate {
  /// The years that these forms can write: a server may send others, and sums of such seconds must not overflow.
  private static let range: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

  /// Seconds since 1970, in the years 1 to 9999; `nil` when the text is no date.
  public static func secondsSince1970(_ text: String) -> Int64? {
    let seconds = Int64(curl_getdate(text, nil))
    return seconds == -1 || !range.contains(seconds) ? nil : seconds
  }
}

extension HTTPHeaders {
  /// A century: beyond any bound that is applied later, and far from what would overflow.
  private static let longestRetry: Int64 = 3_155_760_000

  /// How long the server asks to be left alone, from `Retry-After` in seconds or as a date (RFC 9110, section 10.2.3):
  /// whole seconds, a century at most; `nil` without it, and when it cannot be read.
  ///
  /// - Parameter now: seconds since 1970 that a date is counted from; `nil` takes the answer's own `Date`.
  public func retryAfter(from now: Int64? = nil) -> Duration? {
    guard let words = self["Retry-After"]?.split(whereSeparator: { $0 == " " || $0 == "\t" }) else {
      return nil
    }
    let text = words.joined(separator: " ")
    if let seconds = Int64(text) { return seconds >= 0 ? .seconds(min(seconds, Self.longestRetry)) : nil }
    // libcurl takes some plain words for dates.
    guard text.contains(":"), let then = HTTPDate.secondsSince1970(text),
      let now = now ?? self["Date"].flatMap(HTTPDate.secondsSince1970)
    else { return nil }
    let (seconds, overflow) = then.subtractingReportingOverflow(now)
    return overflow ? nil : .seconds(min(max(0, seconds), Self.longestRetry))
  }
}

extension Duration {
  /// Whole milliseconds, rounded towards zero; clamped to what an Int64 holds.
  public var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    let (sum, isOver) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
    return overflow || isOver ? (seconds < 0 ? .min : .max) : sum
  }
}

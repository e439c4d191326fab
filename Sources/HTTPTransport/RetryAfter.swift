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

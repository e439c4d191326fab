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

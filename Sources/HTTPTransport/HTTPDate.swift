import CCurl

/// The date forms of RFC 9110, section 5.6.7, read leniently as libcurl does.
public enum HTTPDate {
  /// Seconds since 1970; `nil` when the text is no date.
  public static func secondsSince1970(_ text: String) -> Int64? {
    let seconds = curl_getdate(text, nil)
    return seconds == -1 ? nil : Int64(seconds)
  }
}

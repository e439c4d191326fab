/// A date and a time of day in UTC. Unlike a Foundation formatter it loads no calendar data, which takes longer than
/// many commands do otherwise.
public enum UTCTime {
  /// `2026-11-21T05:04:03Z`, with milliseconds unless they are 0. Uses the Gregorian calendar before 1582, too, as
  /// ISO 8601 does.
  ///
  /// - Parameter milliseconds: since 1970, in the years 1 to 9999.
  public static func iso8601(millisecondsSince1970 milliseconds: Int64) -> String {
    let (seconds, fraction) = milliseconds.floorDivided(by: 1000)
    let text = iso8601(secondsSince1970: seconds)
    return fraction == 0 ? text : "\(text.dropLast()).\(padded(fraction, 3))Z"
  }

  /// `2026-11-21T05:04:03Z`.
  ///
  /// - Parameter seconds: since 1970, in the years 1 to 9999.
  public static func iso8601(secondsSince1970 seconds: Int64) -> String {
    var moment = time_t(seconds)
    var parts = tm()
    gmtime_r(&moment, &parts)
    let date =
      "\(padded(Int(parts.tm_year) + 1900, 4))-\(padded(parts.tm_mon + 1, 2))-\(padded(parts.tm_mday, 2))"
    return date + "T\(padded(parts.tm_hour, 2)):\(padded(parts.tm_min, 2)):\(padded(parts.tm_sec, 2))Z"
  }

  /// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7). The process never changes the C locale, so names are
  /// in English.
  public static func httpDate(secondsSince1970 seconds: Int64) -> String {
    var moment = time_t(seconds)
    var parts = tm()
    gmtime_r(&moment, &parts)
    return String(unsafeUninitializedCapacity: 64) { buffer in
      buffer.withMemoryRebound(to: CChar.self) {
        strftime($0.baseAddress, $0.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
      }
    }
  }

  private static func padded(_ value: some BinaryInteger, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}

extension BinaryInteger {
  /// The quotient, rounded toward negative infinity, and the remainder, which is never negative.
  ///
  /// - Parameter divisor: greater than 0.
  @inlinable
  public func floorDivided(by divisor: Self) -> (quotient: Self, remainder: Self) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

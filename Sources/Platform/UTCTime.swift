internal import FoundationEssentials

/// A date and a time of day in UTC. Unlike a Foundation formatter it loads no calendar data, which takes longer than
/// many commands do otherwise.
package enum UTCTime {
  /// In milliseconds since 1970: the years 1 to 9999, which ISO 8601 writes with four digits.
  package static let years: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

  /// `2026-11-21T05:04:03Z`, with milliseconds unless they are 0. Uses the Gregorian calendar before 1582, too, as
  /// ISO 8601 does.
  ///
  /// - Parameter milliseconds: since 1970, in the years 1 to 9999.
  package static func iso8601(millisecondsSince1970 milliseconds: Int64) -> String {
    let (seconds, fraction) = milliseconds.floorDivided(by: 1000)
    let parts = parts(seconds)
    return String(unsafeUninitializedCapacity: 24) { bytes in
      var count = 0
      func write(_ value: some BinaryInteger, _ width: Int, _ mark: Unicode.Scalar) {
        var rest = Int(value)
        for index in (count..<count + width).reversed() {
          bytes[index] = UInt8(0x30 + rest % 10)
          rest /= 10
        }
        bytes[count + width] = UInt8(ascii: mark)
        count += width + 1
      }
      write(parts.tm_year + 1900, 4, "-")
      write(parts.tm_mon + 1, 2, "-")
      write(parts.tm_mday, 2, "T")
      write(parts.tm_hour, 2, ":")
      write(parts.tm_min, 2, ":")
      write(parts.tm_sec, 2, fraction == 0 ? "Z" : ".")
      if fraction != 0 { write(fraction, 3, "Z") }
      return count
    }
  }

  /// `2026-11-21T05:04:03Z`.
  ///
  /// - Parameter seconds: since 1970, in the years 1 to 9999.
  package static func iso8601(secondsSince1970 seconds: Int64) -> String {
    iso8601(millisecondsSince1970: seconds * 1000)
  }

  /// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7). The process never changes the C locale, so names are
  /// in English.
  package static func httpDate(secondsSince1970 seconds: Int64) -> String {
    text(seconds, "%a, %d %b %Y %H:%M:%S GMT")
  }

  /// `6 Nov`, with the name in English.
  package static func dayAndMonth(secondsSince1970 seconds: Int64) -> String {
    String(text(seconds, "%e %b").drop { $0 == " " })
  }

  private static func text(_ seconds: Int64, _ pattern: String) -> String {
    var parts = parts(seconds)
    return String(unsafeUninitializedCapacity: 64) { buffer in
      buffer.withMemoryRebound(to: CChar.self) { strftime($0.baseAddress, $0.count, pattern, &parts) }
    }
  }

  private static func parts(_ secondsSince1970: Int64) -> tm {
    var moment = time_t(secondsSince1970)
    var parts = tm()
    gmtime_r(&moment, &parts)
    return parts
  }

  /// The milliseconds since 1970 of a text: ISO 8601 in the years 1 to 9999, a date alone included, or the number
  /// itself. `nil` for other texts and for days and hours that do not exist.
  package static func milliseconds(_ text: String) -> Int64? {
    Int64(text) ?? milliseconds(iso8601: text) ?? milliseconds(iso8601: text + "T00:00:00Z")
  }

  /// The milliseconds since 1970 of a text that sets a clock. `nil` for a text that ``milliseconds(_:)`` does not read,
  /// and for numbers outside of the years 1 to 9999, so that no sum of a time and a duration overflows.
  package static func clock(_ text: String) -> Int64? {
    milliseconds(text).flatMap { years.contains($0) ? $0 : nil }
  }

  /// The seconds since 1970 of a text in exactly the form that ``iso8601(secondsSince1970:)`` writes; `nil` for others, and
  /// for days and times that do not exist.
  package static func wholeSeconds(_ text: String) -> Int64? {
    guard let seconds = clock(text)?.floorDivided(by: 1000).quotient else { return nil }
    return iso8601(secondsSince1970: seconds) == text ? seconds : nil
  }

  private static func milliseconds(iso8601 text: String) -> Int64? {
    guard text.first != "+", let year = Int(text.prefix(4)), 1...9999 ~= year, text.dropFirst(4).first == "-"
    else { return nil }
    let usual = String(GregorianCycle.firstYear + year % GregorianCycle.years) + text.dropFirst(4)
    // Foundation takes the 30th of February for the 2nd of March, and 25 hours for a day and one.
    guard isPossible(usual), let date = try? Date(usual, strategy: .iso8601) else { return nil }
    let cycles = Int64(year / GregorianCycle.years - GregorianCycle.firstYear / GregorianCycle.years)
    return Int64((date.timeIntervalSince1970 * 1000).rounded()) + cycles * GregorianCycle.seconds * 1000
  }

  /// Whether the day is in the calendar and the time on the clock, as `2026-02-28T23:59:59` is.
  private static func isPossible(_ text: String) -> Bool {
    let parts = text.utf8.split { !(0x30...0x39).contains($0) }.prefix(6).map { Int(Substring($0)) ?? 0 }
    guard parts.count >= 3, (1...12).contains(parts[1]) else { return false }
    let isLeap = parts[0] % 4 == 0 && (parts[0] % 100 != 0 || parts[0] % 400 == 0)
    let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][parts[1] - 1]
    let time = parts.dropFirst(3)
    return (1...days).contains(parts[2]) && zip(time, [24, 60, 61]).allSatisfy { $0 < $1 }
  }
}

/// The 400 years after which the Gregorian calendar repeats itself. Dates are read as those from 2000 to 2399: Foundation
/// counts the days before October 1582 by the Julian calendar, ISO 8601 does not.
private enum GregorianCycle {
  static let years = 400
  static let firstYear = 2000
  static let seconds: Int64 = 146_097 * 86_400
}

extension BinaryInteger {
  /// The quotient, rounded toward negative infinity, and the remainder, which is never negative.
  ///
  /// - Parameter divisor: greater than 0.
  @inlinable package func floorDivided(by divisor: Self) -> (quotient: Self, remainder: Self) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

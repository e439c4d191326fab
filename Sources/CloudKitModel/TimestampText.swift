public import FoundationEssentials
internal import Platform

extension Timestamp {
  /// From 0001-01-01T00:00:00Z to 9999-12-31T23:59:59.999Z: the years ISO 8601 writes with four digits.
  private static let datable: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

  /// ISO 8601 in UTC, with milliseconds only when there are any. Outside the years 1 to 9999 the number of
  /// milliseconds, which ``init(text:)`` reads back as well: any client may store such a value.
  public var iso8601: String {
    guard Timestamp.datable.contains(milliseconds) else { return String(milliseconds) }
    return UTCTime.iso8601(millisecondsSince1970: milliseconds)
  }

  /// Reads ISO 8601, a date alone included, or whole milliseconds since 1970.
  public init?(text: String) {
    if let milliseconds = Int64(text) {
      self.init(milliseconds: milliseconds)
    } else if let milliseconds = Timestamp.milliseconds(text) ?? Timestamp.milliseconds(text + "T00:00:00Z") {
      self.init(milliseconds: milliseconds)
    } else {
      return nil
    }
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

  private static func milliseconds(_ text: String) -> Int64? {
    guard text.first != "+", let year = Int(text.prefix(4)), 1...9999 ~= year else { return nil }
    let usual = String(GregorianCycle.firstYear + year % GregorianCycle.years) + text.dropFirst(4)
    // Foundation takes the 30th of February for the 2nd of March, and 25 hours for a day and one.
    guard isPossible(usual), let date = try? Date(usual, strategy: .iso8601) else { return nil }
    let cycles = Int64(year / GregorianCycle.years - GregorianCycle.firstYear / GregorianCycle.years)
    return Int64((date.timeIntervalSince1970 * 1000).rounded()) + cycles * GregorianCycle.seconds * 1000
  }
}

extension Timestamp {
  /// The millisecond that the date falls into.
  public init(_ date: Date) {
    self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded(.down)))
  }

  public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}

/// The 400 years after which the Gregorian calendar repeats itself. Dates are read as those from 2000 to 2399: Foundation
/// counts the days before October 1582 by the Julian calendar, ISO 8601 does not.
private enum GregorianCycle {
  static let years = 400
  static let firstYear = 2000
  static let seconds: Int64 = 146_097 * 86_400
}

internal import XMLReading

/// Dates in ISO 8601 and its W3C profile, with the deviations of feeds: a space instead of `T`, a missing or unusually
/// separated zone, two-digit years, ordinal days.
enum ISO8601Date {
  /// ISO 8601:2004 removed the forms without a century, so five digits for a later year are not a date.
  private static let lastTruncatedYear = 2004

  private static let dash = UInt8(ascii: "-")

  static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> CivilTime? {
    guard bytes[0].isDigit || bytes[0] == UInt8(ascii: "-") else { return nil }
    var scanner = DateScanner(bytes)
    var civil = CivilTime()
    guard date(&scanner, &civil) else { return nil }
    if scanner.isAtEnd { return civil }
    guard time(&scanner, &civil), scanner.isAtEnd else { return nil }
    return civil
  }

  private static func date(_ scanner: inout DateScanner, _ civil: inout CivilTime) -> Bool {
    if scanner.take(dash) { return centuryless(&scanner, &civil) }
    switch scanner.digitsAhead {
    case 4:
      civil.year = scanner.digits(4) ?? 0
      if scanner.peek == UInt8(ascii: "W") || scanner.peek(at: 1) == UInt8(ascii: "W") {
        return week(&scanner, &civil)
      }
    case 8: return compact(&scanner, &civil, yearDigits: 4)
    case 7:
      civil.year = scanner.digits(4) ?? 0
      return civil.setOrdinalDay(scanner.digits(3) ?? 0)
    case 6: return compact(&scanner, &civil, yearDigits: 2)
    case 5:
      // YYDDD: a two-digit year and an ordinal day.
      civil.year = CivilTime.fullYear(scanner.digits(2) ?? 0, digits: 2)
      return civil.year <= lastTruncatedYear && civil.setOrdinalDay(scanner.digits(3) ?? 0)
    case 2:
      guard scanner.peek(at: 2) == dash else { return false }
      civil.year = CivilTime.fullYear(scanner.digits(2) ?? 0, digits: 2)
    default: return false
    }
    return scanner.isAtEnd || separated(&scanner, &civil)
  }

  /// After a year: `-Www`, `-Www-D` and the same without dashes.
  private static func week(_ scanner: inout DateScanner, _ civil: inout CivilTime) -> Bool {
    let isDashed = scanner.take(dash)
    guard scanner.take(UInt8(ascii: "W")), let week = scanner.digits(2) else { return false }
    guard isDashed ? scanner.take(dash) : scanner.digitsAhead == 1 else { return civil.setWeek(week, day: 1) }
    return scanner.digits(1).map { civil.setWeek(week, day: $0) } == true
  }

  /// `-YYMM` and `-YY-MM`: ISO 8601:1988, section 5.2.1.3.
  private static func centuryless(_ scanner: inout DateScanner, _ civil: inout CivilTime) -> Bool {
    guard let year = scanner.digits(2) else { return false }
    _ = scanner.take(UInt8(ascii: "-"))
    guard let month = scanner.digits(2), scanner.isAtEnd else { return false }
    civil.year = CivilTime.fullYear(year, digits: 2)
    civil.month = month
    return true
  }

  private static func compact(
    _ scanner: inout DateScanner, _ civil: inout CivilTime, yearDigits: Int
  ) -> Bool {
    guard let year = scanner.digits(yearDigits), let month = scanner.digits(2),
      let day = scanner.digits(2)
    else { return false }
    civil.year = CivilTime.fullYear(year, digits: yearDigits)
    civil.month = month
    civil.day = day
    return true
  }

  /// After a year: `-MM`, `-MM-DD` (or with `/` or `.`), `-DDD`.
  private static func separated(_ scanner: inout DateScanner, _ civil: inout CivilTime) -> Bool {
    guard let separator = scanner.peek,
      [UInt8(ascii: "-"), UInt8(ascii: "/"), UInt8(ascii: ".")].contains(separator)
    else { return false }
    scanner.advance()
    guard let part = scanner.number() else { return false }
    if part.digits == 3, scanner.peek != separator { return civil.setOrdinalDay(part.value) }
    guard part.digits <= 2 || part.digits == 3 && part.value <= 12 else { return false }
    civil.month = part.value
    if scanner.isAtEnd { return separator == UInt8(ascii: "-") }
    guard scanner.take(separator), let day = scanner.number(), day.digits <= 2 else { return false }
    civil.day = day.value
    return true
  }

  private static func time(_ scanner: inout DateScanner, _ civil: inout CivilTime) -> Bool {
    guard let byte = scanner.peek else { return true }
    guard byte.lowercased == UInt8(ascii: "t") || byte.isSpace else { return false }
    scanner.advance()
    scanner.skipSpaces()
    guard clock(&scanner, &civil) else { return false }
    scanner.skipSpaces()
    return zone(&scanner, &civil)
  }

  private static func clock(_ scanner: inout DateScanner, _ civil: inout CivilTime) -> Bool {
    switch scanner.digitsAhead {
    case 6, 4:
      // 101455 and 1014, without colons.
      let hasSeconds = scanner.digitsAhead == 6
      civil.hour = scanner.digits(2) ?? 0
      civil.minute = scanner.digits(2) ?? 0
      if hasSeconds { civil.second = scanner.digits(2) ?? 0 }
      return true
    case 2 where scanner.peek(at: 2) != UInt8(ascii: ":"):
      civil.hour = scanner.digits(2) ?? 0
      return true
    default: return scanner.time(into: &civil)
    }
  }

  static func zone(_ scanner: inout DateScanner, _ civil: inout CivilTime) -> Bool {
    guard let byte = scanner.peek else { return true }
    if byte.isLetter {
      guard let minutes = CalendarNames.zone(scanner.token()) else { return false }
      civil.offset = minutes
      return true
    }
    guard let minutes = scanner.offset() else { return false }
    civil.offset = minutes
    return true
  }
}

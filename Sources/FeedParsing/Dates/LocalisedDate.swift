/// Dates of publishing systems that write them in their own language: Korean (OnBlog, Nate) and Hungarian.
enum LocalisedDate {
  /// Korea keeps one time zone without summer time.
  private static let koreaOffset = 9 * 60

  static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> CivilTime? {
    guard bytes[0].isDigit, bytes.contains(where: { $0 >= 0x80 }) else { return nil }
    return korean(bytes) ?? hungarian(bytes)
  }

  /// `2004년 05월 28일 01:31:15` and `2004-05-25 오후 11:23:17`.
  private static func korean(_ bytes: UnsafeBufferPointer<UInt8>) -> CivilTime? {
    var scanner = DateScanner(bytes)
    var civil = CivilTime(offset: koreaOffset)
    guard let year = scanner.digits(4) else { return nil }
    civil.year = year
    guard skip(&scanner, "년") || scanner.take(UInt8(ascii: "-")) else { return nil }
    guard let month = scanner.number() else { return nil }
    civil.month = month.value
    guard skip(&scanner, "월") || scanner.take(UInt8(ascii: "-")) else { return nil }
    guard let day = scanner.number() else { return nil }
    civil.day = day.value
    _ = skip(&scanner, "일")
    scanner.skipSpaces()
    let isAfternoon = skip(&scanner, "오후")
    let isHalfDay = isAfternoon || skip(&scanner, "오전")
    guard scanner.time(into: &civil), scanner.isAtEnd else { return nil }
    if isHalfDay { civil.hour = civil.hour % 12 + (isAfternoon ? 12 : 0) }
    return civil
  }

  private static func skip(_ scanner: inout DateScanner, _ word: StaticString) -> Bool {
    guard scanner.rest.startsIgnoringCase(word) else { return false }
    scanner.advance(word.utf8CodeUnitCount)
    scanner.skipSpaces()
    return true
  }

  /// `2004-július-13T9:15-05:00`
  private static func hungarian(_ bytes: UnsafeBufferPointer<UInt8>) -> CivilTime? {
    var scanner = DateScanner(bytes)
    var civil = CivilTime()
    guard let year = scanner.digits(4), scanner.take(UInt8(ascii: "-")),
      let month = CalendarNames.month(scanner.word()), scanner.take(UInt8(ascii: "-")),
      let day = scanner.number(), scanner.take(UInt8(ascii: "T")) || scanner.take(UInt8(ascii: " ")),
      scanner.time(into: &civil), ISODate.zone(&scanner, &civil), scanner.isAtEnd
    else { return nil }
    civil.year = year
    civil.month = month
    civil.day = day.value
    return civil
  }
}

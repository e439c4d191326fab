internal import XMLReading

/// Dates of publishing systems that use their own language: Korean (OnBlog, Nate), Japanese, Chinese and Hungarian.
enum LocalizedDate {
  /// Korea has one time zone without daylight saving time.
  private static let koreaOffset = 9 * 60

  static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> CivilTime? {
    guard bytes[0].isDigit, bytes.contains(where: { $0 >= 0x80 }) else { return nil }
    return eastAsian(bytes) ?? hungarian(bytes)
  }

  /// `2004년 05월 28일 01:31:15`, `2004-05-25 오후 11:23:17`, `2004年5月28日` with or without a time. Dates with
  /// Chinese characters come from several time zones, so they count as UTC.
  private static func eastAsian(_ bytes: UnsafeBufferPointer<UInt8>) -> CivilTime? {
    var scanner = DateScanner(bytes)
    var civil = CivilTime()
    guard let year = scanner.digits(4) else { return nil }
    civil.year = year
    let isChinese = skip(&scanner, "年")
    if !isChinese { civil.offset = koreaOffset }
    guard isChinese || skip(&scanner, "년") || scanner.take(UInt8(ascii: "-")),
      let month = scanner.number(),
      skip(&scanner, "月") || skip(&scanner, "월") || scanner.take(UInt8(ascii: "-")),
      let day = scanner.number()
    else { return nil }
    civil.month = month.value
    civil.day = day.value
    _ = skip(&scanner, "日") || skip(&scanner, "일")
    scanner.skipSpaces()
    if isChinese, scanner.isAtEnd { return civil }
    let isAfternoon = skip(&scanner, "오후") || isChinese && (skip(&scanner, "下午") || skip(&scanner, "午後"))
    let isHalfDay =
      isAfternoon || skip(&scanner, "오전") || isChinese && (skip(&scanner, "上午") || skip(&scanner, "午前"))
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
      scanner.time(into: &civil), ISO8601Date.zone(&scanner, &civil), scanner.isAtEnd
    else { return nil }
    civil.year = year
    civil.month = month
    civil.day = day.value
    return civil
  }
}

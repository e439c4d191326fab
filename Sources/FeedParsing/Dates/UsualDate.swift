/// The form that nearly every RSS item has, `Tue, 03 Jun 2025 09:39:21 GMT`, read without looking for any other:
/// a feed is mostly texts and dates, and the texts are only copied.
enum UsualDate {
  /// `nil` for anything in another form, and for names of zones other than UTC's.
  static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> CivilTime? {
    guard bytes.count >= 20 else { return nil }
    var scanner = DateScanner(bytes)
    if bytes[0].isLetter {
      guard bytes[3] == UInt8(ascii: ","), bytes[4] == 0x20, CalendarNames.shortWeekday(bytes) != nil
      else { return nil }
      scanner.advance(5)
    }
    var civil = CivilTime()
    guard let day = scanner.number(), day.digits <= 2, scanner.take(0x20),
      let month = month(scanner), take(4, &scanner), let year = scanner.digits(4), scanner.take(0x20),
      clock(&scanner, &civil), scanner.take(0x20), let offset = zone(scanner)
    else { return nil }
    civil.year = year
    civil.month = month
    civil.day = day.value
    civil.offset = offset
    return civil
  }

  private static func take(_ count: Int, _ scanner: inout DateScanner) -> Bool {
    scanner.advance(count)
    return true
  }

  private static func clock(_ scanner: inout DateScanner, _ civil: inout CivilTime) -> Bool {
    let colon = UInt8(ascii: ":")
    guard let hour = scanner.digits(2), scanner.take(colon), let minute = scanner.digits(2),
      scanner.take(colon), let second = scanner.digits(2)
    else { return false }
    civil.hour = hour
    civil.minute = minute
    civil.second = second
    return true
  }

  /// `GMT`, `UTC` or `+0200`, and nothing after it.
  private static func zone(_ scanner: DateScanner) -> Int? {
    let rest = scanner.rest
    if rest.count == 3 { return isUTC(rest) ? 0 : nil }
    guard rest.count == 5 else { return nil }
    var scanner = scanner
    let sign = rest[0]
    scanner.advance()
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), let hours = scanner.digits(2),
      let minutes = scanner.digits(2)
    else { return nil }
    let offset = hours * 60 + minutes
    return sign == UInt8(ascii: "-") ? -offset : offset
  }

  /// Three letters and a space, at the scanner's place.
  private static func month(_ scanner: DateScanner) -> Int? {
    let rest = scanner.rest
    guard rest.count > 4, rest[3] == 0x20 else { return nil }
    return CalendarNames.shortMonth(rest)
  }

  private static func isUTC(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.startsIgnoringCase("gmt") || bytes.startsIgnoringCase("utc")
  }
}

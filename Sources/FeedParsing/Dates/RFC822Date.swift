internal import XMLReading

/// Parses the format of nearly all RSS dates, `Tue, 03 Jun 2025 09:39:21 GMT`, where every part has a fixed position
/// after the day. Parsing dates is a large part of the work on a feed, because texts are only copied.
enum RFC822Date {
  static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> CivilTime? {
    guard bytes.count > 20 else { return nil }
    var start = 0
    if bytes[0].isLetter {
      guard bytes[3] == UInt8(ascii: ","), bytes[4] == 0x20, CalendarNames.shortWeekday(bytes) != nil
      else { return nil }
      start = 5
    }
    let dayDigits = bytes[start + 1] == 0x20 ? 1 : 2
    guard let day = number(bytes, at: start, digits: dayDigits), bytes[start + dayDigits] == 0x20 else {
      return nil
    }
    return parse(UnsafeBufferPointer(rebasing: bytes[(start + dayDigits + 1)...]), day: day)
  }

  /// `Jun 2025 09:39:21 GMT`
  private static func parse(_ bytes: UnsafeBufferPointer<UInt8>, day: Int) -> CivilTime? {
    let colon = UInt8(ascii: ":")
    guard bytes.count > 18, bytes[3] == 0x20, bytes[8] == 0x20, bytes[11] == colon, bytes[14] == colon,
      bytes[17] == 0x20, let month = CalendarNames.shortMonth(bytes),
      let year = number(bytes, at: 4, digits: 4), let hour = number(bytes, at: 9, digits: 2),
      let minute = number(bytes, at: 12, digits: 2), let second = number(bytes, at: 15, digits: 2),
      let offset = zone(UnsafeBufferPointer(rebasing: bytes[18...]))
    else { return nil }
    return CivilTime(
      year: year, month: month, day: day, hour: hour, minute: minute, second: second, offset: offset)
  }

  @inline(__always)
  private static func number(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int, digits: Int) -> Int? {
    var value = 0
    for index in start..<start + digits {
      guard bytes[index].isDigit else { return nil }
      value = value * 10 + Int(bytes[index] - 0x30)
    }
    return value
  }

  /// `GMT`, `PDT`, `A` or `+0200`, and nothing after it.
  private static func zone(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    if bytes.count == 3, bytes.startsIgnoringCase("gmt") || bytes.startsIgnoringCase("utc") { return 0 }
    guard bytes[0] == UInt8(ascii: "+") || bytes[0] == UInt8(ascii: "-") else {
      return ZoneNames.offset(of: String(decoding: bytes, as: UTF8.self))
    }
    guard bytes.count == 5, let hours = number(bytes, at: 1, digits: 2),
      let minutes = number(bytes, at: 3, digits: 2)
    else { return nil }
    let offset = hours * 60 + minutes
    return bytes[0] == UInt8(ascii: "-") ? -offset : offset
  }
}

internal import XMLReading

/// Names of months, weekdays and time zones in feeds.
enum CalendarNames {
  /// 1...12 for an English name or an abbreviation of at least three letters, or for a name in another language that
  /// occurs in feeds.
  static func month(_ word: some Collection<UInt8>) -> Int? {
    // Thai dates have years of their own: see DateParts.
    guard !word.starts(with: [0xE0, 0xB8]), !word.starts(with: [0xE0, 0xB9]) else { return nil }
    return number(of: word, in: months, initials: monthInitials)
      ?? MonthNames.month(String(decoding: word, as: UTF8.self).lowercased())
  }

  /// 1 = Monday ... 7 = Sunday, for an English name or an abbreviation of at least three letters.
  static func weekday(_ word: some Collection<UInt8>) -> Int? {
    number(of: word, in: weekdays, initials: weekdayInitials)
  }

  /// The same for the first three letters; ignores what follows.
  @inline(__always) static func shortMonth(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    number(of: initials(bytes), in: monthInitials)
  }

  @inline(__always) static func shortWeekday(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    number(of: initials(bytes), in: weekdayInitials)
  }

  private static func number(
    of word: some Collection<UInt8>, in names: [StaticString], initials: StaticString
  ) -> Int? {
    guard word.count >= 3, let number = number(of: Self.initials(word), in: initials),
      matches(word, names[number - 1])
    else { return nil }
    return number
  }

  /// The position, from 1, of three letters in `names`.
  @inline(__always) private static func number(of initials: UInt32, in names: StaticString) -> Int? {
    let bytes = UnsafeBufferPointer(start: names.utf8Start, count: names.utf8CodeUnitCount)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let name = UInt32(bytes[start]) << 16 | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2])
      if name == initials { return start / 3 + 1 }
    }
    return nil
  }

  /// The first three letters in lower case, as a number.
  @inline(__always) static func initials(_ bytes: some Collection<UInt8>) -> UInt32 {
    var code: UInt32 = 0
    for byte in bytes.prefix(3) { code = code << 8 | UInt32(byte | 0x20) }
    return code
  }

  // StaticString avoids the lazy-initialization check of a static array on this hot path.
  private static let monthInitials: StaticString = "janfebmaraprmayjunjulaugsepoctnovdec"
  private static let weekdayInitials: StaticString = "montuewedthufrisatsun"

  /// Minutes east of UTC for an abbreviation. `nil` for any other word: to take an unknown zone for UTC would be a guess
  /// that is hours off.
  static func zone(_ word: some Collection<UInt8>) -> Int? {
    ZoneNames.offset(of: String(decoding: word, as: UTF8.self))
  }

  /// True for words without meaning between the parts of a date: `5 August at 10:00`, `1 de enero de 2004`.
  static func isFiller(_ word: some Collection<UInt8>) -> Bool {
    word.count == 2 && (matches(word, "at") || matches(word, "de") || matches(word, "um"))
  }

  private static func matches(_ word: some Collection<UInt8>, _ name: StaticString) -> Bool {
    guard word.count <= name.utf8CodeUnitCount else { return false }
    var index = 0
    for byte in word {
      guard byte.lowercased == name.utf8Start[index] else { return false }
      index += 1
    }
    return true
  }

  private static let months: [StaticString] = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
  ]

  private static let weekdays: [StaticString] = [
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
  ]
}

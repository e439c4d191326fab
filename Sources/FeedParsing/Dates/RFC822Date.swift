internal import XMLReading

/// Dates in RFC 822, RFC 2822, asctime and similar formats, with the parts in any unambiguous order.
enum RFC822Date {
  static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> CivilTime? {
    var scanner = DateScanner(bytes)
    var parts = Parts()
    while !scanner.isAtEnd {
      scanner.skipSeparators()
      guard let byte = scanner.peek else { break }
      guard parts.next(byte, &scanner) else { return nil }
    }
    return parts.civil
  }

  /// The parts of a date that were read so far.
  private struct Parts {
    private var time = CivilTime()
    private var hasWeekday = false
    private var month: Int?
    /// True when the month came first, where it can also be a weekday with the same letters: French `mar`.
    private var monthIsUncertain = false
    private var day: Int?
    private var year: Int?
    private var hasTime = false
    private var hasZone = false

    var civil: CivilTime? {
      guard let month, let day, let year else { return nil }
      var civil = time
      civil.year = year
      civil.month = month
      civil.day = day
      return civil
    }

    mutating func next(_ byte: UInt8, _ scanner: inout DateScanner) -> Bool {
      if byte.isDigit { return number(&scanner) }
      if byte == UInt8(ascii: "-"), scanner.peek(at: 1)?.isSpace == true {
        scanner.advance()
        return true
      }
      if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { return offset(&scanner) }
      if byte == UInt8(ascii: "(") { return comment(&scanner) }
      return byte.isLetter || byte >= 0x80 ? word(&scanner) : false
    }

    private mutating func number(_ scanner: inout DateScanner) -> Bool {
      if isTime(scanner) {
        guard !hasTime, scanner.time(into: &time), scanner.peek != UInt8(ascii: ":") else { return false }
        hasTime = true
        return meridian(&scanner)
      }
      guard let number = scanner.number() else { return false }
      if number.digits == 4, scanner.peek == UInt8(ascii: "/") { return slashes(number.value, &scanner) }
      guard endsNumber(scanner) else { return false }
      if day == nil, number.digits <= 2 {
        day = number.value
      } else if year == nil, number.digits == 2 || number.digits == 4 {
        year = CivilTime.fullYear(number.value, digits: number.digits)
      } else {
        return false
      }
      skipJoint(&scanner)
      return true
    }

    private func isTime(_ scanner: DateScanner) -> Bool {
      let digits = scanner.digitsAhead
      return digits <= 2 && scanner.peek(at: digits) == UInt8(ascii: ":")
    }

    /// True after the number in `21st`, `21-Nov`, `21.` and `21,`.
    private func endsNumber(_ scanner: DateScanner) -> Bool {
      guard let byte = scanner.peek else { return true }
      return byte.isSpace || [UInt8(ascii: ","), UInt8(ascii: "-"), UInt8(ascii: ".")].contains(byte)
        || ["st", "nd", "rd", "th"].contains { scanner.rest.startsIgnoringCase($0) }
    }

    private mutating func skipJoint(_ scanner: inout DateScanner) {
      guard let byte = scanner.peek else { return }
      if byte.isLetter { scanner.advance(2) }
      // 21-Nov-2026: the dash is a separator, not a sign.
      let joins = year == nil || month == nil
      if scanner.peek == UInt8(ascii: ".") || scanner.peek == UInt8(ascii: "-") && joins { scanner.advance() }
    }

    /// `2006/09/15`
    private mutating func slashes(_ year: Int, _ scanner: inout DateScanner) -> Bool {
      scanner.advance()
      guard let month = scanner.digits(2), scanner.take(UInt8(ascii: "/")), let day = scanner.digits(2),
        self.year == nil, self.month == nil, self.day == nil
      else { return false }
      self.year = year
      self.month = month
      self.day = day
      return true
    }

    private mutating func meridian(_ scanner: inout DateScanner) -> Bool {
      var ahead = scanner
      ahead.skipSpaces()
      let isAfternoon = ahead.rest.startsIgnoringCase("pm")
      guard isAfternoon || ahead.rest.startsIgnoringCase("am"), ahead.peek(at: 2)?.isLetter != true else {
        return true
      }
      guard (1...12).contains(time.hour) else { return false }
      time.hour = time.hour % 12 + (isAfternoon ? 12 : 0)
      ahead.advance(2)
      scanner = ahead
      return true
    }

    private mutating func offset(_ scanner: inout DateScanner) -> Bool {
      // In "GMT-01:01" and "GMT +0100" the offset counts.
      guard hasTime || hasZone, let minutes = scanner.offset() else { return false }
      time.offset = minutes
      hasZone = true
      return scanner.peek.map { $0.isSpace || $0 == UInt8(ascii: "(") } ?? true
    }

    /// Skips `(CEST)` after an offset; without one it is the zone.
    private mutating func comment(_ scanner: inout DateScanner) -> Bool {
      if hasTime, !hasZone {
        scanner.advance()
        let name = scanner.word()
        guard scanner.take(UInt8(ascii: ")")), let minutes = CalendarNames.zone(name) else { return false }
        time.offset = minutes
        hasZone = true
        return true
      }
      while let byte = scanner.peek {
        scanner.advance()
        if byte == UInt8(ascii: ")") { return true }
      }
      return false
    }

    private mutating func word(_ scanner: inout DateScanner) -> Bool {
      var ahead = scanner
      let word = ahead.word()
      if !hasTime, CalendarNames.isFiller(word) {
        scanner = ahead
        return true
      }
      if month == nil || monthIsUncertain, let found = CalendarNames.month(word) {
        monthIsUncertain = month == nil && day == nil && !hasWeekday
        month = found
        scanner = ahead
        if let byte = scanner.peek, byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") {
          scanner.advance()
        }
        return true
      }
      if !hasTime, !hasWeekday, day == nil || CalendarNames.weekday(word) != nil {
        hasWeekday = true
        scanner = ahead
        if scanner.peek == UInt8(ascii: ".") { scanner.advance() }
        return isWeekday(word)
      }
      return zone(&scanner)
    }

    /// An English weekday, or a word in another language before the date. Weekdays do not change the date.
    private func isWeekday(_ word: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
      CalendarNames.weekday(word) != nil || word.count >= 2
    }

    private mutating func zone(_ scanner: inout DateScanner) -> Bool {
      let name = scanner.word()
      guard hasTime || hasZone == false else { return false }
      guard scanner.peek != UInt8(ascii: "/"), let minutes = CalendarNames.zone(name) else { return false }
      if !hasZone { time.offset = minutes }
      hasZone = true
      return true
    }
  }
}

/// Parses the format of nearly all RSS dates, `Tue, 03 Jun 2025 09:39:21 GMT`, where every part has a fixed position
/// after the day. Parsing dates is a large part of the work on a feed, because texts are only copied.
enum RFC822FastPath {
  /// Returns `nil` for other formats and for zone names other than UTC's.
  static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> CivilTime? {
    guard bytes.count >= 23 else { return nil }
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
    guard bytes.count >= 21, bytes[3] == 0x20, bytes[8] == 0x20, bytes[11] == colon, bytes[14] == colon,
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

  /// `GMT`, `UTC` or `+0200`, and nothing after it.
  private static func zone(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    if bytes.count == 3 { return isUTC(bytes) ? 0 : nil }
    guard bytes.count == 5, bytes[0] == UInt8(ascii: "+") || bytes[0] == UInt8(ascii: "-"),
      let hours = number(bytes, at: 1, digits: 2), let minutes = number(bytes, at: 3, digits: 2)
    else { return nil }
    let offset = hours * 60 + minutes
    return bytes[0] == UInt8(ascii: "-") ? -offset : offset
  }

  private static func isUTC(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.startsIgnoringCase("gmt") || bytes.startsIgnoringCase("utc")
  }
}

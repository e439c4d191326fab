internal import XMLReading

/// Dates in ISO 8601 and its W3C profile, with the deviations of feeds: a space instead of `T`, a missing or unusually
/// separated zone, two-digit years, ordinal days.
struct ISO8601Date {
  /// `Y` is the year, `M` the month, `D` the day, `J` the day of the year, `w` the week and `d` its day, with as many
  /// digits as letters; a letter alone is one digit or two. After four digits of a year, `-` may also be `/` or `.`.
  private static let dates: [StaticString] = [
    "YYYY-M-D", "YYYYMMDD", "YYYY-JJJ", "YYYYJJJ", "YYYY-Www-d", "YYYY-Www", "YYYYWwwd", "YYYYWww", "YY-M-D",
    "YYMMDD", "YY-JJJ", "YYYY-MMM-D", "YY-MMM-D",
  ]
  /// Without a day, and so without a time. `-YYMM` and `-YY-MM` are of ISO 8601:1988, section 5.2.1.3.
  private static let months: [StaticString] = ["YYYY-M", "YYYY", "YY-M", "-YYMM", "-YY-MM"]
  private static let times: [StaticString] = ["h:m:s", "h:m", "hhmmss", "hhmm", "hh"]

  /// ISO 8601:2004 removed the forms without a century, so five digits for a later year are not a date.
  private static let lastTruncatedYear = 2004

  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  private var civil = CivilTime()

  static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> CivilTime? {
    guard bytes[0].isDigit || bytes[0] == UInt8(ascii: "-") else { return nil }
    var date = ISO8601Date(bytes: bytes)
    return date.read() ? date.civil : nil
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func read() -> Bool {
    if Self.dates.contains(where: { read($0) }) || read("YYJJJ") && civil.year <= Self.lastTruncatedYear {
      return next == nil || time()
    }
    return Self.months.contains { read($0) && next == nil }
  }

  /// Reads a form. Reads nothing if the text has another form here, or a day that its year does not have.
  private mutating func read(_ form: StaticString) -> Bool {
    var date = self
    guard date.take(form) else { return false }
    self = date
    return true
  }

  private mutating func take(_ form: StaticString) -> Bool {
    let letters = UnsafeBufferPointer(start: form.utf8Start, count: form.utf8CodeUnitCount)
    var (index, yearDigits, separator, day) = (0, 0, nil as UInt8?, 1)
    var week: Int?
    while index < letters.count {
      let letter = letters[index]
      guard letter.isLetter, letter != UInt8(ascii: "W") else {
        let isSeparator = letter == UInt8(ascii: "-") && yearDigits == 4
        guard let byte = next, isSeparator ? isDateSeparator(byte, like: separator) : byte == letter else {
          return false
        }
        if isSeparator { separator = byte }
        (index, position) = (index + 1, position + 1)
        continue
      }
      var count = 1
      while index + count < letters.count, letters[index + count] == letter { count += 1 }
      let isAlone = count == 1 && letter != UInt8(ascii: "d")
      guard let value = number(isAlone ? 1...2 : count...count)?.value else { return false }
      switch letter {
      case UInt8(ascii: "Y"): (civil.year, yearDigits) = (CivilTime.fullYear(value, digits: count), count)
      case UInt8(ascii: "M"): civil.month = value
      case UInt8(ascii: "D"): civil.day = value
      case UInt8(ascii: "J"): guard civil.setOrdinalDay(value) else { return false }
      case UInt8(ascii: "w"): week = value
      case UInt8(ascii: "d"): day = value
      case UInt8(ascii: "h"): civil.hour = value
      case UInt8(ascii: "m"): civil.minute = value
      default:
        civil.second = value
        guard !isAlone || takeFraction() else { return false }
      }
      index += count
    }
    if yearDigits > 0, let next, next == UInt8(ascii: "-") || next == separator { return false }
    guard next?.isDigit != true else { return false }
    return week.map { civil.setWeek($0, day: day) } ?? true
  }

  private mutating func takeFraction() -> Bool {
    guard next == UInt8(ascii: ".") || next == UInt8(ascii: ",") else { return true }
    position += 1
    guard let fraction = number(1...9) else { return false }
    civil.setFraction(fraction)
    while next?.isDigit == true { position += 1 }
    return true
  }

  private func isDateSeparator(_ byte: UInt8, like first: UInt8?) -> Bool {
    if let first { return byte == first }
    return byte == UInt8(ascii: "-") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".")
  }

  private mutating func number(_ digits: ClosedRange<Int>) -> (value: Int, digits: Int)? {
    var (value, count) = (0, 0)
    while count < digits.upperBound, let byte = next, byte.isDigit {
      value = value * 10 + Int(byte - 0x30)
      (count, position) = (count + 1, position + 1)
    }
    return count >= digits.lowerBound ? (value, count) : nil
  }

  private mutating func skipSpaces() {
    while next?.isSpace == true { position += 1 }
  }

  private mutating func time() -> Bool {
    guard let byte = next, byte.lowercased == UInt8(ascii: "t") || byte.isSpace else { return false }
    position += 1
    skipSpaces()
    guard Self.times.contains(where: { read($0) }) else { return false }
    skipSpaces()
    return zone()
  }

  /// `Z`, `CET`, `+02:00`, `+0200`, `+02`, `-2:00`, and nothing after it.
  private mutating func zone() -> Bool {
    guard let sign = next else { return true }
    if sign.isLetter {
      guard let minutes = ZoneNames.offset(of: String(decoding: bytes[position...], as: UTF8.self)) else {
        return false
      }
      civil.offset = minutes
      return true
    }
    position += 1
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), let number = number(1...4) else {
      return false
    }
    var minutes = number.digits > 2 ? number.value / 100 * 60 + number.value % 100 : number.value * 60
    if number.digits <= 2, next == UInt8(ascii: ":") {
      position += 1
      guard let part = self.number(2...2)?.value, part < 60 else { return false }
      minutes += part
    }
    civil.offset = sign == UInt8(ascii: "-") ? -minutes : minutes
    return next == nil
  }
}

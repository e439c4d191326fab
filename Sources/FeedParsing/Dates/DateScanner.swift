internal import XMLReading

/// Scans the numbers of a date from left to right.
struct DateScanner {
  private let bytes: UnsafeBufferPointer<UInt8>
  private(set) var position = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  var isAtEnd: Bool { position >= bytes.count }
  var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  func peek(at offset: Int) -> UInt8? {
    position + offset < bytes.count ? bytes[position + offset] : nil
  }

  mutating func advance(_ count: Int = 1) { position = min(position + count, bytes.count) }

  mutating func take(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    position += 1
    return true
  }

  mutating func skipSpaces() {
    while let byte = peek, byte.isSpace { position += 1 }
  }

  /// The next number, of at most nine digits.
  mutating func number() -> (value: Int, digits: Int)? {
    let start = position
    var value = 0
    while let byte = peek, byte.isDigit, position - start < 9 {
      value = value * 10 + Int(byte - 0x30)
      position += 1
    }
    return position > start ? (value, position - start) : nil
  }

  mutating func digits(_ count: Int) -> Int? {
    var value = 0
    for offset in 0..<count {
      guard let byte = peek(at: offset), byte.isDigit else { return nil }
      value = value * 10 + Int(byte - 0x30)
    }
    position += count
    return value
  }

  var digitsAhead: Int {
    var count = 0
    while let byte = peek(at: count), byte.isDigit { count += 1 }
    return count
  }

  /// Everything up to the next space.
  mutating func token() -> Slice<UnsafeBufferPointer<UInt8>> {
    let start = position
    while let byte = peek, !byte.isSpace { position += 1 }
    return bytes[start..<position]
  }

  /// `H:MM`, `H:MM:SS` or `H:MM:SS.fraction`.
  mutating func time(into civil: inout CivilTime) -> Bool {
    guard let hour = number(), hour.digits <= 2, take(UInt8(ascii: ":")),
      let minute = number(), minute.digits <= 2
    else { return false }
    civil.hour = hour.value
    civil.minute = minute.value
    guard take(UInt8(ascii: ":")) else { return true }
    guard let second = number(), second.digits <= 2 else { return false }
    civil.second = second.value
    if peek == UInt8(ascii: ".") || peek == UInt8(ascii: ",") {
      advance()
      guard let fraction = number() else { return false }
      civil.setFraction(fraction)
      while let byte = peek, byte.isDigit { advance() }
    }
    return true
  }

  /// `+02:00`, `+0200`, `+02`, `-2:00`: minutes east of UTC.
  mutating func offset() -> Int? {
    guard let sign = peek, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
    advance()
    guard let hours = number() else { return nil }
    var minutes: Int
    if hours.digits >= 3 {
      guard hours.digits <= 4 else { return nil }
      minutes = hours.value / 100 * 60 + hours.value % 100
    } else {
      minutes = hours.value * 60
      if take(UInt8(ascii: ":")) {
        guard let part = digits(2), part < 60 else { return nil }
        minutes += part
      }
    }
    return sign == UInt8(ascii: "-") ? -minutes : minutes
  }
}

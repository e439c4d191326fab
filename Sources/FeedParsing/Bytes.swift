extension UInt8 {
  /// XML's white space and the line feeds and tabs of text formats.
  @inline(__always) var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
  @inline(__always) var isDigit: Bool { (0x30...0x39).contains(self) }
  @inline(__always) var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }
  @inline(__always) var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
  /// A byte a name can begin with, as far as ASCII goes; everything beyond ASCII is allowed.
  @inline(__always) var isNameStart: Bool { isLetter || self == 0x5F || self == 0x3A || self >= 0x80 }
  @inline(__always) var isNameByte: Bool { isNameStart || isDigit || self == 0x2D || self == 0x2E }
}

extension UnsafeBufferPointer<UInt8> {
  /// The bytes without white space at either end.
  var trimmed: UnsafeBufferPointer<UInt8> {
    var start = 0
    var end = count
    while start < end, self[start].isSpace { start += 1 }
    while end > start, self[end - 1].isSpace { end -= 1 }
    return UnsafeBufferPointer(rebasing: self[start..<end])
  }
}

extension Collection<UInt8> {
  /// True when the bytes start with ASCII text, whatever its letter case; `text` is in lower case.
  func startsIgnoringCase(_ text: StaticString) -> Bool {
    var index = startIndex
    for offset in 0..<text.utf8CodeUnitCount {
      guard index != endIndex, self[index].lowercased == text.utf8Start[offset] else { return false }
      formIndex(after: &index)
    }
    return true
  }
}

extension String {
  /// The text without white space around it; `nil` when nothing is left.
  var nonEmpty: String? {
    var copy = self
    return copy.withUTF8 { bytes in
      let trimmed = bytes.trimmed
      return trimmed.isEmpty ? nil : String(decoding: trimmed, as: UTF8.self)
    }
  }
}

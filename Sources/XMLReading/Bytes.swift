internal import LibXML2Shim

// Inlinable, because FeedParsing asks this of each byte of a text: the compiler inlines nothing of a package by itself.
extension UInt8 {
  /// Space, tab, line feed, vertical tab, form feed or carriage return.
  @inlinable package var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
  @inlinable package var isDigit: Bool { (0x30...0x39).contains(self) }
  @inlinable package var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }
  @inlinable package var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
  /// A byte that may begin a name; all bytes beyond ASCII may.
  @inlinable package var isNameStart: Bool { isLetter || self == 0x5F || self == 0x3A || self >= 0x80 }
  @inlinable package var isNameByte: Bool { isNameStart || isDigit || self == 0x2D || self == 0x2E }
}

extension UnsafeBufferPointer<UInt8> {
  @inlinable package var trimmed: UnsafeBufferPointer<UInt8> {
    var start = 0
    var end = count
    while start < end, self[start].isSpace { start += 1 }
    while end > start, self[end - 1].isSpace { end -= 1 }
    return UnsafeBufferPointer(rebasing: self[start..<end])
  }

  package func equals(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
    guard count == other.count, let baseAddress, let start = other.baseAddress else {
      return isEmpty && other.isEmpty
    }
    return xml_shim_bytes_equal(baseAddress, start, count)
  }

  package func index(of byte: UInt8, from start: Int = 0) -> Int? {
    guard let baseAddress, start < count else { return nil }
    return xml_shim_find_byte(baseAddress + start, byte, count - start).map { $0 - baseAddress }
  }

  package func position(of text: StaticString, from start: Int = 0) -> Int? {
    let count = text.utf8CodeUnitCount
    var index = start
    while let next = self.index(of: text.utf8Start[0], from: index) {
      if self.count - next >= count, (1..<count).allSatisfy({ self[next + $0] == text.utf8Start[$0] }) {
        return next
      }
      index = next + 1
    }
    return nil
  }

  /// The bytes as text. Characters U+0080...U+009F become the windows-1252 characters of the same number, as in
  /// browsers (HTML Standard, section 13.2.5.80).
  package var text: String {
    guard hasControls else { return String(decoding: self, as: UTF8.self) }
    var text = ""
    for scalar in String(decoding: self, as: UTF8.self).unicodeScalars {
      text.unicodeScalars.append(scalar.asWindows1252)
    }
    return text
  }

  /// True when no byte is beyond ASCII. A loop without an early exit, for the same reason as that of ``hasControls``.
  package var isASCII: Bool {
    var seen: UInt8 = 0
    for index in 0..<count { seen |= self[index] }
    return seen < 0x80
  }

  /// True when any of the characters U+0080...U+009F occurs. The loop has no early exit, so that the compiler can
  /// vectorize it.
  package var hasControls: Bool {
    var found: UInt8 = 0
    for index in 0..<Swift.max(0, count - 1) {
      found |= (self[index] == 0xC2 ? 1 : 0) & (self[index + 1] < 0xA0 ? 1 : 0)
    }
    return found > 0
  }
}

extension Unicode.Scalar {
  private static let windows1252 = Array(
    "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)

  fileprivate var asWindows1252: Unicode.Scalar {
    (0x80...0x9F).contains(value) ? Self.windows1252[Int(value) - 0x80] : self
  }
}

extension Collection<UInt8> {
  /// True when the bytes start with ASCII text, in any letter case; `text` is in lower case.
  ///
  /// Inlinable, because FeedParsing calls it for each word of an HTML tag: unspecialized it takes half of the time in
  /// which links are made absolute.
  @inlinable
  package func startsIgnoringCase(_ text: StaticString) -> Bool {
    var index = startIndex
    for offset in 0..<text.utf8CodeUnitCount {
      guard index != endIndex, self[index].lowercased == text.utf8Start[offset] else { return false }
      formIndex(after: &index)
    }
    return true
  }
}

extension String {
  /// The text without white space at its ends; `nil` when nothing is left.
  package var nonEmpty: String? {
    guard let first = utf8.first, let last = utf8.last else { return nil }
    if !first.isSpace, !last.isSpace { return self }
    var copy = self
    return copy.withUTF8 { bytes in
      let trimmed = bytes.trimmed
      return trimmed.isEmpty ? nil : String(decoding: trimmed, as: UTF8.self)
    }
  }
}

/// Bytes that grow at their end. The buffer has one owner, so appending needs no uniqueness check, and a large buffer
/// is moved rather than copied when it grows.
///
/// Sendable although it holds a pointer: the memory belongs to this value alone, which cannot be copied, and changes
/// only through it.
package struct ByteBuffer: ~Copyable, @unchecked Sendable {
  var storage: xml_shim_bytes

  package init() { storage = xml_shim_bytes() }

  init(owning storage: xml_shim_bytes) { self.storage = storage }

  deinit {
    var last = storage
    xml_shim_bytes_release(&last)
  }

  package var count: Int { storage.count }

  /// Valid until the next change.
  package var bytes: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: storage.base, count: storage.count)
  }

  package mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    xml_shim_bytes_append(&storage, bytes.baseAddress, bytes.count)
  }
}

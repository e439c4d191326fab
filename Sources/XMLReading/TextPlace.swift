package struct TextPlace: Sendable, Hashable, CustomStringConvertible {
  /// From 1.
  package let line: Int
  /// In characters, from 1.
  package let column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  package init(of offset: Int, in text: UnsafeBufferPointer<UInt8>) {
    let before = text[..<offset]
    let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    line = before.count { $0 == 0x0A } + 1
    // All bytes of a character but its first are 10xxxxxx.
    column = before[lineStart...].count { $0 & 0xC0 != 0x80 } + 1
  }

  package var description: String { "\(line):\(column)" }
}

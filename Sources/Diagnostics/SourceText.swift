/// One input file, held as bytes, able to say on which line and in which column a byte stands.
public final class SourceText: Sendable {
  /// The name a person knows it by: the path as given, or `<stdin>`.
  public let name: String
  /// The UTF-8 bytes, exactly as read.
  public let bytes: [UInt8]
  private let lineStarts: [Int]

  public init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
    self.lineStarts = SourceText.lineStarts(of: bytes)
  }

  public convenience init(name: String, _ text: String) {
    self.init(name: name, bytes: Array(text.utf8))
  }

  public var lineCount: Int { lineStarts.count }

  /// Where a byte offset stands; an offset past the end stands at the end.
  public func location(at offset: Int) -> SourceLocation {
    let offset = max(0, min(offset, bytes.count))
    let line = lineIndex(containing: offset)
    let column = countScalars(in: lineStarts[line]..<offset) + 1
    return SourceLocation(line: line + 1, column: column, offset: offset)
  }

  /// The line (1-based) a byte offset stands on; cheaper than a whole location.
  public func lineNumber(at offset: Int) -> Int {
    lineIndex(containing: max(0, min(offset, bytes.count))) + 1
  }

  /// The text of a line (1-based) without its line end.
  public func line(_ number: Int) -> String {
    guard number >= 1, number <= lineStarts.count else { return "" }
    let start = lineStarts[number - 1]
    var end = number < lineStarts.count ? lineStarts[number] - 1 : bytes.count
    if end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    return String(decoding: bytes[start..<max(start, end)], as: UTF8.self)
  }

  public func text(in range: Range<Int>) -> String {
    String(decoding: bytes[range.clamped(to: 0..<bytes.count)], as: UTF8.self)
  }

  /// A range of this text, for a diagnostic.
  public func range(_ offsets: Range<Int>) -> SourceRange {
    SourceRange(source: self, offsets: offsets)
  }

  private func lineIndex(containing offset: Int) -> Int {
    var low = 0
    var high = lineStarts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if lineStarts[middle] <= offset { low = middle } else { high = middle }
    }
    return low
  }

  /// Columns count Unicode scalars: a continuation byte is not a column of its own.
  private func countScalars(in range: Range<Int>) -> Int {
    bytes[range].reduce(into: 0) { count, byte in if byte & 0xC0 != 0x80 { count += 1 } }
  }

  private static func lineStarts(of bytes: [UInt8]) -> [Int] {
    var starts = [0]
    bytes.withUnsafeBufferPointer { buffer in
      for index in buffer.indices where buffer[index] == UInt8(ascii: "\n") { starts.append(index + 1) }
    }
    return starts
  }
}

/// A place in a source text. Lines and columns count from 1; columns count Unicode scalars.
public struct SourceLocation: Sendable, Hashable, Comparable {
  public let line: Int
  public let column: Int
  /// Bytes from the start of the text.
  public let offset: Int

  public init(line: Int, column: Int, offset: Int) {
    self.line = line
    self.column = column
    self.offset = offset
  }

  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.offset < rhs.offset }
}

/// A stretch of one source text, by byte offsets.
public struct SourceRange: Sendable {
  public let source: SourceText
  public let offsets: Range<Int>

  public init(source: SourceText, offsets: Range<Int>) {
    self.source = source
    self.offsets = offsets
  }

  public var start: SourceLocation { source.location(at: offsets.lowerBound) }
  public var end: SourceLocation { source.location(at: offsets.upperBound) }
}

extension SourceRange: Hashable {
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.offsets == rhs.offsets && lhs.source.name == rhs.source.name
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(source.name)
    hasher.combine(offsets)
  }
}

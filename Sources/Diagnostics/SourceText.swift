internal import Synchronization

/// The bytes of an input file, with functions that convert byte offsets to lines and columns.
package final class SourceText: Sendable {
  /// The name in messages: the path as the user typed it, or `<stdin>`.
  package let name: String
  /// The UTF-8 bytes, exactly as read.
  package let bytes: [UInt8]
  /// Whether the text may contain secrets. Findings then give the place, but quote nothing.
  package let isConfidential: Bool
  /// Made when the first place is asked for: most texts have no findings.
  private let table = Mutex<LineTable?>(nil)

  package init(name: String, bytes: [UInt8], isConfidential: Bool = false) {
    self.name = name
    self.isConfidential = isConfidential
    self.bytes = bytes
  }

  package convenience init(name: String, _ text: String) {
    self.init(name: name, bytes: Array(text.utf8))
  }

  /// The line and column of a byte offset. Offsets after the end give the end.
  package func location(at offset: Int) -> SourceLocation {
    let offset = max(0, min(offset, bytes.count))
    let lines = lines
    let line = lines.index(containing: offset)
    let start = lines.starts[line]
    let invisible =
      lines.continuations(before: offset, in: bytes) - lines.continuations(before: start, in: bytes)
    return SourceLocation(line: line + 1, column: offset - start - invisible + 1, offset: offset)
  }

  /// The offset of the first byte of a line, by its number from 1; the nearest line's for a number beyond them.
  package func lineStart(_ number: Int) -> Int {
    let starts = lines.starts
    return starts[max(0, min(number, starts.count) - 1)]
  }

  /// Whether the first line ends with a carriage return and a line feed, as on Windows.
  package var endsLinesWithCRLF: Bool {
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")), end > 0 else { return false }
    return bytes[end - 1] == UInt8(ascii: "\r")
  }

  /// The line number, from 1, of a byte offset. Cheaper than ``location(at:)``.
  package func lineNumber(at offset: Int) -> Int {
    lines.index(containing: max(0, min(offset, bytes.count))) + 1
  }

  /// The part of an offset's line within `reach` bytes on both sides, without the line end.
  package func lineRange(around offset: Int, reach: Int) -> Range<Int> {
    let offset = max(0, min(offset, bytes.count))
    let starts = lines.starts
    let line = lines.index(containing: offset)
    var end = line + 1 < starts.count ? starts[line + 1] - 1 : bytes.count
    if end > starts[line], bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    var lower = max(starts[line], offset - reach)
    var upper = min(end, offset + reach)
    while lower < min(offset, upper), bytes[lower].isContinuation { lower += 1 }
    while upper > lower, upper < end, bytes[upper].isContinuation { upper -= 1 }
    return min(lower, upper)..<upper
  }

  package func text(in range: Range<Int>) -> String {
    String(decoding: bytes[range.clamped(to: 0..<bytes.count)], as: UTF8.self)
  }

  package func range(_ offsets: Range<Int>) -> SourceRange {
    SourceRange(source: self, offsets: offsets)
  }

  private var lines: LineTable {
    table.withLock { made in
      if let made { return made }
      let table = LineTable(bytes)
      made = table
      return table
    }
  }
}

private struct LineTable: Sendable {
  let starts: [Int]
  /// The number of UTF-8 continuation bytes before each block, which makes columns fast to compute even for
  /// thousands of findings in one line of megabytes.
  private let continuations: [Int]
  private static let blockSize = 4096

  init(_ bytes: [UInt8]) {
    starts = Self.lineStarts(of: bytes)
    continuations = Self.continuations(in: bytes)
  }

  func index(containing offset: Int) -> Int { starts.partitioningIndex { $0 > offset } - 1 }

  /// The number of continuation bytes before an offset. Columns count Unicode scalars, so these bytes are not
  /// counted.
  func continuations(before offset: Int, in bytes: [UInt8]) -> Int {
    let block = offset / Self.blockSize
    return continuations[block] + Self.countContinuations(bytes[block * Self.blockSize..<offset])
  }

  private static func continuations(in bytes: [UInt8]) -> [Int] {
    var counts = [0]
    counts.reserveCapacity(bytes.count / blockSize + 1)
    for start in stride(from: 0, to: bytes.count - bytes.count % blockSize, by: blockSize) {
      counts.append(counts[counts.count - 1] + countContinuations(bytes[start..<start + blockSize]))
    }
    return counts
  }

  private static func countContinuations(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.count { $0.isContinuation }
  }

  private static func lineStarts(of bytes: [UInt8]) -> [Int] {
    var starts = [0]
    for (index, byte) in bytes.enumerated() where byte.endsLine {
      // Both together are one line end.
      let isPair =
        byte == UInt8(ascii: "\r") && index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "\n")
      if !isPair { starts.append(index + 1) }
    }
    return starts
  }
}

extension UInt8 {
  /// Whether this is a UTF-8 byte that does not begin a scalar.
  fileprivate var isContinuation: Bool { self & 0xC0 == 0x80 }
}

/// A place in a source text. Lines and columns count from 1; columns count Unicode scalars.
package struct SourceLocation: Sendable, Hashable, Comparable {
  package let line: Int
  package let column: Int
  /// Bytes from the start of the text.
  package let offset: Int

  package static func < (lhs: Self, rhs: Self) -> Bool { lhs.offset < rhs.offset }
}

package struct SourceRange: Sendable {
  package let source: SourceText
  package let offsets: Range<Int>

  package var start: SourceLocation { source.location(at: offsets.lowerBound) }
  package var end: SourceLocation { source.location(at: offsets.upperBound) }
  /// `app.ckdb:3:5: `, before what is said about the place.
  var prefix: String { "\(source.name):\(start.line):\(start.column): " }
}

extension SourceRange: Hashable {
  package static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.offsets == rhs.offsets && lhs.source.name == rhs.source.name
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(source.name)
    hasher.combine(offsets)
  }
}

/// Finds whole UTF-8 characters in bytes that may not be valid UTF-8.
package enum UTF8Character {
  /// The length of the whole, well-formed character at an index, 1 to 4; 0 for anything else (RFC 3629, section 4, and
  /// Unicode, table 3-7).
  package static func length(in bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int {
    let lead = bytes[index]
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch lead {
    case ..<0x80: return 1
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: length = 4
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: return 0
    }
    guard index + length <= bytes.count, second.contains(bytes[index + 1]) else { return 0 }
    for offset in 2..<max(2, length) where bytes[index + offset] & 0xC0 != 0x80 { return 0 }
    return length
  }
}

extension RandomAccessCollection where Index == Int {
  /// The first index whose element meets a condition that all later ones meet, too; the end without one.
  @inlinable package func partitioningIndex(where condition: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if condition(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

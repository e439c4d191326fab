package import Diagnostics

/// A text that an editor holds open, with the conversion of the editor's positions.
///
/// A position is a line and a number of code units from its start, both from 0 (Language Server Protocol 3.17,
/// "Position").
package struct TextDocument: Sendable {
  /// What the units of a position are.
  package enum Encoding: String, Sendable {
    case utf8 = "utf-8"
    case utf16 = "utf-16"
  }

  package private(set) var source: SourceText
  package var version: Int64
  package let encoding: Encoding

  package init(name: String, text: String, version: Int64, encoding: Encoding) {
    source = SourceText(name: name, text)
    self.version = version
    self.encoding = encoding
  }

  /// Replaces a range, or the whole text without one. A position behind the end of its line or of the text means that
  /// end.
  package mutating func replace(_ range: JSONValue?, with text: String) {
    var bytes = source.bytes
    let place = range.map { offsets(of: $0) } ?? bytes.indices
    bytes.replaceSubrange(place, with: text.utf8)
    source = SourceText(name: source.name, bytes: bytes)
  }

  package func offset(of position: JSONValue?) -> Int {
    let line = Int(clamping: position?["line"]?.integer ?? 0)
    let character = Int(clamping: position?["character"]?.integer ?? 0)
    let last = source.lineNumber(at: source.bytes.count)
    guard line >= 0, line < last else { return line < 0 ? 0 : source.bytes.count }
    let bytes = source.bytes
    var (units, offset) = (0, source.lineStart(line + 1))
    while offset < bytes.count, !bytes[offset].endsLine {
      units += self.units(of: bytes[offset])
      guard units <= character else { break }
      offset += 1
    }
    // A place in a character is that before it.
    while offset > 0, offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset -= 1 }
    return offset
  }

  package func offsets(of range: JSONValue?) -> Range<Int> {
    let start = offset(of: range?["start"])
    return start..<max(start, offset(of: range?["end"]))
  }

  package func position(at offset: Int) -> JSONValue {
    let offset = max(0, min(offset, source.bytes.count))
    let line = source.lineNumber(at: offset)
    let start = source.lineStart(line)
    return ["line": JSONValue(line - 1), "character": JSONValue(units(in: start..<offset))]
  }

  package func range(_ offsets: Range<Int>) -> JSONValue {
    ["start": position(at: offsets.lowerBound), "end": position(at: offsets.upperBound)]
  }

  /// The number of code units of a part of a line.
  package func units(in offsets: Range<Int>) -> Int {
    source.bytes[offsets].reduce(0) { $0 + units(of: $1) }
  }

  /// What one byte adds to a length: in UTF-16 its scalar counts at its first byte.
  private func units(of byte: UInt8) -> Int {
    encoding == .utf8 ? 1 : byte & 0xC0 == 0x80 ? 0 : byte >= 0xF0 ? 2 : 1
  }

  /// The edits that make the text `new`, or those in or beside some parts: only lines that differ, so that the cursor
  /// and what is folded stay.
  package func edits(to new: String, in parts: [Range<Int>]? = nil) -> [JSONValue] {
    let edits = UnifiedDiff.replacements(from: source.text(in: 0..<source.bytes.count), to: new)
    return edits.compactMap { place, text -> JSONValue? in
      let isMeant = parts?.contains { $0.lowerBound <= place.upperBound && place.lowerBound <= $0.upperBound }
      return isMeant ?? true ? ["range": range(place), "newText": .string(text)] : nil
    }
  }
}

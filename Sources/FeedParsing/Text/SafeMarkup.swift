internal import XMLReading

/// Writes HTML from elements that ``HTMLVocabulary`` allows. Everything else of it is escaped text, so that no reader of
/// the result runs a script or leaves its place.
struct SafeMarkup {
  private var output: [UInt8] = []
  /// The open elements; empty names for those that are not written.
  private var open: [String] = []
  private let maxBytes: Int
  /// A place where the markup can end, with the elements that are open there.
  private typealias End = (count: Int, open: [String])
  /// The last ends of a block, of a word and of a character that fit.
  private var block: End = (0, [])
  private var word: End = (0, [])
  private var character: End = (0, [])

  /// - Parameter maxBytes: the result ends with the last block that fits, or if more than half of the room would be lost
  ///   so, with the last word, else the last character.
  init(maxBytes: Int) { self.maxBytes = maxBytes }

  /// - Parameter attributes: names and values as ``HTMLVocabulary/safeAttributes(of:_:_:)`` returns them.
  mutating func start(_ name: String, _ attributes: [(name: String, value: String)]) {
    let isVoid = HTMLVocabulary.voidElements.contains(name)
    open.append(isVoid ? "" : name)
    output += "<\(name)".utf8
    for attribute in attributes {
      output += " \(attribute.name)=\"".utf8
      for byte in attribute.value.utf8 { escape(byte) }
      output.append(UInt8(ascii: "\""))
    }
    output.append(UInt8(ascii: ">"))
  }

  /// Opens an element of which only the content is written.
  mutating func startUnwritten() { open.append("") }

  mutating func end() {
    guard let name = open.popLast() else { return }
    if !name.isEmpty { output += "</\(name)>".utf8 }
    guard maxBytes < .max, output.count + closingBytes <= maxBytes else { return }
    character = (output.count, open)
    if HTMLVocabulary.blocks.contains(name) { block = character }
  }

  private var closingBytes: Int { open.reduce(0) { $0 + ($1.isEmpty ? 0 : $1.utf8.count + 3) } }

  mutating func add(_ text: String) {
    guard maxBytes < .max else {
      for byte in text.utf8 { escape(byte) }
      return
    }
    let (start, room) = (output.count, maxBytes - closingBytes)
    for byte in text.utf8 {
      if output.count > start, output.count <= room, byte & 0xC0 != 0x80 {
        character = (output.count, open)
        if byte.isSpace { word = character }
      }
      escape(byte)
    }
    if output.count <= room { character = (output.count, open) }
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "&"): output += "&amp;".utf8
    case UInt8(ascii: "<"): output += "&lt;".utf8
    case UInt8(ascii: ">"): output += "&gt;".utf8
    case UInt8(ascii: "\""): output += "&quot;".utf8
    case UInt8(ascii: "\n"), UInt8(ascii: "\t"), 0x20...: output.append(byte)
    // Other control characters.
    default: break
    }
  }

  mutating func finished() -> String {
    while !open.isEmpty { end() }
    guard output.count > maxBytes else { return String(decoding: output, as: UTF8.self) }
    let end = [block, word].first { $0.count > maxBytes / 2 } ?? character
    let closing = end.open.reversed().map { $0.isEmpty ? "" : "</\($0)>" }.joined()
    return String(decoding: output[..<end.count], as: UTF8.self) + closing
  }
}

extension JSONValue {
  package enum Layout: Sendable {
    /// One line, no spaces: for the wire, for NDJSON, for hashing.
    case compact
    /// Two spaces a level, a member a line: for people and for git.
    case pretty
  }

  /// The value as JSON text, with members in their own order. A double is written so that it is read as a double
  /// again.
  package func text(_ layout: Layout = .compact) -> String {
    String(decoding: bytes(layout), as: UTF8.self)
  }

  package func bytes(_ layout: Layout = .compact) -> [UInt8] {
    var writer = JSONWriter<Never>(pretty: layout == .pretty)
    writer.write(self, indent: 0)
    return writer.bytes
  }

  /// Writes the same text in pieces, so that a long text is never in memory as a whole.
  package func write<Failure>(
    _ layout: Layout = .compact, to take: (String) throws(Failure) -> Void
  ) throws(Failure) {
    try withoutActuallyEscaping(take) { (take) throws(Failure) in
      var writer = JSONWriter<Failure>(pretty: layout == .pretty) { (bytes) throws(Failure) in
        try take(String(decoding: bytes, as: UTF8.self))
      }
      try writer.write(self, indent: 0)
      try writer.drain()
    }
  }

  /// The same value with every object's members sorted by key, so that equal content has equal text.
  package var sorted: JSONValue {
    switch self {
    case .array(let elements): .array(elements.map(\.sorted))
    case .object(let object):
      .object(JSONObject(object.members.map { ($0.key, $0.value.sorted) }.sorted { $0.0 < $1.0 }))
    default: self
    }
  }
}

private struct JSONWriter<Failure: Error> {
  let pretty: Bool
  var bytes: [UInt8] = []
  /// Receives the text in pieces; `nil` collects it.
  private let take: (([UInt8]) throws(Failure) -> Void)?

  init(pretty: Bool, take: (([UInt8]) throws(Failure) -> Void)? = nil) {
    self.pretty = pretty
    self.take = take
  }

  mutating func drain() throws(Failure) {
    try take?(bytes)
    bytes.removeAll(keepingCapacity: true)
  }

  mutating func write(_ value: JSONValue, indent: Int) throws(Failure) {
    switch value {
    case .null: put("null")
    case .bool(let value): put(value ? "true" : "false")
    case .integer(let value): put(String(value))
    case .double(let value): put(value.isFinite ? value.description : "null")
    case .string(let value): write(value)
    case .array(let elements):
      try list(elements, "[", "]", indent: indent) { (writer, element) throws(Failure) in
        try writer.write(element, indent: indent + 1)
      }
    case .object(let object):
      try list(object.members, "{", "}", indent: indent) { (writer, member) throws(Failure) in
        writer.write(member.key)
        writer.put(writer.pretty ? ": " : ":")
        try writer.write(member.value, indent: indent + 1)
      }
    }
  }

  private mutating func list<Item>(
    _ items: [Item], _ open: String, _ close: String, indent: Int,
    write: (inout Self, Item) throws(Failure) -> Void
  ) throws(Failure) {
    put(open)
    for (index, item) in items.enumerated() {
      if index > 0 { put(",") }
      newLine(indent + 1)
      try write(&self, item)
      // Pass on the text only between two values, never inside a character.
      if take != nil, bytes.count >= 1 << 16 { try drain() }
    }
    if !items.isEmpty { newLine(indent) }
    put(close)
  }

  private mutating func newLine(_ indent: Int) {
    guard pretty else { return }
    bytes.append(UInt8(ascii: "\n"))
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indent * 2))
  }

  private mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private mutating func write(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { text in
      // Copy runs of characters that need no escape in one piece.
      var start = 0
      var place = 0
      while place < text.count {
        let length = JSONWriter.lengthToEscape(text, at: place)
        if length > 0 {
          bytes.append(contentsOf: text[start..<place])
          putEscape(of: text[place..<(place + length)])
          start = place + length
        }
        place += max(length, 1)
      }
      bytes.append(contentsOf: text[start...])
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// The length in bytes of the character at `place` if it must be escaped; otherwise 0.
  ///
  /// Escaped are, in addition to what JSON requires (RFC 8259, section 7): characters that control a terminal
  /// (control characters, line separators, bidirectional controls), and the `[` of `##[`, which GitHub's runner
  /// reads as a command anywhere in a line.
  private static func lengthToEscape(_ text: UnsafeBufferPointer<UInt8>, at place: Int) -> Int {
    let byte = text[place]
    switch byte {
    case 0..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7F: return 1
    case UInt8(ascii: "["):
      let hash = UInt8(ascii: "#")
      return place > 1 && text[place - 1] == hash && text[place - 2] == hash ? 1 : 0
    // U+0080...U+009F, U+061C
    case 0xC2: return text[place + 1] < 0xA0 ? 2 : 0
    case 0xD8: return text[place + 1] == 0x9C ? 2 : 0
    // U+200E, U+200F, U+2028...U+202E, U+2066...U+206F
    case 0xE2:
      switch (text[place + 1], text[place + 2]) {
      case (0x80, 0x8E...0x8F), (0x80, 0xA8...0xAE), (0x81, 0xA6...0xAF): return 3
      default: return 0
      }
    default: return 0
    }
  }

  private mutating func putEscape(of character: Slice<UnsafeBufferPointer<UInt8>>) {
    switch character.first {
    case UInt8(ascii: "\""): put("\\\"")
    case UInt8(ascii: "\\"): put("\\\\")
    case UInt8(ascii: "\n"): put("\\n")
    case UInt8(ascii: "\r"): put("\\r")
    case UInt8(ascii: "\t"): put("\\t")
    default:
      // All characters that are escaped are below U+FFFF.
      let value = String(decoding: character, as: UTF8.self).unicodeScalars.first?.value ?? 0
      let hex = String(value, radix: 16)
      put("\\u" + String(repeating: "0", count: 4 - hex.count) + hex)
    }
  }
}

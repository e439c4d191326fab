/// Writes HTML from elements that ``HTMLVocabulary`` allows. Everything else of it is escaped text, so that no reader of
/// the result runs a script or leaves its place.
struct SafeMarkup {
  private var output: [UInt8] = []
  /// The open elements; empty names for those that are not written.
  private var open: [String] = []
  private let maxBytes: Int
  /// The end of the last block that fits, with the elements that are open there.
  private var lastFit: (count: Int, open: [String])?

  /// - Parameter maxBytes: the result ends with the last block that fits.
  init(maxBytes: Int) { self.maxBytes = maxBytes }

  /// - Parameter attributes: names and values as ``HTMLVocabulary/safeAttributes(of:_:_:)`` returns them.
  mutating func start(_ name: String, _ attributes: [(name: String, value: String)]) {
    let isVoid = HTMLVocabulary.voidElements.contains(name)
    open.append(isVoid ? "" : name)
    output += "<\(name)".utf8
    for attribute in attributes {
      output += " \(attribute.name)=\"".utf8
      add(attribute.value)
      output.append(UInt8(ascii: "\""))
    }
    output.append(UInt8(ascii: ">"))
  }

  /// Opens an element of which only the content is written.
  mutating func startUnwritten() { open.append("") }

  mutating func end() {
    guard let name = open.popLast(), !name.isEmpty else { return }
    output += "</\(name)>".utf8
    guard maxBytes < .max, HTMLVocabulary.blocks.contains(name) else { return }
    let closing = open.reduce(0) { $0 + ($1.isEmpty ? 0 : $1.utf8.count + 3) }
    if output.count + closing <= maxBytes { lastFit = (output.count, open) }
  }

  mutating func add(_ text: String) {
    for byte in text.utf8 {
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
  }

  /// The markup, with everything closed.
  mutating func finished() -> String {
    while !open.isEmpty { end() }
    guard output.count > maxBytes else { return String(decoding: output, as: UTF8.self) }
    guard let fit = lastFit else { return "" }
    let closing = fit.open.reversed().map { $0.isEmpty ? "" : "</\($0)>" }.joined()
    return String(decoding: output[..<fit.count], as: UTF8.self) + closing
  }
}

internal import XMLReading

/// E-mail addresses in forms that hide them from programs, such as `ann (at) s (dot) example`
/// (Documentation/reference/feeds.md#authors).
struct ObscuredAddress {
  private let bytes: [UInt8]
  private var output: [UInt8] = []

  /// The text with these addresses in their usual form. Reads each byte a fixed number of times.
  static func revealed(in text: String) -> String {
    var reading = ObscuredAddress(bytes: Array(text.utf8))
    reading.readAll()
    return String(decoding: reading.output, as: UTF8.self)
  }

  /// Whether there is anything in a text that can be an address: most names have no such byte, nor the word `at`.
  static func canBe(in text: String) -> Bool {
    var last: (UInt8, UInt8) = (0, 0)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "@"), UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "<"),
        UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "_"), 0xEF:
        return true
      case UInt8(ascii: "t"), UInt8(ascii: "T"):
        if last.1 | 0x20 == UInt8(ascii: "a"), last.0.isSpace { return true }
      default: break
      }
      last = (last.1, byte)
    }
    return false
  }

  private static let signs = ["＠", "﹫", "%40", "&#64;", "&#x40;", "&commat;"].map { Array($0.utf8) }
  private static let dots = ["dot", "punkt", "point", "."].map { Array($0.utf8) }
  private static let ats = ["at", "@"].map { Array($0.utf8) }
  private static let maxSpaces = 3

  private mutating func readAll() {
    var index = 0
    while index < bytes.count {
      if let sign = Self.signs.first(where: { isWord($0, at: index) }) {
        output.append(UInt8(ascii: "@"))
        index += sign.count
      } else if let end = bracketed(Self.dots, at: index) {
        trimEnd()
        output.append(UInt8(ascii: "."))
        index = afterSpaces(end)
      } else if let end = addressEnd(at: index) {
        index = end
      } else {
        output.append(bytes[index])
        index += 1
      }
    }
  }

  /// Writes the sign and the host that begin here, and returns where they end.
  private mutating func addressEnd(at index: Int) -> Int? {
    let spaced = index < bytes.count && bytes[index].isSpace
    let start = afterSpaces(index)
    let marked =
      bracketed(Self.ats, at: start) ?? wordEnd("_at_", at: index)
      ?? (output.last?.isSpace == false ? wordEnd("@ ", at: index) : nil)
    let plain = spaced ? wordEnd("at ", at: start) ?? wordEnd("@ ", at: start) : nil
    guard let end = marked ?? plain, let host = host(at: afterSpaces(end)), let local = localStart else {
      return nil
    }
    guard marked != nil || host.isSpelled || isAlone(from: local, to: host.end) else { return nil }
    trimEnd()
    output.append(UInt8(ascii: "@"))
    output += host.name
    return host.end
  }

  /// Where the word at the end of the output begins.
  private var localStart: Int? {
    let word = output.reversed().drop(while: \.isSpace).prefix(while: Self.isPart)
    guard !word.isEmpty else { return nil }
    return word.endIndex.base
  }

  /// Whether nothing but separators stands around a part of the text: `Ann at work.example` is an address,
  /// and `Ann Lee at work.example` is a person and her employer.
  private func isAlone(from start: Int, to end: Int) -> Bool {
    let before = output[..<start].last { !$0.isSpace }
    let after = bytes[end...].first { !$0.isSpace }
    return [before, after].allSatisfy { $0.map { !Self.isPart($0) || $0 == UInt8(ascii: "-") } ?? true }
  }

  private func host(at index: Int) -> (name: [UInt8], end: Int, isSpelled: Bool)? {
    var (end, isSpelled) = (labelEnd(at: index), false)
    var name = Array(bytes[index..<end])
    var labels = 0
    while end > index, let dot = dotEnd(at: end), labelEnd(at: dot) > dot {
      isSpelled = isSpelled || bytes[end] != UInt8(ascii: ".")
      end = labelEnd(at: dot)
      name += [UInt8(ascii: ".")] + bytes[dot..<end]
      labels += 1
    }
    let last = name.reversed().prefix { $0 != UInt8(ascii: ".") }
    // A time of day is not a host.
    return labels > 0 && last.count > 1 && !last.contains(where: \.isDigit) ? (name, end, isSpelled) : nil
  }

  private func dotEnd(at index: Int) -> Int? {
    if index < bytes.count, bytes[index] == UInt8(ascii: ".") { return index + 1 }
    let start = afterSpaces(index)
    let spelled = start > index ? wordEnd("dot ", at: start) ?? wordEnd("punkt ", at: start) : nil
    return (bracketed(Self.dots, at: start) ?? spelled).map(afterSpaces)
  }

  private func labelEnd(at index: Int) -> Int {
    bytes[min(index, bytes.count)...].firstIndex {
      !$0.isLetterOrDigit && $0 != UInt8(ascii: "-") && $0 < 0x80
    }
      ?? bytes.count
  }

  /// Where brackets end that begin here and have one of the words in them.
  private func bracketed(_ words: [[UInt8]], at index: Int) -> Int? {
    guard index < bytes.count, "([{<".utf8.contains(bytes[index]) else { return nil }
    let start = afterSpaces(index + 1)
    guard let word = words.first(where: { isWord($0, at: start) }) else { return nil }
    let end = afterSpaces(start + word.count)
    return end < bytes.count && ")]}>".utf8.contains(bytes[end]) ? end + 1 : nil
  }

  private func wordEnd(_ word: String, at index: Int) -> Int? {
    isWord(Array(word.utf8), at: index) ? index + word.utf8.count : nil
  }

  private func isWord(_ word: [UInt8], at index: Int) -> Bool {
    index + word.count <= bytes.count
      && zip(word, bytes[index...]).allSatisfy { $0 == $1 || $1.isLetter && $0 == $1 | 0x20 }
  }

  private func afterSpaces(_ index: Int) -> Int {
    var index = index
    for _ in 0..<Self.maxSpaces where index < bytes.count && bytes[index].isSpace { index += 1 }
    return index
  }

  private mutating func trimEnd() {
    while output.last?.isSpace == true { output.removeLast() }
  }

  private static func isPart(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || byte >= 0x80 || "._%+-".utf8.contains(byte)
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool { isLetter || isDigit }
}

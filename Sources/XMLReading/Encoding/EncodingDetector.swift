/// Guesses the encoding of text that is not in its declared encoding, by the characters it has in each candidate.
package enum EncodingDetector {
  /// How many bytes beyond ASCII are enough for a guess.
  private static let sample = 8 << 10
  /// Characters of another encoding have a greater one by chance only.
  private static let scoreOfFrequent = 0.7

  package static func isUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    String(validating: bytes, as: UTF8.self) != nil
  }

  /// True for UTF-8 with characters beyond ASCII under another label: text in another encoding hardly ever looks so. A
  /// few characters of two bytes may, and then most of them are frequent ones of their encoding.
  package static func isUTF8(_ bytes: UnsafeBufferPointer<UInt8>, labeled label: EncodingLabel) -> Bool {
    guard label != .utf8, !label.isWide, !bytes.isASCII, isUTF8(bytes) else {
      return false
    }
    guard let candidate = candidates.first(where: { $0.name == label.name }), !label.isSingleByte,
      let score = score(interesting(bytes), candidate)
    else { return true }
    return score <= scoreOfFrequent
  }

  /// UTF-8 if most of the text is UTF-8; otherwise the likeliest other encoding, or windows-1252, which can represent
  /// any bytes.
  package static func detect(_ bytes: UnsafeBufferPointer<UInt8>) -> EncodingLabel {
    let (valid, invalid) = countUTF8(bytes)
    // Text in another encoding rarely contains byte sequences that are valid in UTF-8.
    if invalid == 0 || valid > invalid { return .utf8 }
    guard isDense(bytes) else { return EncodingLabel(known: "windows-1252") }
    let text = interesting(bytes)
    var best = (encoding: EncodingLabel(known: "windows-1252"), score: 0.55)
    for candidate in candidates {
      guard let score = score(text, candidate), score > best.score else { continue }
      best = (EncodingLabel(known: candidate.name), score)
    }
    return best.encoding
  }

  /// Bytes of characters beyond ASCII that are well-formed UTF-8, and bytes that belong to none. Bytes and not
  /// characters, so that one wrong byte beside one `€` does not outweigh it.
  private static func countUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> (valid: Int, invalid: Int) {
    var counts = (valid: 0, invalid: 0)
    var parser = Unicode.UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    while true {
      switch parser.parseScalar(from: &iterator) {
      case .valid(let character): if character.count > 1 { counts.valid += character.count }
      case .error(let length): counts.invalid += length
      case .emptyInput: return counts
      }
    }
  }

  /// True when bytes beyond ASCII come in runs, as in words of other scripts; in Western text they are single.
  private static func isDense(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let high = bytes.count { $0 >= 0x80 }
    let joined = zip(bytes, bytes.dropFirst()).count { $0 >= 0x80 && $1 >= 0x80 }
    return high >= 6 && joined * 5 >= high * 2
  }

  /// The runs of bytes beyond ASCII, each with the byte after it, which may be the second half of a character.
  private static func interesting(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var output: [UInt8] = []
    var isRun = false
    for byte in bytes {
      if byte >= 0x80 {
        output.append(byte)
        isRun = true
        if output.count > sample * 2 { break }
      } else if isRun {
        output.append(byte)
        if byte < 0x40 { isRun = false }
        if output.count > sample { break }
      }
    }
    return output
  }

  // MARK: Candidates

  /// The weight is how likely a character beyond ASCII is in text of this encoding, 0...1.
  private typealias Candidate = (name: String, weight: @Sendable (UInt32) -> Double)

  /// The mean weight of the text's characters; `nil` when the bytes are not valid in this encoding.
  private static func score(_ bytes: [UInt8], _ candidate: Candidate) -> Double? {
    guard let transcoder = Transcoder(EncodingLabel(known: candidate.name)) else { return nil }
    var text = ByteBuffer()
    bytes.withUnsafeBufferPointer { transcoder.convert($0, into: &text) }
    if transcoder.sawInvalid { return nil }
    var total = 0.0
    var count = 0
    for scalar in String(decoding: text.bytes, as: UTF8.self).unicodeScalars where scalar.value >= 0x80 {
      total += candidate.weight(scalar.value)
      count += 1
    }
    return count == 0 ? nil : total / Double(count)
  }

  private static let candidates: [Candidate] = [
    ("shift-jis", japanese), ("euc-jp", japanese), ("euc-kr", korean),
    ("gb18030", { han($0, frequent: simplified) }), ("big5", { han($0, frequent: traditional) }),
    ("koi8-r", cyrillic), ("windows-1251", cyrillic), ("iso-8859-5", cyrillic),
    ("windows-1255", { (0x05D0...0x05EA).contains($0) ? 0.9 : 0 }),
    ("windows-1253", { (0x03AC...0x03CE).contains($0) ? 0.85 : (0x0386...0x03AB).contains($0) ? 0.2 : 0 }),
    ("tis-620", { (0x0E01...0x0E5B).contains($0) ? 0.9 : 0 }),
  ]

  private static func scalars(_ text: String) -> Set<UInt32> { Set(text.unicodeScalars.map(\.value)) }

  private static let simplified = scalars(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实")
  private static let traditional = scalars(
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實")
  private static let commonHangul = scalars("이다는을에의가고하지은를로도한서사기자아어시리나정부대수인전")
  private static let commonCyrillic = scalars("оеаинтсрвлкмдпу")

  @Sendable private static func japanese(_ value: UInt32) -> Double {
    switch value {
    case 0x3041...0x3096: 1
    case 0x30A1...0x30FC: 0.85
    case 0x3001, 0x3002, 0x300C, 0x300D: 0.9
    case 0x4E00...0x9FFF: 0.5
    default: 0
    }
  }

  @Sendable private static func korean(_ value: UInt32) -> Double {
    guard (0xAC00...0xD7A3).contains(value) else { return 0.1 }
    return commonHangul.contains(value) ? 1 : 0.65
  }

  private static func han(_ value: UInt32, frequent: Set<UInt32>) -> Double {
    if frequent.contains(value) { return 1 }
    if (0x4E00...0x9FFF).contains(value) { return 0.53 }
    return (0x3000...0x3015).contains(value) || (0xFF00...0xFF5E).contains(value) ? 0.9 : 0
  }

  @Sendable private static func cyrillic(_ value: UInt32) -> Double {
    if commonCyrillic.contains(value) { return 1 }
    if (0x0430...0x044F).contains(value) || value == 0x0451 { return 0.7 }
    return (0x0410...0x042F).contains(value) ? 0.3 : 0
  }
}

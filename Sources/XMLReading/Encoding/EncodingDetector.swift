internal import Diagnostics

/// Guesses the encoding of text that is not in the one it claims: by what the bytes read as in each candidate.
enum EncodingDetector {
  /// Bytes beyond ASCII that are enough to tell.
  private static let sample = 8 << 10

  static func isUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var index = 0
    while index < bytes.count {
      let length = UTF8Character.length(in: bytes, at: index)
      guard length > 0 else { return false }
      index += length
    }
    return true
  }

  /// UTF-8 where nearly everything is; else the likeliest other encoding; else windows-1252, in which
  /// anything can be read.
  static func detect(_ bytes: UnsafeBufferPointer<UInt8>, declared: EncodingLabel) -> EncodingLabel {
    let (valid, invalid) = countUTF8(bytes)
    // Whole characters of UTF-8 do not come about by chance: in text of another encoding few bytes make one.
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

  /// Characters beyond ASCII that are whole UTF-8, and bytes that are not.
  private static func countUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> (valid: Int, invalid: Int) {
    var counts = (valid: 0, invalid: 0)
    var index = 0
    while index < bytes.count {
      let length = UTF8Character.length(in: bytes, at: index)
      if length > 1 { counts.valid += 1 }
      if length == 0 { counts.invalid += 1 }
      index += max(1, length)
    }
    return counts
  }

  /// True when bytes beyond ASCII come in runs, as in words of other scripts; in Western text they stand alone.
  private static func isDense(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var high = 0
    var joined = 0
    var previous: UInt8 = 0
    for byte in bytes {
      if byte >= 0x80 {
        high += 1
        if previous >= 0x80 { joined += 1 }
      }
      previous = byte
    }
    return high >= 6 && joined * 5 >= high * 2
  }

  /// Runs of bytes beyond ASCII with the byte that follows each, which may be the second half of a character.
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

  private struct Candidate: Sendable {
    let name: String
    /// How well a character beyond ASCII suits text in this encoding, 0...1.
    let weight: @Sendable (UInt32) -> Double
  }

  /// The mean weight of the text's characters; `nil` when it cannot be read so.
  private static func score(_ bytes: [UInt8], _ candidate: Candidate) -> Double? {
    guard let transcoder = Transcoder(EncodingLabel(known: candidate.name)) else { return nil }
    var text: [UInt8] = []
    bytes.withUnsafeBufferPointer { transcoder.convert($0, into: &text) }
    if transcoder.sawInvalid { return nil }
    var total = 0.0
    var count = 0
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars where scalar.value >= 0x80 {
      total += candidate.weight(scalar.value)
      count += 1
    }
    return count == 0 ? nil : total / Double(count)
  }

  private static let candidates = [
    Candidate(name: "shift-jis", weight: japanese), Candidate(name: "euc-jp", weight: japanese),
    Candidate(name: "euc-kr", weight: korean),
    Candidate(name: "gb18030", weight: { han($0, frequent: simplified) }),
    Candidate(name: "big5", weight: { han($0, frequent: traditional) }),
    Candidate(name: "koi8-r", weight: cyrillic), Candidate(name: "windows-1251", weight: cyrillic),
    Candidate(name: "iso-8859-5", weight: cyrillic),
    Candidate(name: "windows-1255", weight: { (0x05D0...0x05EA).contains($0) ? 0.9 : 0 }),
    Candidate(
      name: "windows-1253",
      weight: { (0x03AC...0x03CE).contains($0) ? 0.85 : 0.2 * isIn(0x0386...0x03AB, $0) }),
    Candidate(name: "tis-620", weight: { (0x0E01...0x0E5B).contains($0) ? 0.9 : 0 }),
  ]

  private static func isIn(_ range: ClosedRange<UInt32>, _ value: UInt32) -> Double {
    range.contains(value) ? 1 : 0
  }

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

internal import XMLReading

/// The numbers, words and marks of a date in free form.
struct DateTokens {
  enum Token: Equatable {
    case number(Int, digits: Int)
    /// In lower case.
    case word(String)
    case mark(Unicode.Scalar)
  }

  struct Element {
    var token: Token
    var isApart: Bool
  }

  private(set) var elements: [Element] = []
  let isKorean: Bool

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    let original = String(decoding: bytes, as: UTF8.self).lowercased()
    isKorean = original.unicodeScalars.contains { (0xAC00...0xD7A3).contains($0.value) }
    let text = Self.translated(original)
    var scalars = Array(text.unicodeScalars.map(Self.plain))[...]
    var isApart = false
    while let first = scalars.first {
      if first.properties.isWhitespace {
        isApart = true
        scalars.removeFirst()
        continue
      }
      elements.append(Element(token: Self.token(&scalars), isApart: isApart))
      isApart = false
    }
  }

  private static func token(_ scalars: inout ArraySlice<Unicode.Scalar>) -> Token {
    let first = scalars[scalars.startIndex]
    if digit(first) != nil {
      let digits = scalars.prefix { digit($0) != nil }.prefix(17)
      scalars = scalars.dropFirst(digits.count)
      return .number(digits.reduce(0) { $0 * 10 + (digit($1) ?? 0) }, digits: digits.count)
    }
    guard first != "_" else { return .mark(scalars.removeFirst()) }
    let isThai = isThai(first)
    let word = scalars.prefix { isInWord($0) || isThai && $0 == "." }
    guard !word.isEmpty else { return .mark(scalars.removeFirst()) }
    // Chinese characters are words of their own.
    let length = isHan(first) ? 1 : word.prefix { !isHan($0) }.count
    scalars = scalars.dropFirst(length)
    return .word(String(String.UnicodeScalarView(word.prefix(length))))
  }

  private static func isInWord(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || scalar.properties.generalCategory == .nonspacingMark || scalar == "_"
  }

  private static func isThai(_ scalar: Unicode.Scalar) -> Bool { (0x0E00...0x0E7F).contains(scalar.value) }
  private static func isHan(_ scalar: Unicode.Scalar) -> Bool { (0x3400...0x9FFF).contains(scalar.value) }

  private static func digit(_ scalar: Unicode.Scalar) -> Int? {
    if (0x30...0x39).contains(scalar.value) { return Int(scalar.value) - 0x30 }
    guard scalar.value > 0x7F, scalar.properties.numericType == .decimal else { return nil }
    return scalar.properties.numericValue.map { Int($0) }
  }

  private static func plain(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.value {
    case 0x2010...0x2015, 0x2212, 0xFF0D, 0xFE63: "-"
    case 0xFF1A: ":"
    case 0xFF0F: "/"
    case 0xFF0E: "."
    case 0xFF0C, 0x3001, 0x060C: ","
    case 0xFF08: "("
    case 0xFF09: ")"
    case 0x2018, 0x2019: "'"
    case 0x200B, 0x200E, 0x200F, 0xFEFF, 0x202A...0x202E: " "
    default: scalar
    }
  }

  /// Forms of several words, each with the word that the reader knows.
  private static func translated(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 >= 0x80 || $0 == UInt8(ascii: ".") }) || text.contains("time") else {
      return text
    }
    return translations.reduce(text) { $0.contains($1.from) ? $0.replacing($1.from, with: $1.to) : $0 }
  }

  private static let translations: [(from: String, to: String)] =
    ["a.m.", "a. m.", "a.\u{A0}m.", "a.m", "上午", "午前", "오전", "π.μ.", "πμ"].map { ($0, " am ") }
    + ["p.m.", "p. m.", "p.\u{A0}m.", "p.m", "下午", "午後", "午后", "오후", "μ.μ.", "μμ"].map { ($0, " pm ") }
    + [("令和", " reiwa "), ("平成", " heisei "), ("昭和", " showa "), ("民國", " minguo "), ("元年", "1年")]
    + [("曜日", " "), ("星期", " weekday "), ("週", " weekday "), ("周", " weekday ")]
    + zip(["十二月", "十一月", "十月", "九月", "八月", "七月", "六月", "五月", "四月", "三月", "二月", "一月"], 1...12)
    .map { ($0, " \(13 - $1)月 ") }
    + [("eastern", "e"), ("central", "c"), ("mountain", "m"), ("pacific", "p")].flatMap { name, letter in
      [("standard time", "st"), ("daylight time", "dt"), ("time", "t")].map { ("\(name) \($0)", letter + $1) }
    }
    + [("coordinated universal time", "utc"), ("greenwich mean time", "gmt"), ("british summer time", "bst")]
    + [("central european summer time", "cest"), ("central european time", "cet")]
}

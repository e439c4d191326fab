internal import Diagnostics

enum ReadableNumber {
  /// `12,400`
  static func grouped(_ number: some BinaryInteger) -> String {
    let digits = String(number.magnitude)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return number < 0 ? "−\(text)" : text
  }

  /// `1 feed`, `12,400 feeds`
  static func counted(_ number: some BinaryInteger, _ noun: String) -> String {
    "\(grouped(number)) \(noun)\(number.magnitude == 1 ? "" : "s")"
  }

  /// With its sign: `+3`, `−1,204`, `0`.
  static func change(_ number: some BinaryInteger) -> String { (number > 0 ? "+" : "") + grouped(number) }

  /// `99.9` from 999.
  static func tenths(_ tenths: Int64) -> String { "\(tenths / 10).\(tenths % 10)" }

  static func percent(tenths: Int64) -> String { tenths == 1000 ? "100 %" : "\(Self.tenths(tenths)) %" }

  /// A text from outside for a page: without the secrets of addresses, shortened to a number of Unicode scalars.
  static func shortened(_ text: String, to limit: Int = 160) -> String {
    let text = text.withoutSecrets
    guard text.unicodeScalars.count > limit else { return text }
    return String(text.unicodeScalars.prefix(limit - 1)) + "…"
  }
}

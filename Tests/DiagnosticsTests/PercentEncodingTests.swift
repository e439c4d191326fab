import Diagnostics
import Testing

@Suite struct PercentEncodingTests {
  static let plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"

  @Test(
    "every ASCII character is either plain or two capital digits, and reads back in capitals and small letters"
  )
  func ascii() {
    let digits = Array("0123456789ABCDEF")
    for code in UInt8(0)..<128 {
      let character = String(UnicodeScalar(code))
      let escape = "%\(digits[Int(code) / 16])\(digits[Int(code) % 16])"
      #expect(PercentEncoding.encode(character) == (Self.plain.contains(character) ? character : escape))
      #expect(PercentEncoding.decode(escape) == character)
      #expect(PercentEncoding.decode(escape.lowercased()) == character)
    }
  }

  @Test(
    "an escape that is incomplete, has other digits or makes no text is refused",
    arguments: ["%", "%4", "a%", "%4g", "%g4", "%/0", "%0/", "%:0", "%@0", "%G0", "%`0", "%ff", "%C3"])
  func refused(text: String) {
    #expect(PercentEncoding.decode(text) == nil)
  }

  @Test(
    "an item of a query ends at '&' and splits at its first '='",
    arguments: [
      ("", [:]), ("&&", [:]), ("a", ["a": ""]), ("a=", ["a": ""]), ("=a", ["": "a"]), ("a=b", ["a": "b"]),
      ("a=b=c", ["a": "b=c"]), ("a==", ["a": "="]), ("a=%26&b=2", ["a": "&", "b": "2"]),
      ("a=1&a=2", ["a": "2"]), ("a+b=1+2%2B", ["a b": "1 2+"]),
      ("%3D=%", [:]), ("%=1&b=2", ["b": "2"]),
    ] as [(String, [String: String])])
  func items(query: String, expected: [String: String]) {
    #expect(PercentEncoding.queryItems(query) == expected)
  }
}

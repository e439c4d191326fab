import CustomDump
import Diagnostics
import Testing

@Suite("JSON parser") struct ParserTests {
  @Test(
    "numbers keep what they were written as",
    arguments: [
      ("9223372036854775807", JSONValue.integer(.max)), ("-9223372036854775808", .integer(.min)),
      ("9223372036854775808", .double(9_223_372_036_854_775_808)), ("0", .integer(0)), ("-0", .integer(0)),
      ("10", .integer(10)), ("-1", .integer(-1)), ("0.5", .double(0.5)), ("1e+2", .double(100)),
      ("1E0", .double(1)),
      ("1.0", .double(1)), ("1e3", .double(1000)), ("-2.5E-1", .double(-0.25)),
    ])
  func numbers(text: String, value: JSONValue) throws {
    expectNoDifference(try JSONValue(parsing: text), value)
  }

  @Test(
    "strings with escapes, surrogate pairs and characters of several bytes",
    arguments: [
      (#""a\"\\\/\b\f\n\r\t""#, "a\"\\/\u{8}\u{C}\n\r\t"), (#""\u00e9\uD83D\ude00""#, "é😀"),
      (#""\ud800\udc00\udbff\udfff""#, "\u{10000}\u{10FFFF}"),
      (#""\uD7FF\uE000\uFFFF""#, "\u{D7FF}\u{E000}\u{FFFF}"),
      (#""a b\n c ! d""#, "a b\n c ! d"), (#""\n\n""#, "\n\n"), (#""a\tb\tc""#, "a\tb\tc"),
      ("\"größe 😀\"", "größe 😀"), ("\"\"", ""), (#""\u0000""#, "\u{0}"),
    ])
  func strings(text: String, value: String) throws {
    expectNoDifference(try JSONValue(parsing: text), .string(value))
  }

  @Test(
    "each mistake is reported with its place",
    arguments: [
      ("", "expected a value", 0..<0), ("[1,]", "remove the comma before ']'", 3..<4),
      ("{\"a\":1,}", "remove the comma before '}'", 7..<8), ("{\"a\" 1}", "expected ':'", 5..<6),
      ("{a:1}", "double quotes", 1..<2), ("[1 2]", "expected ',' or ']'", 3..<4),
      ("{\"a\":1,\"a\":2}", "has the key 'a' twice", 7..<10), ("01", "cannot start with 0", 0..<2),
      ("-", "a digit after '-'", 1..<1), ("1.", "a digit after '.'", 2..<2), ("1e", "in the exponent", 2..<2),
      ("1e999", "too large", 0..<5), ("nil", "'nil' is not a JSON value", 0..<3),
      ("\"a", "not closed", 0..<1),
      ("\"\\x\"", "unknown escape", 1..<3), (#""\ud83d""#, "surrogate", 1..<7),
      (#""\ud83d\u0041""#, "surrogate", 1..<13), (#""\u12g4""#, "four hexadecimal", 1..<7),
      ("\"a\u{1}\"", "control character", 2..<3), ("1 2", "expected the end", 2..<3),
      ("'a'", "unexpected", 0..<1), ("\"\\", "unknown escape", 1..<2), ("\"a\\n", "not closed", 0..<1),
      ("[\"a", "not closed", 1..<2), (#"["\n"#, "not closed", 1..<2), (#""\u12"#, "four hexadecimal", 1..<5),
      (#""\udc00\udc00""#, "surrogate", 1..<7), (#""\ud800\ue000""#, "surrogate", 1..<13),
      (#""\ud800\n""#, "surrogate", 1..<8), ("\"\\n\u{1F}\"", "control character", 3..<4),
      ("-01", "start with 0", 0..<3),
      ("00", "start with 0", 0..<2), ("-a", "a digit after '-'", 1..<2), ("1.a", "a digit after '.'", 2..<3),
      ("1e+", "in the exponent", 3..<3), ("-1e999", "too large", 0..<6), ("true1", "'true1' is not", 0..<5),
      ("{\"a\"", "expected ':'", 4..<4), ("{\"a\":1 2}", "expected ',' or '}'", 7..<8),
      ("{", "double quotes", 1..<1),
      ("[1", "expected ',' or ']'", 2..<2), ("{\"a\":1,b", "double quotes", 7..<8),
      ("[", "expected a value", 1..<1),
    ] as [(String, String, Range<Int>)])
  func mistakes(text: String, message: String, range: Range<Int>) {
    let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: text) }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    #expect(error?.range == range)
  }

  @Test("bytes that are not UTF-8 are refused inside strings, with the place of the string")
  func invalidUTF8() {
    for (bytes, range) in [
      ([0x22, 0xFF, 0x22], 1..<2), ([0x20, 0x22, 0xFF, 0x61, 0x22], 2..<4),
      // With an escape the place has the quotes.
      ([0x22, 0x5C, 0x6E, 0xFF, 0x22], 0..<5),
    ] as [([UInt8], Range<Int>)] {
      let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: bytes) }
      #expect(error?.message == "the string is not valid UTF-8" && error?.range == range)
    }
  }

  @Test("each value weighs 64 and the length of its text, and the limit itself is allowed")
  func weight() {
    for (text, weight) in [
      ("1", 64), ("[]", 64), ("\"\"", 64), ("\"é\"", 66), (#""\n\n""#, 66), ("[1,2]", 192),
      (#"{"abc":"d"}"#, 132),
    ] {
      var limits = JSONLimits()
      limits.weight = weight
      #expect(throws: Never.self) { try JSONValue(parsing: text, limits: limits) }
      limits.weight = weight - 1
      let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: text, limits: limits) }
      #expect(error?.kind == .tooMuch, "\(text)")
    }
    #expect(JSONLimits.valueWeight == 64 && JSONLimits().depth == 128 && !JSONLimits().isLenient)
  }

  @Test("nesting is bounded, and the bound itself is allowed")
  func depth() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    _ = try JSONValue(parsing: nested(128))
    let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: nested(129)) }
    #expect(error?.message == "nested deeper than 128 levels")
    #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: nested(1_000_000)) }
    _ = try JSONValue(parsing: nested(4), limits: JSONLimits(depth: 4))
  }

  @Test("nodes know where they stood")
  func positions() throws {
    let text = Array(#" {"a": [1, "é"], "b": null} "#.utf8)
    let node = try JSONNode(parsing: text)
    #expect(node.range == 1..<text.count - 1)
    let member = try #require(node.members?.first)
    #expect(member.keyRange == 2..<5)
    #expect(member.value.elements?.map(\.range) == [8..<9, 11..<15])
    #expect(node["b"]?.value == .null && node["b"]?.range == 23..<27)
    #expect(node["a"]?.range == 7..<16)
    #expect(node["c"] == nil)
    let words = try JSONNode(parsing: Array("[true, -1.5e1 ,{}]".utf8))
    #expect(words.elements?.map(\.range) == [1..<5, 7..<13, 15..<17])
    #expect(words.elements?.map(\.value) == [true, .double(-15), [:]])
  }

  @Test("a repeated key is found in small objects and in large ones")
  func repeatedKeys() {
    let many = (0..<100).map { "\"k\($0)\":0" }.joined(separator: ",")
    #expect(throws: Never.self) { try JSONValue(parsing: "{\(many)}") }
    #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: "{\(many),\"k3\":1}") }
  }
}

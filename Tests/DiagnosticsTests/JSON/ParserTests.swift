import CustomDump
import Diagnostics
import Testing

@Suite("JSON parser") struct ParserTests {
  @Test(
    "numbers keep what they were written as",
    arguments: [
      ("9223372036854775807", JSONValue.integer(.max)), ("-9223372036854775808", .integer(.min)),
      ("9223372036854775808", .double(9_223_372_036_854_775_808)), ("0", .integer(0)), ("-0", .integer(0)),
      ("1.0", .double(1)), ("1e3", .double(1000)), ("-2.5E-1", .double(-0.25)),
    ])
  func numbers(text: String, value: JSONValue) throws {
    expectNoDifference(try JSONValue(parsing: text), value)
  }

  @Test(
    "strings with escapes, surrogate pairs and characters of several bytes",
    arguments: [
      (#""a\"\\\/\b\f\n\r\t""#, "a\"\\/\u{8}\u{C}\n\r\t"), (#""\u00e9\uD83D\ude00""#, "é😀"),
      ("\"größe 😀\"", "größe 😀"), ("\"\"", ""), (#""\u0000""#, "\u{0}"),
    ])
  func strings(text: String, value: String) throws {
    expectNoDifference(try JSONValue(parsing: text), .string(value))
  }

  @Test(
    "each mistake is told with its place",
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
      ("'a'", "unexpected", 0..<1),
    ] as [(String, String, Range<Int>)])
  func mistakes(text: String, message: String, range: Range<Int>) {
    let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: text) }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    #expect(error?.range == range)
  }

  @Test("bytes that are not UTF-8 are refused inside strings")
  func invalidUTF8() {
    #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: [0x22, 0xFF, 0x22] as [UInt8]) }
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
    #expect(node["b"]?.value == .null)
    #expect(node["c"] == nil)
  }

  @Test("a repeated key is found in small objects and in large ones")
  func repeatedKeys() {
    let many = (0..<100).map { "\"k\($0)\":0" }.joined(separator: ",")
    #expect(throws: Never.self) { try JSONValue(parsing: "{\(many)}") }
    #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: "{\(many),\"k3\":1}") }
  }
}

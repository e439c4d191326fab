import CustomDump
import Diagnostics
import Testing

@Suite("JSON writer") struct JSONWriterTests {
  @Test(
    "what was parsed is written as it was",
    arguments: [
      "null", "true", "[]", "{}", "-9223372036854775808", "1.5", "[1,2.0,\"a\\\"\\\\\\n\\u0001\"]",
      "{\"b\":1,\"a\":{\"c\":[null,false]}}", "\"😀é\"",
    ])
  func roundTrip(text: String) throws {
    expectNoDifference(try JSONValue(parsing: text).text(), text)
  }

  @Test("a pretty text has two spaces a level and reads back as the same")
  func pretty() throws {
    let value: JSONValue = ["a": [1, 2], "b": [], "c": ["d": .null]]
    let text = value.text(.pretty)
    expectNoDifference(
      text,
      """
      {
        "a": [
          1,
          2
        ],
        "b": [],
        "c": {
          "d": null
        }
      }
      """)
    expectNoDifference(try JSONValue(parsing: text), value)
  }

  @Test("sorting orders members at every level")
  func sorted() {
    let value: JSONValue = ["b": 1, "a": ["d": 1, "c": 2]]
    #expect(value.sorted.text() == #"{"a":{"c":2,"d":1},"b":1}"#)
  }

  @Test("a number that JSON does not have is null")
  func notFinite() {
    #expect(JSONValue.double(.nan).text() == "null")
    #expect(JSONValue.double(.infinity).text() == "null")
  }

  @Test(
    "what a terminal or GitHub's runner would obey is written as an escape, and reads back as it was",
    arguments: [
      ("\u{1B}[2J\u{7F}", #"\u001b[2J\u007f"#), ("\u{80}\u{85}\u{9F}\u{A0}", "\\u0080\\u0085\\u009f\u{A0}"),
      ("\u{61B}\u{61C}\u{61D}", "\u{61B}\\u061c\u{61D}"),
      ("\u{200D}\u{200E}\u{200F}\u{2010}", "\u{200D}\\u200e\\u200f\u{2010}"),
      ("\u{2027}\u{2028}\u{202E}\u{202F}", "\u{2027}\\u2028\\u202e\u{202F}"),
      ("\u{2065}\u{2066}\u{206F}\u{2070}", "\u{2065}\\u2066\\u206f\u{2070}"),
      ("##[error]#[a][b]", ##"##\u005berror]#[a][b]"##), ("’“…–‍", "’“…–‍"), ("[a]", "[a]"), ("#[a]", "#[a]"),
      ("a##[b", ##"a##\u005bb"##), ("x#[", "x#["), ("#x[", "#x["), ("\u{1F} ", #"\u001f "#),
    ])
  func obeyed(text: String, written: String) throws {
    expectNoDifference(JSONValue.string(text).text(), "\"\(written)\"")
    #expect(try JSONValue(parsing: "\"\(written)\"") == .string(text))
  }

  @Test(
    "a character that needs an escape is escaped, even before a combining mark",
    arguments: ["\"", "\\", "\n"])
  func joined(character: String) throws {
    let escape = ["\"": "\\\"", "\\": "\\\\", "\n": "\\n"][character] ?? ""
    for (before, after) in [("", "\u{301}"), ("\u{600}", ""), ("", "\u{200D}")] {
      expectNoDifference(
        JSONValue.string(before + character + after).text(), "\"\(before)\(escape)\(after)\"")
    }
  }

  @Test("members are read, replaced in place, added last and removed")
  func members() {
    var object: JSONObject = ["a": 1, "b": 2]
    object["a"] = 3
    object["c"] = 4
    object["b"] = nil
    #expect(JSONValue.object(object).text() == #"{"a":3,"c":4}"#)
  }

  @Test("a long text is passed on in pieces of 64 KiB, between two values, and is the same as a whole")
  func pieces() {
    func pieces(_ value: JSONValue) -> [Int] {
      var pieces: [String] = []
      value.write { pieces.append($0) }
      #expect(pieces.joined() == value.text())
      return pieces.map(\.utf8.count)
    }
    // Beside the string there are its quotes and a bracket.
    let (below, exact) = (String(repeating: "a", count: 65_532), String(repeating: "a", count: 65_533))
    #expect(pieces([.string(below)]) == [65_536])
    #expect(pieces([.string(exact)]) == [65_536, 1])
    #expect(pieces([.string(below), 1, 2]) == [65_537, 3])
    #expect(pieces([.string(exact), .string(exact), 1]) == [65_536, 65_536, 3])
    #expect(pieces(5) == [1])
  }
}

import Diagnostics
import Testing

@testable import Curation

/// A change of one value leaves every other byte (Documentation/reference/curation.md#editing-in-place).
@Suite("Editing JSON in place") struct JSONEditorTests {
  private let order = ["a", "b", "c", "d"]

  private func setting(_ key: String, _ value: JSONValue?, in text: String) throws -> String {
    var editor = try JSONEditor(Array(text.utf8))
    editor.set(key, to: value, in: editor.root, order: order)
    return String(decoding: editor.bytes, as: UTF8.self)
  }

  private func adding(_ values: [JSONValue], to text: String, before index: Int? = nil) throws -> String {
    var editor = try JSONEditor(Array(text.utf8))
    editor.add(values, to: editor.root, position: { _ in index })
    return String(decoding: editor.bytes, as: UTF8.self)
  }

  @Test(
    "a member gets its value where it is",
    arguments: [
      (#"{"a": 1, "b": 2}"#, "b", 3, #"{"a": 1, "b": 3}"#), (#"{"a":1}"#, "a", "x", #"{"a":"x"}"#),
      ("{\n\t\"a\": 1\n}\n", "a", true, "{\n\t\"a\": true\n}\n"),
      (#"{"a": 1}"#, "a", ["x": 1, "y": 2], #"{"a": {"x": 1, "y": 2}}"#),
      // A value on several lines is written on several lines again.
      (
        "{\n  \"a\": {\n    \"x\": 1\n  }\n}", "a", ["y": [1]],
        "{\n  \"a\": {\n    \"y\": [\n      1\n    ]\n  }\n}"
      ),
      (
        "{\r\n  \"a\": [\r\n    1\r\n  ]\r\n}", "a", [1, 2], "{\r\n  \"a\": [\r\n    1,\r\n    2\r\n  ]\r\n}"
      ),
    ] as [(String, String, JSONValue, String)])
  func changes(_ text: String, _ key: String, _ value: JSONValue, _ expected: String) throws {
    #expect(try setting(key, value, in: text) == expected)
  }

  @Test("a list on one line stays there until it has more than 12 elements and six more than before")
  func longLists() throws {
    func isInline(_ count: Int, before: Int) throws -> Bool {
      let old = Array(repeating: "1", count: before).joined(separator: ", ")
      let text = try setting(
        "a", .array(Array(repeating: .integer(1), count: count)), in: "{\n  \"a\": [\(old)]\n}")
      return !text.contains("[\n")
    }
    #expect(try isInline(12, before: 0))
    #expect(try !isInline(13, before: 0))
    #expect(try isInline(12, before: 6))
    #expect(try !isInline(13, before: 6))
    #expect(try isInline(13, before: 7))
    #expect(try !isInline(14, before: 7))
    #expect(try isInline(26, before: 20))
    #expect(try !isInline(27, before: 20))
  }

  @Test(
    "a new member goes to its place in the order, after comments and unknown keys stay where they are",
    arguments: [
      (#"{"a": 1, "c": 2}"#, "b", #"{"a": 1, "b": 0, "c": 2}"#), (#"{"b": 1}"#, "a", #"{"a": 0, "b": 1}"#),
      (#"{"b":1}"#, "a", #"{"a":0,"b":1}"#), (#"{"b":1}"#, "c", #"{"b":1,"c":0}"#),
      (#"{"$schema": "x", "b": 1}"#, "a", #"{"$schema": "x", "a": 0, "b": 1}"#),
      (#"{"a": 1, "$note": "x", "b": 1}"#, "c", #"{"a": 1, "$note": "x", "b": 1, "c": 0}"#),
      (#"{"z": 1}"#, "a", #"{"a": 0, "z": 1}"#), (#"{"a": 1, "z": 1}"#, "b", #"{"a": 1, "b": 0, "z": 1}"#),
      (#"{"a": 1}"#, "z", #"{"a": 1, "z": 0}"#), ("{}", "a", #"{"a": 0}"#),
      ("{\n  \"a\": 1\n}\n", "b", "{\n  \"a\": 1,\n  \"b\": 0\n}\n"),
      ("{\n    \"b\": 1\n}", "a", "{\n    \"a\": 0,\n    \"b\": 1\n}"),
      ("{\r\n\t\"a\":1\r\n}", "b", "{\r\n\t\"a\":1,\r\n\t\"b\":0\r\n}"),
      ("{\n}", "a", "{\n  \"a\": 0\n}"),
    ])
  func insertions(_ text: String, _ key: String, _ expected: String) throws {
    #expect(try setting(key, 0, in: text) == expected)
  }

  @Test(
    "a removed member takes its comma along",
    arguments: [
      (#"{"a": 1, "b": 2, "c": 3}"#, "a", #"{"b": 2, "c": 3}"#),
      (#"{"a": 1, "b": 2, "c": 3}"#, "b", #"{"a": 1, "c": 3}"#),
      (#"{"a": 1, "b": 2, "c": 3}"#, "c", #"{"a": 1, "b": 2}"#), (#"{"a": 1}"#, "a", "{}"),
      (#"{"a": 1}"#, "b", #"{"a": 1}"#), ("{\n  \"a\": 1,\n  \"b\": 2\n}", "a", "{\n  \"b\": 2\n}"),
      ("{\n  \"a\": 1,\n  \"b\": 2\n}", "b", "{\n  \"a\": 1\n}"), ("{\n  \"a\": 1\n}", "a", "{}"),
    ])
  func removals(_ text: String, _ key: String, _ expected: String) throws {
    #expect(try setting(key, nil, in: text) == expected)
  }

  @Test("what is no object has no members to set")
  func noObject() throws { #expect(try setting("a", 1, in: "[1, 2]") == "[1, 2]") }

  @Test(
    "elements are added before the one that is named, or at the end, and are laid out as their neighbors",
    arguments: [
      ("[1, 2]", nil, "[1, 2, 9]"), ("[1, 2]", 0, "[9, 1, 2]"), ("[1, 2]", 1, "[1, 9, 2]"),
      ("[1,2]", nil, "[1,2,9]"), ("[1]", nil, "[1, 9]"), ("[1]", 0, "[9, 1]"), ("[ 1 ]", nil, "[ 1, 9 ]"),
      ("[\n  1\n]", nil, "[\n  1,\n  9\n]"), ("[\n  1,\n  2\n]", 1, "[\n  1,\n  9,\n  2\n]"),
      ("[\n  1, 2,\n  3\n]", nil, "[\n  1, 2,\n  3,\n  9\n]"), ("{}", nil, "{}"),
      ("[]", nil, "[9]"),
    ] as [(String, Int?, String)])
  func elements(_ text: String, _ index: Int?, _ expected: String) throws {
    #expect(try adding([9], to: text, before: index) == expected)
  }

  @Test("a list without a space after its colons and commas keeps to that")
  func compactLists() throws {
    func adding(to text: String) throws -> String {
      var editor = try JSONEditor(Array(text.utf8))
      let list = try #require(editor.root["a"])
      editor.add([2, 3], to: list)
      return String(decoding: editor.bytes, as: UTF8.self)
    }
    #expect(try adding(to: #"{"a":[1]}"#) == #"{"a":[1,2,3]}"#)
    #expect(try adding(to: #"{"a": [1]}"#) == #"{"a": [1, 2, 3]}"#)
    #expect(try adding(to: #"{"a":[]}"#) == #"{"a":[2,3]}"#)
    #expect(try adding(to: #"{"a": []}"#) == #"{"a": [2, 3]}"#)
    #expect(try adding(to: "{\n  \"a\": []\n}") == "{\n  \"a\": [\n    2,\n    3\n  ]\n}")
    #expect(
      try adding(to: "{\n  \"b\": {\"c\": []},\n  \"a\": []\n}").hasPrefix("{\n  \"b\": {\"c\": []},\n"))
  }

  @Test("an entry is laid out as its neighbor is, with short lists of texts on one line")
  func entries() throws {
    let entry: JSONValue = ["a": "x", "b": ["t", "u"], "c": [1]]
    #expect(
      try adding([entry], to: "[\n  {\n    \"a\": 1\n  }\n]")
        == """
        [
          {
            "a": 1
          },
          {
            "a": "x",
            "b": ["t", "u"],
            "c": [
              1
            ]
          }
        ]
        """)
    #expect(
      try adding([entry], to: #"[{"a": 1}]"#) == #"[{"a": 1}, {"a": "x", "b": ["t", "u"], "c": [1]}]"#)
    #expect(try adding([["a": [], "b": [:]]], to: #"[{"a":1}]"#) == #"[{"a":1},{"a":[],"b":{}}]"#)
    #expect(try adding([], to: "[1]") == "[1]")
  }

  @Test("a list of texts is short up to 80 bytes")
  func shortLists() {
    func list(_ count: Int) -> JSONValue { .array([.string(String(repeating: "x", count: count))]) }
    // With two brackets and two quotes.
    #expect(list(76).isShortList)
    #expect(!list(77).isShortList)
    #expect(JSONValue.array([]).isShortList)
    #expect(!JSONValue.array(["a", 1]).isShortList)
    #expect(!JSONValue.string("a").isShortList)
  }

  @Test("all changes of one pass are made, and one inside another is left out")
  func severalChanges() throws {
    var editor = try JSONEditor(Array(#"{"a": {"b": 1}, "c": [1, 2], "d": 4}"#.utf8))
    let inner = try #require(editor.root["a"])
    editor.set("a", to: 0, in: editor.root, order: order)
    editor.set("b", to: 2, in: inner, order: order)
    editor.set("d", to: 5, in: editor.root, order: order)
    editor.add([3], to: try #require(editor.root["c"]))
    editor.add([4], to: try #require(editor.root["c"]))
    #expect(String(decoding: editor.bytes, as: UTF8.self) == #"{"a": 0, "c": [1, 2, 3, 4], "d": 5}"#)
  }

  @Test(
    "the layout of a text is that of its first indented line and its first colon",
    arguments: [
      ("{\n   \"a\": 1}", "   ", true, false), ("{\n\t\"a\":1}", "\t", false, false),
      ("{}", "  ", true, false),
      ("{\r\n \"a\": 1\r\n}", " ", true, true), ("\n\n   \n  \"a\"", "  ", true, false),
      ("   \r\n    \"a\"", "    ", true, true), ("\"a\":", "  ", true, false), ("\"a\": ", "  ", true, false),
      ("\"a\":1", "  ", false, false), ("\n    ", "  ", true, false), ("\n    \r\n x", " ", true, false),
    ])
  func layout(_ text: String, _ unit: String, _ hasSpaces: Bool, _ hasReturns: Bool) {
    let layout = JSONLayout(Array(text.utf8))
    #expect(layout.hasSpaces == hasSpaces)
    let newline = hasReturns ? "\r\n" : "\n"
    #expect(layout.text([1], indent: "", isInline: false) == "[\(newline)\(unit)1\(newline)]")
    #expect(layout.gap(indent: " ", isInline: false) == newline + " ")
    #expect(layout.gap(indent: " ", isInline: true) == (hasSpaces ? " " : ""))
  }

  @Test(
    "a position has the white space that begins its line",
    arguments: [
      (0, ""), (1, " "), (3, " \t"), (5, " \t"), (7, ""), (9, "  "), (10, "  "),
    ])
  func indents(_ position: Int, _ indent: String) {
    #expect(JSONLayout(Array(" \t{\"a\"\n  1}".utf8)).indent(of: position) == indent)
  }
}

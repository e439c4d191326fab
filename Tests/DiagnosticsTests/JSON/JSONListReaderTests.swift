import Diagnostics
import Testing

@Suite struct JSONListReaderTests {
  private func read(
    _ text: String, named name: String = "list", _ change: (inout JSONLimits) -> Void = { _ in }
  ) -> (list: JSONListReader, elements: [JSONValue]) {
    var limits = JSONLimits()
    change(&limits)
    var elements: [JSONValue] = []
    let list = Array(text.utf8).withUnsafeBufferPointer { bytes in
      JSONListReader(named: name, parsing: bytes, limits: limits) { elements.append($0) }
    }
    return (list, elements)
  }

  @Test("the list's elements are handed over, the other members stay")
  func elements() {
    let (list, elements) = read(#"{"a":1,"list":[1,{"list":[2]},[]],"b":null}"#)
    #expect(elements == [1, ["list": [2]], []])
    #expect(list.object == ["a": 1, "list": [], "b": .null])
    #expect(list.error == nil)
  }

  @Test(
    "anything but a list is read like any value",
    arguments: [(#"{"list":{"a":[1]}}"#, ["list": ["a": [1]]]), ("[1,2]", [:]), ("", [:])]
      as [(String, JSONObject)])
  func noList(text: String, object: JSONObject) {
    let (list, elements) = read(text)
    #expect(elements.isEmpty)
    #expect(list.object == object)
  }

  @Test("a mistake ends the reading; what was before it is there")
  func mistake() {
    let (list, elements) = read(#"{"a":1,"list":[1,2,{"b":"#)
    #expect(elements == [1, 2])
    #expect(list.object["a"] == 1)
    #expect(list.error?.kind == .syntax)
  }

  @Test("only what is held at once weighs: elements that were handed over do not")
  func weight() {
    let many = Array(repeating: "[0]", count: 1000).joined(separator: ",")
    #expect(read("{\"list\":[\(many)]}") { $0.weight = 1000 }.list.error == nil)
    #expect(read("{\"list\":[[\(many)]]}") { $0.weight = 1000 }.list.error?.kind == .tooMuch)
    #expect(read("{\"other\":[\(many)]}") { $0.weight = 1000 }.list.error?.kind == .tooMuch)
    #expect(read("{\"list\":[[[[]]]]}") { $0.depth = 4 }.list.error?.kind == .tooDeep)
  }

  @Test(
    "what programs get wrong is read over where that is asked for",
    arguments: [
      ("[1,],", [1]), (#"["a\#u{1}\#nb\x\/"],"#, ["a\nbx/"]),
      (#"["\ud83d!","\u12","\ud83d\u0041"],"#, ["\u{FFFD}!", "\u{FFFD}12", "\u{FFFD}A"]),
      (#"[{"a":1,"a":2,}],"#, [["a": 1, "a": 2]]), ("[],", []),
    ] as [(String, JSONValue)])
  func lenient(text: String, elements: JSONValue) {
    let text = "{\"list\":\(text)}"
    let result = read(text) { $0.isLenient = true }
    #expect(result.list.error == nil)
    #expect(.array(result.elements) == elements)
    #expect(read(text).list.error?.kind == .syntax)
  }

  @Test(
    "a long string is cut between two characters",
    arguments: [
      ("ййй", 5, "йй"), ("йй\\n", 4, "йй"), ("\\nйй", 4, "\nй"), ("ййй", 4, "йй"), ("й", 1, ""), ("й", 0, ""),
      ("€€", 5, "€"),
      ("€€", 4, "€"), ("€€", 3, "€"), ("€", 2, ""), ("€", 1, ""), ("a€", 3, "a"), ("😀", 3, ""), ("😀", 2, ""),
      ("😀", 1, ""),
      ("a😀", 4, "a"), ("\\n😀", 4, "\n"), ("\\n😀", 3, "\n"), ("\\n\\n\\n", 2, "\n\n"), ("a\\nb", 2, "a\n"),
      ("a\\nb", 1, "a"),
      ("\\u20ac", 2, ""), ("\\u20aca", 3, "€"), ("abc\\n", 3, "abc"),
    ])
  func cut(text: String, limit: Int, kept: String) {
    // The limit is that of keys as well.
    let (list, elements) = read("{\"\":[\"\(text)\"]}", named: "") { $0.text = limit }
    #expect(elements == [.string(kept)])
    #expect(list.isTextCut)
    #expect(!read("{\"\":[\"\(text)\"]}", named: "") { $0.text = 6 }.list.isTextCut)
  }
}

import CustomDump
import Diagnostics
import Testing

@Suite("JSON writer") struct WriterTests {
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
    let value: JSONValue = ["a": [1, 2], "b": [], "c": ["d": nil]]
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

  @Test("members are read, replaced in place, added last and removed")
  func members() {
    var object: JSONObject = ["a": 1, "b": 2]
    object["a"] = 3
    object["c"] = 4
    object["b"] = nil
    #expect(JSONValue.object(object).text() == #"{"a":3,"c":4}"#)
  }
}

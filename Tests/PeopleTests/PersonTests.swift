import Diagnostics
import Testing

@testable import People

@Suite struct PersonTests {
  static let name = "_0123456789abcdef0123456789abcdef"

  @Test("reads a name with the end of its line, and never shows it", arguments: ["", "\n", "\r\n", "  \n"])
  func reads(end: String) throws {
    let person = try Person(parsing: Array((Self.name + end).utf8))
    #expect("\(person)" == "person [redacted]" && !String(reflecting: person).contains("0123"))
  }

  static let others = [
    "", "\n", "jane@example.com", "0123456789abcdef0123456789abcdef", "_short", "_defaultOwner__",
    "__defaultOwner__", name + "\n" + name, name + " extra", "_0123456789abcdef-0123456789abcdef",
    "_" + String(repeating: "a", count: 129), String(repeating: " ", count: 5000) + name,
  ]

  @Test("refuses anything else without repeating it", arguments: others)
  func refuses(text: String) throws {
    let error = try #require(throws: CommandFailure.self) { try Person(parsing: Array(text.utf8)) }
    #expect(error.code == "bad-person" && error.status == .usage)
    #expect(text.count < 6 || !error.message.contains(text))
  }

  @Test(
    "a pseudonym is a field and a value",
    arguments: [("userId=abc=d", "userId", "abc=d"), ("a=b", "a", "b"), ("ab==", "ab", "=")])
  func pseudonym(text: String, field: String, value: String) throws {
    let pseudonym = try #require(PseudonymCondition(text))
    #expect(pseudonym.field == field && pseudonym.value == value)
  }

  @Test("nothing else is a pseudonym", arguments: ["", "userId", "userId=", "=abc", "Vigil.host=abc"])
  func noPseudonym(text: String) { #expect(PseudonymCondition(text) == nil) }
}

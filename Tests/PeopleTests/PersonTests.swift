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
    "a name has 16 to 128 letters and digits after its underscore",
    arguments: [(15, false), (16, true), (17, true), (127, true), (128, true), (129, false)])
  func length(count: Int, isName: Bool) {
    let name = "_" + String(repeating: "7", count: count)
    #expect((try? Person(parsing: Array(name.utf8)))?.userRecordName == (isName ? name : nil))
  }

  @Test("only ASCII letters and digits make a name", arguments: ["ä", "²", "-", ".", "_"])
  func characters(text: String) {
    #expect((try? Person(parsing: Array((Self.name + text).utf8))) == nil)
  }

  @Test("a file has at most 4096 bytes", arguments: [(4095, true), (4096, true), (4097, false)])
  func size(bytes: Int, isRead: Bool) {
    let text = Self.name + String(repeating: "\n", count: bytes - Self.name.utf8.count)
    #expect(((try? Person(parsing: Array(text.utf8))) != nil) == isRead)
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

import Diagnostics
import Testing

@testable import SchemaLanguage

@Suite("Limits of findings") struct SchemaLinterTests {
  @Test("a long word is shortened in a text of more than 200 bytes")
  func longWords() {
    let word = String(repeating: "x", count: 80)
    #expect("\(word)\(word) y".withShortWords == "\(word)\(word) y")
    let rest = String(repeating: "y", count: 201 - 82)
    #expect(
      "\(word)z \(rest)".withShortWords == String(repeating: "x", count: 57) + "...z "
        + String(repeating: "y", count: 57) + "...y")
    let short = String(repeating: "ab ", count: 40)
    #expect("\(word) \(short)".withShortWords == "\(word) \(short)")
    #expect("\(word)z  \(short)".withShortWords == String(repeating: "x", count: 57) + "...z  \(short)")
    #expect(String(repeating: "x", count: 200).withShortWords == String(repeating: "x", count: 200))
    #expect(String(repeating: "x", count: 201).withShortWords == String(repeating: "x", count: 57) + "...x")
  }

  @Test("of each rule a hundred findings are listed, and the number of the others")
  func limit() {
    func limited(_ count: Int) -> [String] {
      let found =
        (0..<count).map { Diagnostic("CK1", .note, "\($0)", at: nil) } + [
          Diagnostic("CK2", .note, "other", at: nil)
        ]
      return FindingLimit.apply(to: found).suffix(2).map(\.message)
    }
    #expect(limited(99) == ["98", "other"])
    #expect(limited(100) == ["99", "other"])
    #expect(limited(101) == ["other", "1 more finding of CK1 is not listed"])
    #expect(limited(102) == ["other", "2 more findings of CK1 are not listed"])
  }

  @Test("an invalid declaration is listed a hundred times, and the others are counted")
  func validationLimit() {
    func last(_ count: Int) -> String? {
      let types = String(repeating: "RECORD TYPE T ( f STRING );\n", count: count + 1)
      let found = SchemaValidator.diagnostics(parse("DEFINE SCHEMA\n" + types))
      return found.last { $0.code == "CK0114" }?.message
    }
    #expect(last(100) == nil)
    #expect(last(101) == "1 more finding of CK0120 is not listed")
  }

  @Test("identifiers of people are one finding that names six of them")
  func identifiers() {
    func message(_ count: Int) -> String? {
      let fields = (0..<count).map { "user\($0)Id STRING" }.joined(separator: ",\n")
      let found = SchemaLinter.diagnostics(
        parse(schema("\"___recordID\" REFERENCE QUERYABLE,\n\(fields),\nGRANT READ, CREATE TO \"_icloud\"")))
      #expect(found.map(\.code) == ["CK0306"])
      #expect(found.first?.notes.count == count - 1)
      return found.first?.message
    }
    #expect(message(1) == "'T.user0Id' looks like a person's identifier, and strangers can read it")
    #expect(
      message(2) == "'T.user0Id', 'T.user1Id' look like identifiers of people, and strangers can read them")
    let six = (0..<6).map { "'T.user\($0)Id'" }.joined(separator: ", ")
    #expect(message(6) == "\(six) look like identifiers of people, and strangers can read them")
    #expect(message(7) == "\(six) and 1 more look like identifiers of people, and strangers can read them")
  }
}

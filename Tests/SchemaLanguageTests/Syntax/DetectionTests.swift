import CustomDump
import Diagnostics
import SchemaLanguage
import Testing

@Suite("What is not a schema") struct DetectionTests {
  @Test(
    "anything else gets one clear error",
    arguments: [
      ("", "has no declarations"), ("\n// only a comment\n", "has no declarations"),
      ("[]", "neither"), ("<p>", "HTML"), ("<html><body></body></html>", "HTML page"),
      ("#!/bin/sh\necho hello\n", "neither"), ("a\u{0}b", "binary"),
      ("Dear all, please find attached the schema.", "neither"),
    ])
  func refused(text: String, reason: String) {
    let found = parse(text).diagnostics
    expectNoDifference(found.codes, ["CK0101"])
    #expect(found.first?.message.contains(reason) == true, "\(found.map(\.message))")
  }

  @Test("UTF-16 and broken UTF-8 are named for what they are")
  func encodings() {
    let utf16: [UInt8] = [0xFF, 0xFE] + "DEFINE".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let found = SchemaParser.parse(SourceText(name: "a", bytes: utf16)).diagnostics
    #expect(found.first?.message.contains("UTF-16") == true)
    let broken = Array("DEFINE SCHEMA // caf".utf8) + [0xE9, 0x0A]
    let error = SchemaParser.parse(SourceText(name: "a", bytes: broken)).diagnostics
    expectNoDifference(error.codes, ["CK0102"])
    #expect(error.first?.range?.offsets == 20..<21)
  }

  @Test("what is larger than any schema is refused without being read")
  func huge() {
    let source = SourceText(name: "huge", bytes: Array(repeating: UInt8(ascii: "a"), count: (64 << 20) + 1))
    let found = SchemaParser.parse(source).diagnostics
    expectNoDifference(found.codes, ["CK0101"])
    #expect(found.first?.message.contains("larger than 64 MB") == true)
  }

  @Test("prose before DEFINE SCHEMA is a mistake in a schema, not another kind of file")
  func prose() {
    let parsed = parse("Our schema:\n" + schema("f STRING"))
    expectNoDifference(parsed.diagnostics.codes, ["CK0105"])
    #expect(parsed.schema.recordTypes.count == 1)
  }
}

import CustomDump
import Diagnostics
import Testing

@testable import SchemaLanguage

@Suite("Detection of schemas") struct SchemaDetectionTests {
  private func findings(_ bytes: [UInt8]) -> [String] {
    SchemaParser.parse(SourceText(name: "a.ckdb", bytes: bytes)).diagnostics.map {
      "\($0.code) \($0.message.replacing("this is not a CloudKit schema: ", with: ""))"
    }
  }

  @Test(
    "another kind of file is recognized by its first character or word",
    arguments: [
      ("{", "the file looks like JSON"), ("\n [1]", "the file looks like JSON"),
      ("<a/>", "the file looks like XML or HTML"), ("<!DOCTYPE html>", "the file is an HTML page"),
      ("<HTML lang=en>", "the file is an HTML page"), ("\n\n<html>", "the file is an HTML page"),
      ("@main", "the file looks like Swift source"),
      ("import Foundation", "the file looks like Swift source"),
      ("final class A {}", "the file looks like Swift source"),
      ("imports", "the file has neither DEFINE SCHEMA nor RECORD TYPE"),
      ("version https://git-lfs.github.com/spec/v1", "the file is a pointer of Git LFS"),
      ("version https://git-lfs.example/spec/v1", "the file has neither DEFINE SCHEMA nor RECORD TYPE"),
      ("# Title\nText", "the file looks like a script or Markdown"),
      ("\r\n #!/bin/sh\nls", "the file looks like a script or Markdown"),
      ("text # Title", "the file has neither DEFINE SCHEMA nor RECORD TYPE"),
      ("a\u{0}b", "the file is binary"),
      ("", "the file has no declarations"), ("// a comment", "the file has no declarations"),
      ("\u{FEFF}{", "the file looks like JSON"), ("\u{FEFF}", "the file has no declarations"),
    ])
  func kinds(_ text: String, _ says: String) {
    expectNoDifference(findings(Array(text.utf8)), ["CK0101 \(says)"])
  }

  @Test(
    "two words of the language, or a misspelling of the first two, make a schema",
    arguments: [
      ("x DEFINE SCHEMA", true), ("x y RECORD TYPE A ( a STRING );", true), ("x CREATE ROLE a;", true),
      ("DEFINE", true),
      ("x SCHEMA", true), ("x y SCHEMA", false), ("DEFNE SHCEMA", true), ("DEFNE x", false),
      ("x SHCEMA", false),
      ("\"DEFNE\" SHCEMA", false), ("RECORD x TYPE", false), ("CREATE TYPE", false), ("RECORD ROLE", false),
      ("x DEFINE TYPE", false),
    ])
  func words(_ text: String, _ isSchema: Bool) {
    #expect(findings(Array(text.utf8)).contains { $0.hasPrefix("CK0101") } != isSchema)
  }

  @Test("the words are looked for among the first two thousand after the first")
  func reach() {
    func isSchema(_ words: Int) -> Bool {
      let text = String(repeating: "x ", count: words) + "RECORD TYPE A ( a STRING );"
      return !findings(Array(text.utf8)).contains { $0.hasPrefix("CK0101") }
    }
    // TYPE is the 2000th word after the first.
    #expect(isSchema(1999))
    #expect(!isSchema(2000))
  }

  @Test("UTF-16 is recognized by its mark in either order, with its zeros")
  func utf16() {
    expectNoDifference(findings([0xFF, 0xFE, 0x44, 0]), ["CK0101 the file is UTF-16 text: save it as UTF-8"])
    expectNoDifference(findings([0xFE, 0xFF, 0, 0x44]), ["CK0101 the file is UTF-16 text: save it as UTF-8"])
    expectNoDifference(findings([0xFE, 0xFE, 0, 0x44]), ["CK0101 the file is binary"])
  }

  @Test("the first byte that is not UTF-8 is found wherever it is in a word of eight")
  func invalidBytes() {
    func first(_ bytes: [UInt8]) -> Int? {
      bytes.withUnsafeBufferPointer { SchemaDetection.firstInvalidUTF8(in: $0) }
    }
    for place in 0..<20 {
      let bytes = Array(repeating: UInt8(ascii: "a"), count: place)
      #expect(first(bytes) == nil)
      #expect(first(bytes + [0xFF]) == place)
      #expect(first(bytes + Array("é".utf8)) == nil)
      #expect(first(bytes + Array("é".utf8) + [0x80] + bytes) == place + 2)
      #expect(first(bytes + [0xC3]) == place)
    }
  }
}

import Diagnostics
import Foundation
import SchemaLanguage
import Testing

/// The colors for editors without a language server, made from the language's own words.
/// `RECORD_DOCUMENTATION=1 swift test --filter EditorGrammarTests` writes them.
@Suite struct EditorGrammarTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Documentation/editors")

  private static let types = Keyword.allCases.filter(\.startsType).map(\.rawValue)
  private static let options = Index.allCases.map(\.rawValue)
  private static let words = Keyword.allCases.map(\.rawValue).filter {
    !types.contains($0) && !options.contains($0)
  }

  private static let vim = """
    " Vim syntax of CloudKit schemas (.ckdb), made from the words of the language.
    if exists("b:current_syntax")
      finish
    endif
    syntax case ignore
    syntax keyword ckdbKeyword \(words.joined(separator: " "))
    syntax keyword ckdbType \(types.joined(separator: " "))
    syntax keyword ckdbOption \(options.joined(separator: " "))
    syntax region ckdbName start=/"/ end=/"/ oneline
    syntax match ckdbComment ,\\(//\\|--\\).*$,
    syntax region ckdbComment start=,/\\*, end=,\\*/,
    highlight default link ckdbKeyword Keyword
    highlight default link ckdbType Type
    highlight default link ckdbOption Special
    highlight default link ckdbName String
    highlight default link ckdbComment Comment
    let b:current_syntax = "ckdb"

    """

  private static func words(_ list: [String]) -> JSONValue {
    .string("\\b(?i:\(list.joined(separator: "|")))\\b")
  }
  private static let textMate: JSONValue = [
    "$comment": "Made from the words of the language.",
    "name": "CloudKit schema", "scopeName": "source.ckdb", "fileTypes": ["ckdb"],
    "patterns": [
      ["name": "comment.line.ckdb", "match": "(//|--).*$"],
      ["name": "comment.block.ckdb", "begin": "/\\*", "end": "\\*/"],
      ["name": "string.quoted.double.ckdb", "match": "\"[^\"\\n]*\""],
      ["name": "support.type.ckdb", "match": words(types)],
      ["name": "storage.modifier.ckdb", "match": words(options)],
      ["name": "keyword.other.ckdb", "match": words(words)],
    ],
  ]

  @Test(
    "the files have each word of the language",
    arguments: [("ckdb.vim", vim), ("ckdb.tmLanguage.json", textMate.text(.pretty) + "\n")])
  func grammar(name: String, text: String) throws {
    let file = Self.folder.appending(path: name)
    if ProcessInfo.processInfo.environment["RECORD_DOCUMENTATION"] != nil {
      try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    #expect(
      try String(contentsOf: file, encoding: .utf8) == text,
      "stale: run RECORD_DOCUMENTATION=1 swift test --filter EditorGrammarTests")
  }
}

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
    "the TextMate patterns take each word of a schema for what the language takes it",
    arguments: ["celestra", "live-sessions"])
  func textMatePatterns(schema: String) throws {
    let file = Self.folder.deletingLastPathComponent().deletingLastPathComponent().appending(
      path: "schema/\(schema).ckdb")
    let text = try String(contentsOf: file, encoding: .utf8)
    let source = SourceText(name: schema, text)
    let patterns = try (Self.textMate["patterns"]?.array ?? []).compactMap { pattern in
      try pattern["match"]?.string.map { (name: pattern["name"]?.string ?? "", match: try Regex($0)) }
    }
    // As an editor does, line by line: the pattern that matches first, from the end of the last match.
    var found: [Int: String] = [:]
    for line in text.split(separator: "\n") {
      var rest = line
      while let next = patterns.compactMap({ pattern in
        rest.firstMatch(of: pattern.match).map { (pattern.name, $0.range) }
      }).min(by: { $0.1.lowerBound < $1.1.lowerBound }) {
        found[text.utf8.distance(from: text.startIndex, to: next.1.lowerBound)] = next.0
        rest = line[next.1.upperBound...]
      }
    }
    for token in Token.all(in: source) {
      let wanted: String? =
        switch token.keyword {
        case nil: token.kind == .quoted ? "string.quoted.double.ckdb" : nil
        case .queryable?, .sortable?, .searchable?: "storage.modifier.ckdb"
        case let keyword? where keyword.startsType: "support.type.ckdb"
        case _?: "keyword.other.ckdb"
        }
      #expect(found[token.range.lowerBound] == wanted, "\(source.text(in: token.range))")
    }
  }

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

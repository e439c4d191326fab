import Foundation
import Testing

@testable import AdminCommands

/// Help and messages are plain modern English: these words made readers stop.
@Suite struct LanguageTests {
  /// Foundation's expressions are much faster here than those of the language.
  private static func archaic(in text: some StringProtocol) -> String? {
    let words =
      #"\b(told|whoever|nobody|somebody|anew|all the same|mend(s|ed)?|colours?|so many|let go|goes by)\b"#
      + #"|\b(?!there\b)[a-z']+ (is|are) no (?!longer\b|more\b)[a-z]"#
    return text.range(of: words, options: [.regularExpression, .caseInsensitive]).map { String(text[$0]) }
  }

  @Test("help is written in plain words")
  func help() throws {
    for title in HelpTests.titles {
      let found = LanguageTests.archaic(in: try HelpTests.text(of: title))
      #expect(found == nil, "\(title): \(found ?? "")")
    }
  }

  /// Names that scripts use.
  private static let names: Set = ["nobody-may-create", "nobody"]

  @Test("messages and comments are written in plain words")
  func sources() throws {
    let sources = projectSources()
    #expect(sources.count > 300)
    for file in sources {
      let text = try String(contentsOf: file, encoding: .utf8)
      guard LanguageTests.archaic(in: text) != nil else { continue }
      for line in text.split(separator: "\n") {
        let isComment = line.drop(while: \.isWhitespace).hasPrefix("//")
        let literals = isComment ? [] : line.matches(of: /"([^"]*)"/).map(\.output.1)
        let comment = line.firstMatch(of: /\/\/.*/)?.output
        for words in literals + [comment].compactMap(\.self)
        where !LanguageTests.names.contains(String(words)) {
          let found = LanguageTests.archaic(in: words)
          #expect(found == nil, "\(file.lastPathComponent): \(words)")
        }
      }
    }
  }

  private func projectSources() -> [URL] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")
    let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
    return (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
  }
}

import Foundation
import Testing

@testable import AdminCommands

/// Help and messages are plain modern English: these words made readers stop.
@Suite struct LanguageTests {
  nonisolated(unsafe) private static let archaic =
    /\b(told|whoever|nobody|somebody|anew|all the same|mend(s|ed)?|colours?|so many|let go|goes by)\b|\b(?!there\b)[a-z']+ (is|are) no (?!longer\b|more\b)[a-z]/
    .ignoresCase()

  @Test("help is written in plain words")
  func help() throws {
    for title in HelpTests.titles {
      let text = try HelpTests.text(of: title)
      let found = text.firstMatch(of: LanguageTests.archaic)
      #expect(found == nil, "\(title): \(found.map { String($0.output.0) } ?? "")")
    }
  }

  /// Names that scripts use.
  private static let names: Set = ["nobody-may-create", "nobody"]

  @Test("messages are written in plain words")
  func messages() throws {
    let sources = projectSources()
    #expect(sources.count > 300)
    for file in sources {
      let text = try String(contentsOf: file, encoding: .utf8)
      for line in text.split(separator: "\n") where !line.drop(while: \.isWhitespace).hasPrefix("//") {
        for literal in line.matches(of: /"([^"]*)"/)
        where !LanguageTests.names.contains(String(literal.output.1)) {
          let found = literal.output.1.firstMatch(of: LanguageTests.archaic).map {
            literal.output.1[$0.range]
          }
          #expect(found == nil, "\(file.lastPathComponent): \(literal.output.1)")
        }
      }
    }
  }

  @Test("comments are written in plain words")
  func comments() throws {
    for file in projectSources() {
      let text = try String(contentsOf: file, encoding: .utf8)
      for line in text.split(separator: "\n") {
        guard let comment = line.firstMatch(of: /\/\/.*/) else { continue }
        let found = comment.output.firstMatch(of: LanguageTests.archaic).map { comment.output[$0.range] }
        #expect(found == nil, "\(file.lastPathComponent): \(comment.output)")
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

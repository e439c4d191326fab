import Foundation
import Testing

/// Each decision is a short note with a date, and the list has them all.
@Suite struct DecisionTests {
  @Test("each note has a date, and says what was the case, what was decided and what follows")
  func parts() throws {
    let notes = try Decisions.notes()
    #expect(notes.count >= 10)
    for note in notes {
      #expect(note.name.contains(/^2\d{3}-\d\d-\d\d-[a-z0-9-]+\.md$/), "\(note.name)")
      let parts = note.text.components(separatedBy: "\n## ")
      #expect(
        parts.first?.contains(/^# \S.*\n$/) == true, "\(note.name) has no title, or text before its parts")
      let headings = parts.dropFirst().map { String($0.prefix { $0 != "\n" }) }
      #expect(headings == ["Context", "Decision", "Consequences"], "\(note.name)")
      for part in parts.dropFirst() { #expect(part.count > 80, "\(note.name): \(part.prefix(20)) is empty") }
      #expect(note.text.split(separator: "\n").count < 40, "\(note.name) is long")
    }
  }

  @Test("the list names each note once, by its title")
  func list() throws {
    let list = try String(contentsOf: Decisions.folder.appending(path: "README.md"), encoding: .utf8)
    let listed = list.matches(of: /\n\| (\d{4}-\d\d-\d\d) \| \[(.+)\]\((.+\.md)\) \|/)
    let expected = try Decisions.notes().map { note in
      [note.date, note.title, note.name].joined(separator: " ")
    }
    #expect(listed.map { [$0.1, $0.2, $0.3].joined(separator: " ") } == expected)
  }
}

/// The notes in Documentation/decisions.
enum Decisions {
  struct Note {
    let name: String
    let text: String

    var date: String { String(name.prefix(10)) }
    var title: String { String(text.prefix { $0 != "\n" }.dropFirst(2)) }
  }

  static let folder = projectRoot.appending(path: "Documentation/decisions")

  /// By date and name.
  static func notes() throws -> [Note] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      .filter { $0.hasSuffix(".md") && $0 != "README.md" }
      .map { Note(name: $0, text: try String(contentsOf: folder.appending(path: $0), encoding: .utf8)) }
  }
}

import Foundation
import Synchronization
import Testing

/// A clone can follow every citation: documents and sections that are named exist.
@Suite struct CitationTests {
  @Test(
    "each section that is cited exists",
    arguments: ["Sources", "Tests", "Scripts", "Documentation", "schema", "seeds"])
  func citations(folder: String) throws {
    for file in try Self.textFiles(in: folder) {
      let text = try String(contentsOf: file, encoding: .utf8)
      for line in text.split(separator: "\n") where line.contains("Documentation/") {
        for match in line.matches(of: /(Documentation\/[\w\/-]+\.md)(?:#([\w-]+))?/) {
          let document = projectRoot.appending(path: String(match.1))
          try Self.check(document, match.2.map(String.init), in: file)
        }
      }
    }
  }

  @Test("each link of a guide leads to a file, and to a section of it")
  func links() throws {
    let guides = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "seeds/README.md"].map {
      projectRoot.appending(path: $0)
    }
    for file in try guides + Self.textFiles(in: "Documentation") where file.pathExtension == "md" {
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: /\]\(([^)#\s]*)(?:#([\w-]+))?\)/) where !match.1.contains(":") {
        let target =
          match.1.isEmpty ? file : file.deletingLastPathComponent().appending(path: String(match.1))
        try Self.check(target, match.2.map(String.init), in: file)
      }
    }
  }

  @Test("a section is found by its anchor, and only by that")
  func anchors() {
    let text = """
      # The catalog

      ## Encrypted and number fields

      ### Which commands work (and how)

      | <a id="ck0203"></a>CK0203 | warning |

      """
    #expect(
      Self.anchors(of: text)
        == ["the-catalog", "encrypted-and-number-fields", "which-commands-work-and-how", "ck0203"])
  }

  private static func check(_ document: URL, _ anchor: String?, in file: URL) throws {
    let place = file.path.replacingOccurrences(of: projectRoot.path, with: "")
    guard FileManager.default.fileExists(atPath: document.path) else {
      Issue.record("\(place) names \(document.path), which does not exist")
      return
    }
    guard let anchor, document.pathExtension == "md" else { return }
    #expect(
      try sections(of: document).contains(anchor),
      "\(place): \(document.lastPathComponent) has no section '\(anchor)'")
  }

  private static let known = Mutex<[URL: Set<String>]>([:])

  private static func sections(of document: URL) throws -> Set<String> {
    try known.withLock { known in
      if let sections = known[document.standardizedFileURL] { return sections }
      let sections = anchors(of: try String(contentsOf: document, encoding: .utf8))
      known[document.standardizedFileURL] = sections
      return sections
    }
  }

  /// The anchors of a document's headings, as GitHub makes them, and those that it sets itself.
  private static func anchors(of markdown: String) -> Set<String> {
    let headings = markdown.split(separator: "\n").compactMap { $0.wholeMatch(of: /#{1,6} (.+)/)?.1 }
    let made = headings.map { heading in
      heading.lowercased().replacing(" ", with: "-").filter {
        $0.isLetter || $0.isNumber || "-_".contains($0)
      }
    }
    return Set(made + markdown.matches(of: /<a id="([\w-]+)">/).map { String($0.1) })
  }

  private static func textFiles(in folder: String) throws -> [URL] {
    let root = projectRoot.appending(path: folder)
    let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path)
    let kinds = ["swift", "md", "scenario", "sh", "py", "ckdb", "json", "yml", "yaml"]
    return paths.map { root.appending(path: $0) }.filter { kinds.contains($0.pathExtension) }
  }
}

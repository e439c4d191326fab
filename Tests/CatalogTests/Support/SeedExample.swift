import Foundation

/// The files of a rule's example: `-- PATH --` begins a file, `-- PATH -> TARGET --` is a symbolic link.
struct SeedExample {
  let path: String
  let content: Content

  enum Content {
    case text(String)
    case link(to: String)
  }

  static func files(in example: String) -> [SeedExample] {
    var files: [SeedExample] = []
    for part in ("\n" + example).components(separatedBy: "\n-- ").dropFirst() {
      let lines = part.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      let words = lines[0].components(separatedBy: " ")
      if words.count == 4, words[1] == "->" {
        files.append(SeedExample(path: words[0], content: .link(to: words[2])))
      } else {
        files.append(SeedExample(path: words[0], content: .text(expanded(String(lines.last ?? "")))))
      }
    }
    return files
  }

  /// `{N × TEXT}` stands for N times the text.
  private static func expanded(_ text: String) -> String {
    text.replacing(/\{([0-9]+) × ([^}]*)\}/) { String(repeating: String($0.2), count: Int($0.1) ?? 0) }
  }
}

extension SeedFolder {
  func put(_ file: SeedExample) throws {
    switch file.content {
    case .text(let text): try write(file.path, text)
    case .link(let target):
      try FileManager.default.createSymbolicLink(atPath: "\(path)/\(file.path)", withDestinationPath: target)
    }
  }
}

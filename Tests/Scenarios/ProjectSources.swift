import Foundation

/// The project's own sources, for tests that compare documents with them.
struct ProjectSources {
  static let ofTool = Result { try ProjectSources(in: "Sources") }
  static let ofTests = Result { try ProjectSources(in: "Tests") }

  /// The texts of the Swift files below a folder of the project, by path below it.
  let files: [String: String]
  /// The names of all types that are declared here.
  let types: Set<String>

  private init(in folder: String) throws {
    let root = projectRoot.appending(path: folder)
    let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path).filter {
      $0.hasSuffix(".swift")
    }
    files = try paths.reduce(into: [:]) { files, path in
      files[path] = try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
    types = files.values.reduce(into: []) { types, text in types.formUnion(Self.types(in: text)) }
  }

  /// The names of the types that a file declares.
  static func types(in text: String) -> [String] {
    let declaration = /\b(?:struct|class|enum|actor|protocol|typealias) ([A-Z]\w*)/
    return text.split(separator: "\n").flatMap { line in
      line.drop(while: \.isWhitespace).hasPrefix("//")
        ? [] : line.matches(of: declaration).map { String($0.1) }
    }
  }
}

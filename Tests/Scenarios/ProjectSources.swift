import Foundation

/// The project's own sources, for tests that compare documents with them.
struct ProjectSources {
  /// The texts of the Swift files below a folder of the project, by path below it.
  let files: [String: String]

  init(in folder: String) throws {
    let root = projectRoot.appending(path: folder)
    let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path).filter {
      $0.hasSuffix(".swift")
    }
    files = try paths.reduce(into: [:]) { files, path in
      files[path] = try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
  }

  /// The names of all types that are declared here.
  var types: Set<String> {
    let declaration = /\b(?:struct|class|enum|actor|protocol|typealias) ([A-Z]\w*)/
    return files.values.reduce(into: []) { types, text in
      for line in text.split(separator: "\n") where !line.drop(while: \.isWhitespace).hasPrefix("//") {
        for match in line.matches(of: declaration) { types.insert(String(match.1)) }
      }
    }
  }
}

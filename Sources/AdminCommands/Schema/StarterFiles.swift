internal import Diagnostics
internal import Platform

/// The files with which a project starts: a schema, settings and a workflow. Files that exist are kept.
struct StarterFiles {
  struct File {
    /// The path from the working directory.
    let path: String
    fileprivate let text: String
    fileprivate let exists: Bool
  }

  let files: [File]

  /// The schema's path in the templates.
  private static let templatePath = "schema/app.ckdb"

  /// Throws ``CommandFailure`` for a path that a workflow cannot name.
  ///
  /// - Parameters:
  ///   - schema: the path of the schema, below the working directory.
  ///   - folders: the folders from the root of the work tree to the working directory; empty outside of a work tree.
  init(schema: String, below folders: [String]) throws {
    let names = schema.split(separator: "/").map(String.init).filter { $0 != "." }
    guard !schema.hasPrefix("/"), !names.isEmpty, !names.contains("..") else {
      throw CommandFailure.usage(
        "'\(schema)' is not a file below this folder; give a path such as schema/app.ckdb")
    }
    let fromRoot = (folders + names).joined(separator: "/")
    guard fromRoot.utf8.allSatisfy(Self.isPlain) else {
      throw CommandFailure.usage(
        "a workflow cannot name '\(fromRoot)'; use letters, digits, '.', '_', '-' and '/'")
    }
    let root = folders.map { _ in "../" }.joined()
    files = try [
      (names.joined(separator: "/"), PackageResources.starter_ckdb),
      ("\(root)celestra-admin.json", PackageResources.starter_json),
      ("\(root).github/workflows/schema.yml", PackageResources.review_yml),
    ].map { path, template in
      let text = String(decoding: template, as: UTF8.self).replacing(Self.templatePath, with: fromRoot)
      return File(path: path, text: text, exists: try FileKind(path) != .missing)
    }
  }

  /// A path of other letters could mean something to YAML, or to GitHub's patterns and expressions.
  private static func isPlain(_ letter: UInt8) -> Bool {
    letter.isASCIILetter || letter.isASCIIDigit || "._-/".utf8.contains(letter)
  }

  /// Writes the files that do not exist.
  func write() throws {
    for file in files where !file.exists {
      if file.path.contains("/") { try FolderTree.make(FileKind.folder(of: file.path)) }
      try OutputFile.write(file.text, to: file.path)
    }
  }

  func report(isWritten: Bool) -> PlainReport {
    let rows = files.map { file -> (path: String, word: String) in
      (file.path, file.exists ? "kept" : isWritten ? "wrote" : "would write")
    }
    let kept: PrintableText = files.contains(where: \.exists) ? "a file that exists is never changed\n" : ""
    let types: PrintableText = files[0].exists ? "" : "put your record types into \(files[0].path), and "
    let next: PrintableText =
      "next: \(types)replace OWNER/celestra-admin@REF in \(files[2].path) by the repository and a commit of celestra-admin\n"
    return PlainReport(
      json: [
        "files": .array(
          files.map {
            [
              "path": .string($0.path), "existed": .bool($0.exists),
              "written": .bool(isWritten && !$0.exists),
            ]
          })
      ],
      text: PrintableText(lines: rows.map { "\($0.word) \($0.path)" }, indent: "") + kept + next)
  }
}

internal import Diagnostics
internal import Platform

/// The files with which a project starts. Files that exist are kept.
struct StarterFiles {
  struct File {
    /// The path from the working directory.
    let path: String
    fileprivate let text: String
    let exists: Bool
  }

  let files: [File]

  init(_ texts: [(path: String, text: String)]) throws {
    files = try texts.map { File(path: $0.path, text: $0.text, exists: try FileKind($0.path) != .missing) }
  }

  /// The path of the schema that the templates name.
  private static let templatePath = "schema/app.ckdb"

  /// A schema, settings and a workflow. Throws ``CommandFailure`` for a path that a workflow cannot name.
  ///
  /// - Parameters:
  ///   - schema: the path of the schema, below the working directory.
  ///   - template: its text.
  ///   - moderation: what the file moderation.json says; `nil` writes none.
  ///   - folders: the folders from the root of the work tree to the working directory; empty outside of a work tree.
  static func project(schema: String, from template: [UInt8], moderation: [UInt8]?, below folders: [String])
    throws -> StarterFiles
  {
    let names = schema.split(separator: "/").map(String.init).filter { $0 != "." }
    guard !schema.hasPrefix("/"), !names.isEmpty, !names.contains("..") else {
      throw CommandFailure.usage(
        "'\(schema)' is not a file below this folder; give a path such as schema/app.ckdb")
    }
    let fromRoot = (folders + names).joined(separator: "/")
    guard fromRoot.utf8.allSatisfy(isPlain) else {
      throw CommandFailure.usage(
        "a workflow cannot name '\(fromRoot)'; use letters, digits, '.', '_', '-' and '/'")
    }
    let root = folders.map { _ in "../" }.joined()
    var texts = [
      (names.joined(separator: "/"), template),
      ("\(root)celestra-admin.json", PackageResources.starter_json),
      ("\(root).github/workflows/schema.yml", PackageResources.review_yml),
    ]
    if let moderation { texts.append(("\(root)moderation.json", moderation)) }
    return try StarterFiles(
      texts.map { path, text in
        (path, String(decoding: text, as: UTF8.self).replacing(templatePath, with: fromRoot))
      })
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

  /// - Parameters:
  ///   - next: the commands to run then, in their order. Each works as it is printed, after those before it.
  ///   - condition: what must be done before them.
  ///   - remark: what else is left to do.
  func report(
    isWritten: Bool, next: [String], when condition: String? = nil, remark: StyledText? = nil
  ) -> PlainReport {
    let list = files.map { file -> JSONValue in
      [
        "path": .string(file.path), "existed": .bool(file.exists),
        "written": .bool(isWritten && !file.exists),
      ]
    }
    return PlainReport(json: ["files": .array(list)], isConfirmation: isWritten) {
      for file in files { "\(file.exists ? "kept" : isWritten ? "wrote" : "would write") \(file.path)" }
      if files.contains(where: \.exists) { "a file that exists is never changed" }
      if isWritten {
        Section("Next\(condition.map { ", \($0)" } ?? "")") { for command in next { "\(command, .code)" } }
        remark
      }
    }
  }
}

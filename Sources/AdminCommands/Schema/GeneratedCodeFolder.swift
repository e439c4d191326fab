internal import CodeGeneration
internal import CommandLine
internal import Diagnostics
internal import Platform

/// The folder that `schema generate` writes.
struct GeneratedCodeFolder {
  let path: String

  /// The files of the folder by name; empty if it does not exist.
  func contents() throws -> [String: [UInt8]] {
    switch try FileKind(path) {
    case .missing: return [:]
    case .folder: break
    default: throw CommandFailure("\(path) is not a folder", code: "not-a-folder")
    }
    var files: [String: [UInt8]] = [:]
    for name in try FileKind.names(inFolder: path, named: path) where try FileKind("\(path)/\(name)") == .file
    {
      files[name] = try InputFile.read("\(path)/\(name)")
    }
    return files
  }

  /// Writes what differs, and removes generated files that the schema no longer has. Throws ``CommandFailure`` without
  /// writing anything if a file of the same name was not generated.
  func write(_ generated: GeneratedFolder, _ differences: GeneratedFolder.Differences) throws {
    if let name = differences.foreign.first {
      throw CommandFailure(
        "\(path)/\(name) was not generated, so it is not replaced; nothing was written", code: "foreign-file",
        hint: "Move the file, or choose another folder.")
    }
    try FolderTree.make(path)
    for name in differences.missing + differences.changed {
      guard let text = generated.files[name] else { continue }
      try OutputFile.write(text, to: "\(path)/\(name)")
    }
    for name in differences.leftOver { try PrivateFile.removeIfPresent("\(path)/\(name)") }
  }
}

/// The report of `schema generate`.
struct GenerateReport: Report {
  private let differences: GeneratedFolder.Differences
  private let folder: String
  private let fileCount: Int
  private let isCheck: Bool
  private let command: String

  init(
    _ differences: GeneratedFolder.Differences, folder: String, fileCount: Int, isCheck: Bool, command: String
  ) {
    self.differences = differences
    self.folder = folder
    self.fileCount = fileCount
    self.isCheck = isCheck
    self.command = command
  }

  var status: ExitStatus { isCheck && !differences.isEmpty ? .differences : .done }
  var isConfirmation: Bool { !isCheck || differences.isEmpty }

  var json: JSONValue {
    func list(_ names: [String]) -> JSONValue { .array(names.map(JSONValue.string)) }
    return [
      "folder": .string(folder), "files": JSONValue(fileCount), "missing": list(differences.missing),
      "changed": list(differences.changed), "leftOver": list(differences.leftOver),
      "notGenerated": list(differences.foreign), "written": .bool(!isCheck && !differences.isEmpty),
    ]
  }

  func text(_ style: TerminalStyle) -> PrintableText {
    guard !differences.isEmpty else { return "\(folder) is up to date\n" }
    let words: [(String, [String])] =
      isCheck
      ? [
        ("missing", differences.missing), ("changed", differences.changed),
        ("left over", differences.leftOver),
        ("not generated", differences.foreign),
      ]
      : [("wrote", differences.missing + differences.changed), ("removed", differences.leftOver)]
    var text: PrintableText = ""
    for (word, names) in words {
      text += PrintableText(lines: names.map { "\(word) \(folder)/\($0)" }, indent: "")
    }
    return isCheck ? text + "\(folder) is out of date; run: \(command)\n" : text
  }
}

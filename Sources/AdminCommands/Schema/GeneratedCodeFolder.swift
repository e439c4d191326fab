internal import AppCode
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

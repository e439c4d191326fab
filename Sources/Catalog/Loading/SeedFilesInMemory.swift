import Diagnostics

/// The files of a seed directory that is not on disk, such as that of an earlier commit.
struct SeedFilesInMemory: SeedFileTree {
  let path: String
  /// By their paths below the directory.
  private let files: [String: [UInt8]]
  /// The names in each folder.
  private let folders: [String: Set<String>]

  init(_ files: [String: [UInt8]], path: String) {
    self.path = path
    self.files = files
    var folders: [String: Set<String>] = ["": []]
    for file in files.keys {
      var folder = ""
      for part in file.split(separator: "/").map(String.init) {
        folders[folder, default: []].insert(part)
        folder = folder.isEmpty ? part : "\(folder)/\(part)"
      }
    }
    self.folders = folders
  }

  func names(in folder: String) -> [String]? { folders[folder]?.sorted() }

  func isFolder(_ relativePath: String) -> Bool { folders[relativePath] != nil }

  func source(_ relativePath: String, limit: Int) throws(SeedFileError) -> SourceText {
    let full = "\(path)/\(relativePath)"
    guard let bytes = files[relativePath] else {
      throw SeedFileError(.unreadable, "cannot read \(full): it is not a file")
    }
    guard bytes.count <= limit else { throw SeedFileError.tooLarge(full, bytes.count, limit) }
    return SourceText(name: full, bytes: bytes)
  }
}

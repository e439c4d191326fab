internal import SystemPackage

package enum FolderTree {
  /// The maximum depth of folders, so that a folder mounted in itself ends.
  private static let maxDepth = 64

  /// The paths of the regular files below a folder whose names end so, in capitals or not, each folder's in the order of names. Hidden files
  /// and folders are left out, and links to folders are not followed. Throws ``FileFailure`` for a folder that cannot be
  /// read.
  ///
  /// - Parameters:
  ///   - ending: the end of the names, such as `.ckdb`.
  ///   - maxFolders: how many folders are read. More are a failure.
  package static func files(
    below folder: String, endingWith ending: String, upTo maxFolders: Int = .max
  ) throws(FileFailure) -> [String] {
    var rest = maxFolders
    return try files(in: folder, ending, depth: 0, &rest)
  }

  /// Makes a folder and those above it, if they do not exist. Throws ``FileFailure`` with the reason.
  package static func make(_ folder: String) throws(FileFailure) {
    guard try FileKind(folder) == .missing else { return }
    let above = FilePath(folder).removingLastComponent()
    if !above.isEmpty { try make(above.string) }
    try withErrno("write", folder) {
      do { try SystemCalls.makeSharedFolder(folder) } catch Errno.fileExists {}
    }
  }

  private static func files(
    in folder: String, _ ending: String, depth: Int, _ rest: inout Int
  ) throws(FileFailure) -> [String] {
    guard depth < maxDepth else { throw FileFailure("\(folder) has more than \(maxDepth) levels of folders") }
    guard rest > 0 else { throw FileFailure("there are too many folders: \(folder) is one more") }
    rest -= 1
    var found: [String] = []
    for name in try FileKind.names(inFolder: folder, named: folder) where !name.hasPrefix(".") {
      let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
      switch try FileKind(path) {
      case .folder where try FileStatus.of(path)?.kind != .link:
        found += try files(in: path, ending, depth: depth + 1, &rest)
      case .file where name.lowercased().hasSuffix(ending): found.append(path)
      default: break
      }
    }
    return found
  }
}

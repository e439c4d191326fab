internal import Diagnostics
internal import Platform
internal import SystemPackage

/// The schema files that the arguments of a command name. A folder stands for all `.ckdb` files below it.
package enum SchemaPaths {
  /// Throws ``CommandFailure`` for a folder without schema files. A path that does not exist is kept, because the
  /// command reports it beside the findings in other files.
  package static func files(_ arguments: [String]) throws -> [String] {
    try arguments.flatMap { argument -> [String] in
      guard isFile(argument),
        (try? FileKind(argument)) == .folder  // What cannot be accessed is reported when it is read.
      else { return [argument] }
      let files = try FolderTree.files(below: argument, endingWith: ".ckdb")
        .map { $0.hasPrefix("./") ? String($0.dropFirst(2)) : $0 }
      guard !files.isEmpty else {
        throw CommandFailure("the folder \(argument) has no .ckdb file", code: "no-schema")
      }
      return files
    }
  }

  /// Whether a path is one of the file system, not standard input or a revision in git.
  package static func isFile(_ path: String) -> Bool {
    path != "-" && path != InputFile.displayName("-") && !path.hasPrefix(GitReference.prefix)
  }

  /// Where a file, or the file of a commit, is in the file system, with links resolved if it exists; `nil` for one without
  /// a place.
  package static func place(_ path: String) -> String? {
    let file =
      path.hasPrefix(GitReference.prefix)
      ? (try? GitReference(path)).flatMap(GitRepository.place) : isFile(path) ? path : nil
    return file.map { (try? FileKind.resolvedPath($0)) ?? FilePath($0).lexicallyNormalized().string }
  }

  /// The maximum number of a project's folders, so that its schemas are found at once also where it is a large tree.
  private static let maxFolders = 2_000

  /// The schema files of a project besides some of them: those in the folders of these, and those in the project's folder
  /// or below it. Throws ``FileFailure`` for a folder that cannot be read, and if there are too many folders.
  ///
  /// - Parameter project: the folder of the project file. Without one, the working directory is searched. The folders below
  ///   the working directory are then searched only in a git work tree.
  package static func others(than paths: [String], below project: String?) throws -> [String] {
    let files = paths.filter(isFile)
    let root = project ?? "."
    var found = try Set(files.map(FileKind.folder(of:)) + [root]).flatMap { folder in
      try FileKind.names(inFolder: folder, named: folder).filter { $0.lowercased().hasSuffix(".ckdb") }
        .map { FilePath(folder).appending($0).string }
    }
    if project != nil || (try? GitWorkTree(containing: root)) != nil {
      found += try FolderTree.files(below: root, endingWith: ".ckdb", upTo: maxFolders)
    }
    return Set(found.compactMap(place)).subtracting(paths.compactMap(place)).sorted()
  }
}

internal import ArgumentParser
package import Diagnostics
internal import Platform
internal import SystemPackage

package enum InputFile {
  /// The maximum number of bytes to read, so that an endless device does not fill the memory.
  package static let sizeLimit = 1 << 30

  package static func source(_ path: String) throws -> SourceText {
    SourceText(name: displayName(path), bytes: try read(path))
  }

  /// Throws ``CommandFailure`` if the file is not UTF-8 either.
  package static func text(_ path: String) throws -> String {
    guard let text = String(validating: try read(path), as: UTF8.self) else {
      throw CommandFailure("\(displayName(path)) is not UTF-8", code: "bad-input")
    }
    return text
  }

  /// The path of a file that another one names from its own folder.
  package static func path(_ name: String, beside file: String) -> String {
    FilePath(file).removingLastComponent().pushing(FilePath(name)).string
  }

  package static func displayName(_ path: String) -> String { path == "-" ? "<stdin>" : path }

  /// Throws a usage error for `-` if the option needs a real file, such as a database or a checkpoint.
  package static func requireNamed(_ path: String?, _ option: String, because reason: String) throws {
    if path == "-" { throw ValidationError("\(option) takes a file's path, not -: \(reason)") }
  }

  /// Throws ``CommandFailure`` naming the file and the reason.
  ///
  /// - Parameter limit: the maximum number of bytes.
  package static func read(_ path: String, upTo limit: Int = sizeLimit) throws -> [UInt8] {
    try readOwned(path, upTo: limit).bytes
  }

  static func readOwned(
    _ path: String, upTo limit: Int = sizeLimit
  ) throws -> (bytes: [UInt8], owner: FileOwner) {
    try withFile(path) { file in
      let owner = try file.owner()
      // Read a file in one piece; read pipes and growing files in several.
      var bytes = try file.piece(atMost: min((try? file.size()) ?? 0, limit) + 1)
      while bytes.count <= limit {
        let piece = try file.piece(atMost: 1 << 16)
        if piece.isEmpty { return (bytes, owner) }
        bytes += piece
      }
      throw CommandFailure(
        "\(displayName(path)) is larger than \(limit >> 20 > 0 ? "\(limit >> 20) MB" : "\(limit >> 10) KB")",
        code: "file-too-large")
    }
  }

  /// The maximum size of a settings file at a default path, in bytes. Such a file is read only if it is a regular one,
  /// because opening a pipe would block.
  package static let settingsLimit = 1 << 20

  /// Reads in pieces, until `take` returns false or the input ends.
  ///
  /// - Parameter isConversation: the other side waits for an answer before it writes more, so no piece waits to be full.
  package static func readPieces(
    _ path: String, isConversation: Bool = false, _ take: (_ piece: ArraySlice<UInt8>) throws -> Bool
  ) throws {
    try withFile(path) { file in
      while true {
        let piece = try isConversation ? file.available(atMost: 1 << 16) : file.piece(atMost: 1 << 16)
        guard !piece.isEmpty, try take(piece[...]) else { return }
      }
    }
  }

  private static func withFile<Result>(
    _ path: String, _ body: (borrowing ReadableFile) throws -> Result
  ) throws -> Result {
    do {
      // Others may wait for a writer, already when they are opened, and a device may never end.
      if try path != "-" && FileKind(path) != .other { return try body(ReadableFile(path, named: path)) }
      return try InterruptSignals.whileReading {
        try body(ReadableFile(path == "-" ? nil : path, named: displayName(path)))
      }
    } catch let error as FileFailure {
      throw CommandFailure(error)
    }
  }
}

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

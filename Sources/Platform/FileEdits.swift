internal import SystemPackage

/// A change of a file: the content when it was read, and the new content.
package struct FileEdit: Sendable, Hashable {
  package let path: String
  /// The content when the file was read; `nil` for a new file.
  package let before: [UInt8]?
  package let after: [UInt8]

  package init(_ path: String, before: [UInt8]?, after: [UInt8]) {
    self.path = path
    self.before = before
    self.after = after
  }
}

/// Writes several files that users edit too. If one of them changed since it was read, none is written.
package enum FileEdits {
  /// Replaces each file in one step; it keeps its permissions, and a link stays a link.
  ///
  /// Throws ``FileFailure`` when a file changed since it was read, when another process is writing to the folder, or
  /// when a file cannot be written. No file is changed then, unless the disk fails between two of the last steps. They
  /// follow the order of the edits.
  ///
  /// - Parameter folder: holds all the files, and is locked while they are written.
  package static func write(_ edits: [FileEdit], in folder: String) throws(FileFailure) {
    guard !edits.isEmpty else { return }
    try withErrno("write", folder) {
      try locking(folder) { isLocked in
        guard isLocked else {
          throw FileFailure(
            "another command is writing to \(folder); nothing was written", action: .wait,
            hint: "Run the command again.")
        }
        try replace(edits)
      }
    }
  }

  /// Removes what a killed command left beside the files that it was to replace.
  ///
  /// - Parameter folders: the folder that is locked while its files are written, and those below it that have some.
  /// - Returns: the files that it did not replace; none while another command writes.
  package static func removeLeftovers(in folders: [String]) throws(FileFailure) -> [String] {
    guard !leftovers(in: folders).isEmpty else { return [] }
    return try withErrno("write", folders[0]) {
      try locking(folders[0]) { isLocked in
        try (isLocked ? leftovers(in: folders) : []).map { partial, file in
          do { try SystemCalls.remove(partial) } catch let error as Errno
            where [.permissionDenied, .notPermitted, .readOnlyFileSystem].contains(error)
          {}
          return file
        }
      }
    }
  }

  private static func leftovers(in folders: [String]) -> [(partial: String, file: String)] {
    folders.flatMap { folder in
      // Why a folder cannot be read is reported when its files are read.
      ((try? FileKind.names(inFolder: folder, named: folder)) ?? []).compactMap { name in
        name.wholeMatch(of: /(.+)\.edit\.[0-9]+\.partial/).map {
          ("\(folder)/\(name)", "\(folder)/\($0.output.1)")
        }
      }
    }
  }

  private static func locking<Result>(_ folder: String, _ body: (Bool) throws -> Result) throws -> Result {
    let lock = try FileDescriptor.open(folder, .readOnly, options: [.directory, .closeOnExec])
    return try lock.closeAfter { try body(SystemCalls.tryLock(lock)) }
  }

  private static func replace(_ edits: [FileEdit]) throws {
    for edit in edits { try requireUnchanged(edit) }
    let files = try edits.map { edit in
      if edit.before == nil { try makeFolder(of: edit.path) }
      let file = try OutputFile(edit.path, replacesInput: true)
      try file.append(edit.after)
      return file
    }
    for edit in edits { try requireUnchanged(edit) }
    for file in files { try file.finish() }
  }

  private static func requireUnchanged(_ edit: FileEdit) throws {
    let place = try FileKind(edit.path)
    let now = place == .missing ? nil : try RegularFile.read(edit.path, upTo: 1 << 30)
    guard now != edit.before else { return }
    throw FileFailure(
      "\(edit.path) changed while the command ran; nothing was written", action: .write,
      hint: "Run the command again.")
  }

  private static func makeFolder(of path: String) throws {
    do { try SystemCalls.makeSharedFolder(FileKind.folder(of: path)) } catch Errno.fileExists {}
  }
}

internal import SystemPackage

/// A folder for the tool's state that only this user can write to. Its files are opened relative to the open folder
/// and without following links, so that nothing outside it is read or changed.
package final class StateFolder: Sendable {
  package let path: String
  private let descriptor: FileDescriptor

  private init(_ path: String, _ descriptor: FileDescriptor) {
    self.path = path
    self.descriptor = descriptor
  }

  // A failure to close a folder loses no data.
  deinit { try? descriptor.close() }

  package static let name = ".celestra"

  /// The path of the folder beside a file, behind links; a file in such a folder has it as its own folder. Throws
  /// ``FileFailure`` when the path cannot be followed. The file, and a folder of the name, may be missing.
  package static func path(beside file: String) throws(FileFailure) -> String {
    let place = try withErrno("read", file) {
      FilePath(try ifPresent { try SystemCalls.realPath(file) } ?? file)
    }
    let folder = place.removingLastComponent()
    let real = try withErrno("read", folder.string) {
      try ifPresent { FilePath(try SystemCalls.realPath(folder.isEmpty ? "." : folder.string)) } ?? folder
    }
    return (real.lastComponent?.string == name ? real : real.appending(name)).string
  }

  /// Opens the folder at `path`, which may itself lie behind links.
  ///
  /// - Parameter making: creates missing folders on the path, with access only for this user (mode 0700).
  /// - Throws: ``FileFailure`` when the path is a link or another file, when the folder belongs to another user, or
  ///   when others may write to it.
  package static func open(_ path: String, making: Bool) throws(FileFailure) -> StateFolder {
    let place = FilePath(path)
    if making { try make(place) }
    let descriptor = try withErrno({ refusal($0, of: path) { try Stat(place, followTargetSymlink: false) } })
    {
      try FileDescriptor.open(place, .readOnly, options: [.directory, .noFollow, .closeOnExec])
    }
    return try StateFolder(path, descriptor).checked()
  }

  package static func existing(_ path: String) throws(FileFailure) -> StateFolder? {
    let status = try withErrno("read", path) {
      try ifPresent { try Stat(FilePath(path), followTargetSymlink: false) }
    }
    return status == nil ? nil : try open(path, making: false)
  }

  package func folder(_ name: String) throws(FileFailure) -> StateFolder {
    let full = path(of: name)
    try withErrno("make the folder", full) {
      do { try SystemCalls.makeFolder(name, in: descriptor) } catch Errno.fileExists {}
    }
    let folder = try withErrno({ Self.refusal($0, of: full) { try self.status(of: name) } }) {
      try SystemCalls.open(name, in: descriptor, .readOnly, [.directory, .noFollow, .closeOnExec])
    }
    return try StateFolder(full, folder).checked()
  }

  package func names() throws(FileFailure) -> [String] {
    try withErrno("read", path) { try SystemCalls.names(in: descriptor).sorted() }
  }

  /// Whether something has this name, a link included.
  package func contains(_ name: String) throws(FileFailure) -> Bool {
    try withErrno("read", path(of: name)) { try ifPresent { try status(of: name) } != nil }
  }

  /// Throws ``FileFailure`` if something other than a regular file has this name. A missing file is accepted.
  package func checkFile(_ name: String) throws(FileFailure) {
    guard try contains(name) else { return }
    _ = try file(name, .read)
  }

  package enum Use: Sendable { case read, readAndAppend, rewrite }

  /// Opens a file. For writing, a missing file is created (mode 0600). Throws ``FileFailure`` for anything but a
  /// regular file.
  package func file(_ name: String, _ use: Use) throws(FileFailure) -> StateFile {
    let full = path(of: name)
    // Without nonBlocking, opening a named pipe would wait for its other end.
    var options: FileDescriptor.OpenOptions = [.noFollow, .nonBlocking, .closeOnExec]
    if use != .read { options.insert(.create) }
    // The system appends all that is written to such a file, wherever it belongs.
    if use == .readAndAppend { options.insert(.append) }
    let opened = try withErrno({ failure(to: use, name, $0) }) {
      try SystemCalls.open(name, in: descriptor, use == .read ? .readOnly : .readWrite, options)
    }
    let file = StateFile(path: full, descriptor: opened)
    guard try file.isRegular() else { throw Self.notAFile(full) }
    return file
  }

  /// The lines of a file of at most `limit` bytes; none if it does not exist.
  package func lines(of name: String, upTo limit: Int) throws(FileFailure) -> [String] {
    guard try contains(name) else { return [] }
    let bytes = try file(name, .read).content(upTo: limit)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Replaces the lines of a file in one step: others read the former ones or the new ones. Of two processes that do so
  /// at once, one waits, so that no line is lost. Throws ``FileFailure``; the file then has the former lines.
  package func changeLines(
    of name: String, upTo limit: Int, _ change: (_ former: [String]) -> [String]
  ) throws(FileFailure) {
    try withErrno("write", path(of: name)) {
      let lock = try SystemCalls.open(".", in: descriptor, .readOnly, [.directory, .closeOnExec])
      try lock.closeAfter {
        try SystemCalls.lock(lock)
        defer { SystemCalls.unlock(lock) }
        let changed = change(try lines(of: name, upTo: limit))
        let partial = "\(name).partial"
        defer { try? remove(partial) }
        try file(partial, .rewrite).rewrite(Array(changed.map { "\($0)\n" }.joined().utf8))
        try SystemCalls.move(partial, to: name, in: descriptor)
      }
    }
  }

  package func remove(_ name: String) throws(FileFailure) {
    try withErrno("remove", path(of: name)) { try SystemCalls.remove(name, in: descriptor) }
  }

  // MARK: -

  private func path(of name: String) -> String { "\(path)/\(name)" }

  private func status(of name: String) throws -> Stat {
    try Stat(FilePath(name), relativeTo: descriptor, flags: .symlinkNoFollow)
  }

  private static func make(_ path: FilePath) throws(FileFailure) {
    try withErrno({
      FileFailure("cannot create the state folder \(path): \($0)", action: .write, hint: "\(otherFolder).")
    }) {
      do {
        try makeAll(path)
      } catch Errno.fileExists {
        return
      }
      // Keep `git add` from adding containers and history.
      let ignore = try FileDescriptor.open(
        path.appending(".gitignore"), .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
        permissions: .ownerReadWrite)
      try ignore.closeAfter { _ = try ignore.writeAll("*\n".utf8) }
    }
  }

  /// Throws `Errno.fileExists` if the path exists.
  private static func makeAll(_ path: FilePath) throws {
    do {
      try SystemCalls.makeFolder(path)
    } catch Errno.noSuchFileOrDirectory where path.removingLastComponent() != path {
      do { try makeAll(path.removingLastComponent()) } catch Errno.fileExists {}
      try SystemCalls.makeFolder(path)
    }
  }

  private func checked() throws(FileFailure) -> StateFolder {
    let status = try withErrno("read", path) { try Stat(descriptor) }
    guard status.userID == SystemCalls.userID else {
      throw FileFailure("the state folder \(path) belongs to another user", hint: "\(Self.otherFolder).")
    }
    guard status.permissions.isDisjoint(with: [.groupWrite, .otherWrite]) else {
      throw FileFailure(
        "the state folder \(path) is not safe: other users may write to it",
        hint: "Check what is in it, then run: chmod go-w '\(path)'")
    }
    return self
  }

  private static let otherFolder =
    "Name a folder of your own with CELESTRA_ADMIN_STATE_DIRECTORY and --container"

  private static func refusal(
    _ error: Errno, of path: String, _ status: () throws -> Stat
  ) -> FileFailure {
    // If the status is unavailable, report the first error.
    guard [.notDirectory, .tooManySymbolicLinkLevels].contains(error), let status = try? status() else {
      return FileFailure("open the state folder", path, error)
    }
    let what = status.type == .symbolicLink ? "a link" : "not a folder"
    return FileFailure(
      "the state folder \(path) is \(what)", hint: "Remove it. Otherwise: \(otherFolder).")
  }

  private func failure(to use: Use, _ name: String, _ error: Errno) -> FileFailure {
    switch error {
    case .tooManySymbolicLinkLevels, .noSuchAddressOrDevice, .isDirectory: Self.notAFile(path(of: name))
    default: FileFailure(use == .read ? "read" : "write", path(of: name), error)
    }
  }

  private static func notAFile(_ path: String) -> FileFailure {
    FileFailure("\(path) is not a regular file", hint: "Remove it.")
  }
}

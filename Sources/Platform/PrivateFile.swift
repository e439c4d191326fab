internal import SystemPackage

/// Creates files that only their owner can read (mode 0600), without following links.
package enum PrivateFile {
  /// Creates a file. Throws ``FileFailure`` if it exists. A file that could not be written completely is removed.
  package static func create(_ path: String, _ bytes: [UInt8]) throws(FileFailure) {
    try RunFiles.use(path, as: "another file that this command writes")
    try withErrno({
      FileFailure(
        "cannot write \(path): \($0)", action: .write,
        hint: $0 == .fileExists
          ? "The file was left as it is. Give the path of a new one, or move it away." : nil)
    }) { try write(path, bytes) }
  }

  /// Creates or replaces the file atomically.
  package static func replace(_ path: String, _ bytes: [UInt8]) throws(FileFailure) {
    try withErrno("write", path) { try withPartial(of: path, bytes) { try SystemCalls.move($0, to: path) } }
  }

  /// Creates the file atomically, unless it exists. A link in its place is not followed.
  package static func createIfMissing(_ path: String, _ bytes: [UInt8]) throws(FileFailure) {
    try withErrno("write", path) { try withPartial(of: path, bytes) { _ = try publish($0, as: path) } }
  }

  /// Writes a file beside another one, which `use` gives its name. A file that does not get it is removed.
  private static func withPartial(
    of path: String, _ bytes: [UInt8], _ use: (_ partial: String) throws -> Void
  ) throws {
    let partial = "\(path).\(UInt64.random(in: .min ... .max)).partial"
    try write(partial, bytes)
    defer { try? SystemCalls.remove(partial) }
    try use(partial)
  }

  /// Gives a complete file its name, unless a file has that name already. A link in its place is not followed.
  ///
  /// Throws ``FileFailure``; the file has its former name then.
  ///
  /// - Returns: whether the file got the name.
  package static func publish(_ partial: String, as path: String) throws(FileFailure) -> Bool {
    try withErrno("write", path) {
      do {
        try SystemCalls.addName(path, to: partial)
        try SystemCalls.remove(partial)
      } catch Errno.fileExists {
        return false
      } catch Errno.notPermitted, Errno.notSupported {
        // Some file systems have no hard links.
        guard try FileStatus.of(path) == nil else { return false }
        try SystemCalls.move(partial, to: path)
      }
      return true
    }
  }

  /// Reads a file that holds a secret. What is checked is the file that is read, whatever becomes of its path.
  ///
  /// Throws ``FileFailure`` for anything but a regular file of at most `limit` bytes, and for a file that other users can
  /// access or that belongs to another user.
  ///
  /// - Parameter content: what the file holds, such as "token".
  package static func read(
    _ path: String, upTo limit: Int, content: String
  ) throws(FileFailure) -> [UInt8] {
    try RunFiles.use(path, as: "the \(content) file")
    let (bytes, objection) = try withErrno("read", path) {
      // Without nonBlocking, opening a named pipe would wait for its other end.
      let file = try FileDescriptor.open(path, .readOnly, options: [.nonBlocking, .closeOnExec])
      return try file.closeAfter { () throws -> ([UInt8]?, String?) in
        let status = try Stat(file)
        if status.type == .directory { throw Errno.isDirectory }
        let objection = SecretFileCheck.objection(
          mode: UInt32(status.permissions.rawValue), owner: status.userID.rawValue, userID: ProcessUser.id)
        return (status.type == .regular ? try file.bytes(upTo: limit + 1) : nil, objection)
      }
    }
    guard let bytes, bytes.count <= limit else {
      throw FileFailure("\(path) is not a file with a \(content)", action: .read)
    }
    if let objection {
      throw FileFailure(objection.replacing("FILE", with: "the \(content) file \(path)"), action: .read)
    }
    return bytes
  }

  /// Locks a file for this process while the result exists; `nil` if another process has locked it. Throws
  /// ``FileFailure``.
  package static func lock(_ path: String) throws(FileFailure) -> StateFile? {
    let opened = try withErrno("lock", path) {
      try FileDescriptor.open(path, .readOnly, options: [.noFollow, .nonBlocking, .closeOnExec])
    }
    let file = StateFile(path: path, descriptor: opened)
    guard try file.tryLock() else { return nil }
    return file
  }

  /// Removes a file, or a link in its place.
  package static func removeIfPresent(_ path: String) throws(FileFailure) {
    try withErrno("remove", path) {
      do { try SystemCalls.remove(path) } catch Errno.noSuchFileOrDirectory {}
    }
  }

  private static func write(_ path: String, _ bytes: [UInt8]) throws {
    let file = try FileDescriptor.open(
      path, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec], permissions: .ownerReadWrite)
    do {
      try file.closeAfter {
        try file.writeAll(bytes)
        try SystemCalls.synchronize(file)
      }
    } catch {
      // The first failure says more than a second one of the same disk.
      try? SystemCalls.remove(path)
      throw error
    }
  }
}

package enum SecretFileCheck {
  /// A warning when other users may read or change the file; `nil` when they cannot, when the file does not exist, and for
  /// a pipe or device, whose mode is not the user's to change.
  ///
  /// - Parameters:
  ///   - content: what the file holds, such as "key".
  ///   - userID: the effective user of this process.
  package static func warning(path: String, content: String, userID: UInt32 = ProcessUser.id) -> String? {
    guard let status = try? Stat(FilePath(path)), status.type == .regular else { return nil }
    return objection(
      mode: UInt32(status.permissions.rawValue), owner: status.userID.rawValue, userID: userID
    ).map { "\($0.replacing("FILE", with: "the \(content) file \(path)"))" }
  }

  /// The group may read a file of the administrator: this process then reads it as a member of the group, as secrets of
  /// Kubernetes (`fsGroup`) and systemd are given to a process, and could not change the mode.
  static func objection(mode: UInt32, owner: UInt32, userID: UInt32) -> String? {
    let isOwn = owner == userID
    if mode & (isOwn ? 0o077 : 0o037) != 0 {
      return "other users can reach FILE (mode 0\(String(mode & 0o777, radix: 8))): run chmod 600 on it"
    }
    return isOwn || owner == 0 ? nil : "FILE belongs to another user (\(owner)), who can change it"
  }
}

package enum ProcessUser {
  package static var id: UInt32 { SystemCalls.userID.rawValue }
}

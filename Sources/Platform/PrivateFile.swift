internal import SystemPackage

/// Creates files that only their owner can read (mode 0600), without following links.
public enum PrivateFile {
  /// Creates an empty file if the file does not exist.
  ///
  /// Throws ``FileFailure`` if it cannot be created. A link to a missing file is refused: a file created there
  /// later would have the mode that the umask allows.
  public static func makeIfMissing(_ path: String) throws(FileFailure) {
    try withErrno({ failure(path, $0) }) {
      do {
        try make(path) { _ in }
      } catch Errno.fileExists {
        _ = try Stat(FilePath(path))
      }
    }
  }

  /// Creates a file. Throws ``FileFailure`` if it exists. A file that could not be written completely is removed.
  public static func create(_ path: String, _ bytes: [UInt8]) throws(FileFailure) {
    try withErrno({ FileFailure("write", path, $0) }) {
      do {
        try write(path, bytes)
      } catch let error as Errno where error != .fileExists {
        do { try SystemCalls.remove(path) } catch Errno.noSuchFileOrDirectory {}
        throw error
      }
    }
  }

  /// Creates or replaces the file atomically.
  public static func replace(_ path: String, _ bytes: [UInt8]) throws(FileFailure) {
    try withErrno({ FileFailure("write", path, $0) }) {
      let partial = "\(path).\(SystemCalls.processID).partial"
      // A killed process with the same id may have left it.
      do { try SystemCalls.remove(partial) } catch Errno.noSuchFileOrDirectory {}
      try write(partial, bytes)
      do {
        try SystemCalls.rename(partial, to: path)
      } catch {
        try SystemCalls.remove(partial)
        throw error
      }
    }
  }

  private static func write(_ path: String, _ bytes: [UInt8]) throws {
    try make(path) { file in
      try file.writeAll(bytes)
      try SystemCalls.synchronize(file)
    }
  }

  private static func make(_ path: String, _ body: (FileDescriptor) throws -> Void) throws {
    let file = try FileDescriptor.open(
      path, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec], permissions: .ownerReadWrite)
    try file.closeAfter { try body(file) }
  }

  private static func failure(_ path: String, _ error: Errno) -> FileFailure {
    guard error == .noSuchFileOrDirectory else { return FileFailure("make", path, error) }
    return FileFailure(
      "\(path) is a link to a file that does not exist",
      hint: "Remove the link, or name the file it points to.")
  }
}

/// Checks that only its owner can access a file with a secret.
public enum SecretFileCheck {
  /// A warning when other users may read or change the file; `nil` when they cannot, or when the file does not exist.
  ///
  /// - Parameters:
  ///   - content: what the file holds, such as "key".
  ///   - userID: the effective user of this process.
  public static func warning(path: String, content: String, userID: UInt32 = ProcessUser.id) -> String? {
    guard let status = try? Stat(FilePath(path)) else { return nil }
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

/// The user that this process acts as.
public enum ProcessUser {
  /// The effective user id.
  public static var id: UInt32 { SystemCalls.userID.rawValue }
}

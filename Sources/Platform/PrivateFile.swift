internal import SystemPackage

/// Files that only their owner may read (mode 0600), made without following a link.
public enum PrivateFile {
  /// Makes an empty file where there is none.
  ///
  /// Throws ``FileFailure`` when it cannot be made, as where a link points to nothing: what is made behind it later
  /// would be as readable as the umask says.
  public static func makeIfMissing(_ path: String) throws(FileFailure) {
    try withErrno({ failure(path, $0) }) {
      do {
        try make(path) { _ in }
      } catch Errno.fileExists {
        _ = try Stat(FilePath(path))
      }
    }
  }

  /// Makes a new file. Throws ``FileFailure`` where there is one; a file that could not be written whole is removed.
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

  /// Makes the file or takes the place of one that is there, in one step.
  public static func replace(_ path: String, _ bytes: [UInt8]) throws(FileFailure) {
    try withErrno({ FileFailure("write", path, $0) }) {
      let partial = "\(path).\(SystemCalls.processID).partial"
      // Left by a killed process that had the same id.
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

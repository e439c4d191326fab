public import Diagnostics
internal import Platform

/// A file that a user names for a result.
///
/// An existing file is replaced atomically once the result is complete, and keeps its mode and owner; links are
/// followed. Devices and pipes are written directly. An unfinished result is removed.
public final class OutputFile: Sendable {
  /// The path as the user typed it.
  private let name: String
  /// The path with links resolved.
  private let path: String
  /// The temporary file; `nil` for devices and pipes, which are written directly.
  private let partial: String?
  private let descriptor: Int32

  /// Throws ``CommandFailure`` with the file and the reason.
  public init(_ name: String) throws {
    self.name = name
    var status = stat()
    let isThere = stat(name, &status) == 0
    path = isThere ? OutputFile.target(of: name) : name
    partial = isThere && status.st_mode & S_IFMT != S_IFREG ? nil : "\(path).\(getpid()).partial"
    if let partial {
      unlink(partial)
      descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
    } else {
      descriptor = open(path, O_WRONLY | O_CLOEXEC)
    }
    guard descriptor >= 0 else { throw CommandFailure.unwritable(name) }
    guard isThere, partial != nil else { return }
    // Only root can change the owner; for other users the writer becomes the owner, as with any editor.
    _ = fchown(descriptor, status.st_uid, status.st_gid)
    guard fchmod(descriptor, status.st_mode & 0o7777) == 0 else { throw CommandFailure.unwritable(name) }
  }

  deinit {
    close(descriptor)
    // After `finish` the temporary file does not exist any more.
    if let partial { unlink(partial) }
  }

  /// Writes a complete result.
  public static func write(_ text: String, to name: String) throws {
    let file = try OutputFile(name)
    try file.append(text)
    try file.finish()
  }

  public func append(_ text: String) throws {
    var text = text
    try text.withUTF8 { bytes in
      try PosixFunctions.writeAll(UnsafeRawBufferPointer(bytes), to: descriptor) { _ in
        CommandFailure.unwritable(name)
      }
    }
  }

  /// Moves the complete result to its path.
  public func finish() throws {
    if let partial, rename(partial, path) != 0 { throw CommandFailure.unwritable(name) }
  }

  private static func target(of name: String) -> String {
    guard let resolved = realpath(name, nil) else { return name }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}

extension CommandFailure {
  /// The error for a file that cannot be written, with the system's reason from `errno`.
  public static func unwritable(_ name: String) -> CommandFailure {
    CommandFailure("cannot write \(name): \(PosixFunctions.message())", code: "unwritable-file")
  }
}

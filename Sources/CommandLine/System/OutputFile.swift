public import Diagnostics
internal import Platform

/// A file that a user names for a result.
///
/// A file that is there already is replaced in one step, once the result is whole, and keeps its mode and its owner; a
/// link is followed. A device or a pipe is written to as it is. What was begun and not finished leaves no trace.
public final class OutputFile: Sendable {
  /// As the user wrote it.
  private let name: String
  /// Behind links.
  private let path: String
  /// Where the result grows; `nil` where it goes straight to its place.
  private let partial: String?
  private let descriptor: Int32

  /// Throws ``CommandFailure`` naming the file and the reason.
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
    // Only root may give a file away; for everybody else the writer becomes its owner, as with any editor.
    _ = fchown(descriptor, status.st_uid, status.st_gid)
    guard fchmod(descriptor, status.st_mode & 0o7777) == 0 else { throw CommandFailure.unwritable(name) }
  }

  deinit {
    close(descriptor)
    // Gone already when it was finished.
    if let partial { unlink(partial) }
  }

  /// A result that is whole already.
  public static func write(_ text: String, to name: String) throws {
    let file = try OutputFile(name)
    try file.append(text)
    try file.finish()
  }

  public func append(_ text: String) throws {
    var text = text
    try text.withUTF8 { bytes in
      try Posix.writeAll(UnsafeRawBufferPointer(bytes), to: descriptor) { _ in CommandFailure.unwritable(name)
      }
    }
  }

  /// Puts the result in its place.
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
  /// A file that cannot be written, for the reason the system gave last.
  public static func unwritable(_ name: String) -> CommandFailure {
    CommandFailure("cannot write \(name): \(Posix.message())", code: "unwritable-file")
  }
}

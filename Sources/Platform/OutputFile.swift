internal import SystemPackage

/// A file that a user names for a result.
///
/// An existing file is replaced atomically once the result is complete, and keeps its mode and owner; links are
/// followed. Devices and pipes are written directly. An unfinished result is removed.
package final class OutputFile: Sendable {
  /// The path as the user typed it.
  private let name: String
  private let path: String
  /// The temporary file; `nil` for devices and pipes, which are written directly.
  private let partial: String?
  private let descriptor: FileDescriptor

  package init(_ name: String) throws(FileFailure) {
    let status = try? Stat(FilePath(name))
    let path = status == nil ? name : (try? SystemCalls.realPath(name)) ?? name
    let isDirect = status.map { $0.type != .regular } ?? false
    self.name = name
    self.path = path
    (partial, descriptor) = try withErrno({ FileFailure("write", name, $0) }) {
      () -> (String?, FileDescriptor) in
      if isDirect { return (nil, try FileDescriptor.open(path, .writeOnly, options: .closeOnExec)) }
      let (partial, file) = try SystemCalls.createPartial(of: path)
      return (partial, file)
    }
    guard let status, partial != nil else { return }
    // Only root can change the owner; for other users the writer becomes the owner, as with any editor.
    try? SystemCalls.setOwner(status.userID, status.groupID, of: descriptor)
    try withErrno({ FileFailure("write", name, $0) }) {
      try SystemCalls.setPermissions(status.permissions, of: descriptor)
    }
  }

  deinit {
    try? descriptor.close()
    // After `finish` the temporary file does not exist any more.
    if let partial { try? SystemCalls.remove(partial) }
  }

  package static func write(_ text: String, to name: String) throws(FileFailure) {
    let file = try OutputFile(name)
    try file.append(text)
    try file.finish()
  }

  package func append(_ text: String) throws(FileFailure) {
    try withErrno({ FileFailure("write", name, $0) }) { _ = try descriptor.writeAll(text.utf8) }
  }

  package func finish() throws(FileFailure) {
    guard let partial else { return }
    try withErrno({ FileFailure("write", name, $0) }) { try SystemCalls.rename(partial, to: path) }
  }
}
